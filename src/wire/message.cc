#include "wire/message.h"

#include <optional>
#include <utility>

#include "base/json.h"
#include "base/json_members.h"
#include "base/text.h"
#include "base/words.h"
#include "wire/status_report_json.h"

namespace orch::wire {
namespace {

using base::Json;
using base::JsonMembers;
using base::or_null;

constexpr base::Words<RefusalCode, 9> kRefusalCodes{{
    {RefusalCode::kUsage, "usage"},
    {RefusalCode::kUnknownVerb, "unknown_verb"},
    {RefusalCode::kVersion, "version"},
    {RefusalCode::kBusy, "busy"},
    {RefusalCode::kOtherRun, "other_run"},
    {RefusalCode::kNoDialog, "no_dialog"},
    {RefusalCode::kStillStands, "still_stands"},
    {RefusalCode::kEnded, "ended"},
    {RefusalCode::kOther, "other"},
}};
constexpr std::string_view kStatusVerb = "status", kSubscribeVerb = "subscribe", kKillVerb = "kill",
                           kKeysVerb = "keys", kSendVerb = "send", kResetVerb = "reset",
                           kAttachVerb = "attach", kWindowVerb = "window", kDetachVerb = "detach",
                           kAnswerVerb = "answer", kNudgeVerb = "nudge", kSpawnVerb = "spawn";

std::string_view name(RefusalCode code) { return base::word_of(kRefusalCodes, code); }

RefusalCode refusal_code_named(std::string_view name) {
  return base::value_of(kRefusalCodes, name).value_or(RefusalCode::kOther);
}

struct RequestWriter {
  Json& json;
  void operator()(const AskStatus&) const { json["verb"] = kStatusVerb; }
  void operator()(const Subscribe& subscribe) const {
    json["verb"] = kSubscribeVerb;
    json["events"] = subscribe.events;
    json["raw"] = subscribe.raw;
  }
  void operator()(const Kill& kill) const {
    json["verb"] = kKillVerb;
    json["now"] = kill.now;
  }
  void operator()(const Keys& keys) const {
    json["verb"] = kKeysVerb;
    json["keys"] = keys.names;
  }
  void operator()(const Send& send) const {
    json["verb"] = kSendVerb;
    json["text"] = send.text;
    json["as_command"] = send.as_command;
    json["until_idle"] = send.until_idle;
    json["timeout_ms"] = send.timeout_ms;
  }
  void operator()(const Nudge& nudge) const {
    json["verb"] = kNudgeVerb;
    json["text"] = nudge.text;
    json["from"] = nudge.from;
    json["mail"] = nudge.mail;
    json["wait"] = nudge.wait;
    json["timeout_ms"] = nudge.timeout_ms;
  }
  void operator()(const Spawn& spawn) const {
    json["verb"] = kSpawnVerb;
    json["agent"] = spawn.agent;
  }
  void operator()(const Reset&) const { json["verb"] = kResetVerb; }
  void operator()(const Attach& attach) const {
    json["verb"] = kAttachVerb;
    json["interactive"] = attach.interactive;
    json["cols"] = attach.cols;
    json["rows"] = attach.rows;
  }
  void operator()(const Window& window) const {
    json["verb"] = kWindowVerb;
    json["viewer"] = window.viewer;
    json["cols"] = window.cols;
    json["rows"] = window.rows;
  }
  void operator()(const Detach& detach) const {
    json["verb"] = kDetachVerb;
    json["viewer"] = detach.viewer;
  }
  void operator()(const AnswerDialog& answer) const {
    json["verb"] = kAnswerVerb;
    json["dialog"] = answer.dialog;
    json["choice"] = agent::name(answer.choice.kind);
    json["number"] = answer.choice.number;
    json["text"] = answer.choice.text;
  }
};

// What an answer is follows from its members; see read_answer.
struct AnswerWriter {
  Json& json;
  void operator()(const Refusal& refusal) const {
    json["ok"] = false;
    json["error"] = refusal.error;
    json["code"] = name(refusal.code);
  }
  void operator()(const StatusReport& report) const {
    json["ok"] = true;
    write_report(json, report);
  }
  void operator()(const Subscribed& subscribed) const {
    json["ok"] = true;
    json["events_offset"] = subscribed.events_offset;
  }
  void operator()(const Sent& sent) const {
    json["ok"] = true;
    json["message"] = sent.message;
    json["result"] = sent.result;
    json["reason"] = or_null(sent.reason);
    json["enters"] = sent.enters;
    json["status"] = event::name(sent.status);
    json["cause"] = or_null(event::name(sent.cause));
    json["screen"] = or_null(sent.screen);
  }
  void operator()(const WasReset& reset) const {
    json["ok"] = true;
    json["reset"] = reset.how;
  }
  void operator()(const Attached& attached) const {
    json["ok"] = true;
    json["viewer"] = attached.viewer;
  }
  void operator()(const Done&) const { json["ok"] = true; }
};

Sent read_sent(JsonMembers& in) {
  Sent sent;
  in.required("message", sent.message);
  in.required("result", sent.result);
  in.optional("reason", sent.reason);
  in.optional("enters", sent.enters);
  in.word("status", event::status_named, sent.status);
  in.word("cause", event::cause_named, sent.cause);
  in.optional("screen", sent.screen);
  return sent;
}

Refusal read_refusal(JsonMembers& in) {
  Refusal refusal;
  std::string code;
  in.required("error", refusal.error);
  in.optional("code", code);
  refusal.code = refusal_code_named(code);
  return refusal;
}

// Nothing for a verb that nobody knows.
std::optional<Verb> read_verb(std::string_view name, JsonMembers& in) {
  if (name == kStatusVerb) return AskStatus{};
  if (name == kSubscribeVerb) {
    Subscribe subscribe;
    in.optional("events", subscribe.events);
    in.optional("raw", subscribe.raw);
    return subscribe;
  }
  if (name == kKillVerb) {
    Kill kill;
    in.optional("now", kill.now);
    return kill;
  }
  if (name == kKeysVerb) {
    Keys keys;
    in.required("keys", keys.names);
    return keys;
  }
  if (name == kSendVerb) {
    Send send;
    in.required("text", send.text);
    in.optional("as_command", send.as_command);
    in.optional("until_idle", send.until_idle);
    in.optional("timeout_ms", send.timeout_ms);
    return send;
  }
  if (name == kNudgeVerb) {
    Nudge nudge;
    in.required("text", nudge.text);
    in.optional("from", nudge.from);
    in.optional("mail", nudge.mail);
    in.optional("wait", nudge.wait);
    in.optional("timeout_ms", nudge.timeout_ms);
    return nudge;
  }
  if (name == kSpawnVerb) {
    Spawn spawn;
    in.required("agent", spawn.agent);
    return spawn;
  }
  if (name == kResetVerb) return Reset{};
  if (name == kAttachVerb) {
    Attach attach;
    in.required("interactive", attach.interactive);
    in.optional("cols", attach.cols);
    in.optional("rows", attach.rows);
    return attach;
  }
  if (name == kWindowVerb) {
    Window window;
    in.required("viewer", window.viewer);
    in.required("cols", window.cols);
    in.required("rows", window.rows);
    return window;
  }
  if (name == kDetachVerb) {
    Detach detach;
    in.required("viewer", detach.viewer);
    return detach;
  }
  if (name == kAnswerVerb) {
    AnswerDialog answer;
    in.optional("dialog", answer.dialog);
    in.word("choice", agent::choice_kind_named, answer.choice.kind);
    in.optional("number", answer.choice.number);
    in.optional("text", answer.choice.text);
    return answer;
  }
  return std::nullopt;
}

}  // namespace

std::string to_json(const Request& request) {
  Json json;
  json["v"] = kProtocolVersion;
  json["id"] = request.id;
  std::visit(RequestWriter{json}, request.verb);
  if (!request.run.empty()) json["run"] = request.run;
  return base::json_line(json);
}

std::string to_json(const Answer& answer) {
  Json json;
  json["id"] = answer.id;
  std::visit(AnswerWriter{json}, answer.result);
  return base::json_line(json);
}

std::string to_json(const Lagged& lagged) {
  Json json;
  json["events_from"] = lagged.events_from;
  json["events_offset"] = lagged.events_offset;
  json["dropped_bytes"] = lagged.dropped_bytes;
  return base::json_line(json);
}

base::Result<std::variant<Request, Answer>> read_request(std::string_view json) {
  using Incoming = std::variant<Request, Answer>;
  base::JsonDocument document("", json);
  JsonMembers in(document);
  Request request;
  in.required("id", request.id);
  if (!document.ok()) return document.error();

  const auto refuse = [&request](RefusalCode code, std::string error) {
    return Incoming(Answer{request.id, Refusal{code, std::move(error)}});
  };
  int version = 0;
  std::string verb_name;
  in.required("v", version);
  in.required("verb", verb_name);
  if (!document.ok()) return refuse(RefusalCode::kUsage, document.error().text);
  if (version != kProtocolVersion) {
    return refuse(RefusalCode::kVersion, "this session speaks version " +
                                             std::to_string(kProtocolVersion) +
                                             " of the protocol, not " + std::to_string(version));
  }
  in.optional("run", request.run);
  std::optional<Verb> verb = read_verb(verb_name, in);
  if (!verb) {
    constexpr size_t kShown = 40;
    return refuse(RefusalCode::kUnknownVerb,
                  "unknown verb '" + base::printable(verb_name.substr(0, kShown)) + "'");
  }
  if (!document.ok()) return refuse(RefusalCode::kUsage, document.error().text);
  request.verb = *verb;
  return Incoming(request);
}

base::Result<Answer> read_answer(std::string_view json) {
  base::JsonDocument document("", json);
  JsonMembers in(document);
  Answer answer;
  bool served = false;
  in.required("id", answer.id);
  in.required("ok", served);
  if (!served) {
    answer.result = read_refusal(in);
  } else if (in.has("session")) {
    answer.result = read_report(in);
  } else if (in.has("events_offset")) {
    Subscribed subscribed;
    in.required("events_offset", subscribed.events_offset);
    answer.result = subscribed;
  } else if (in.has("message")) {
    answer.result = read_sent(in);
  } else if (in.has("reset")) {
    WasReset reset;
    in.required("reset", reset.how);
    answer.result = reset;
  } else if (in.has("viewer")) {
    Attached attached;
    in.required("viewer", attached.viewer);
    answer.result = attached;
  } else {
    answer.result = Done{};
  }
  if (!document.ok()) return document.error();
  return answer;
}

base::Result<Lagged> read_lagged(std::string_view json) {
  base::JsonDocument document("", json);
  JsonMembers in(document);
  Lagged lagged;
  in.required("events_from", lagged.events_from);
  in.required("events_offset", lagged.events_offset);
  in.required("dropped_bytes", lagged.dropped_bytes);
  if (lagged.events_from > lagged.events_offset) return base::usage_error("lagged backwards");
  if (!document.ok()) return document.error();
  return lagged;
}

}  // namespace orch::wire
