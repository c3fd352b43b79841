#include "wire/message.h"

#include <optional>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "base/words.h"
#include "wire/status_report_fields.h"

namespace orch::wire {
namespace {

using base::Json;
using base::JsonMembers;

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
}  // namespace

static std::string_view name(RefusalCode code) { return base::word_of(kRefusalCodes, code); }

namespace {

// A code that this build does not know becomes kOther.
std::optional<RefusalCode> refusal_code_named(std::string_view name) {
  return base::value_of(kRefusalCodes, name).value_or(RefusalCode::kOther);
}

constexpr auto kNoFields = [](auto& /*in*/, auto& /*verb*/) {};

constexpr auto kChoiceFields = [](auto& in, auto& choice) {
  in.word("choice", agent::choice_kind_named, choice.kind);
  in.optional("number", choice.number);
  in.optional("text", choice.text);
};

// Describes each verb by its name and its fields.
constexpr auto kEachVerb = [](const auto& kind) {
  kind(std::type_identity<AskStatus>(), "status", kNoFields);
  kind(std::type_identity<Subscribe>(), "subscribe", [](auto& in, auto& subscribe) {
    in.optional("events", subscribe.events);
    in.optional("raw", subscribe.raw);
  });
  kind(std::type_identity<Kill>(), "kill",
       [](auto& in, auto& kill) { in.optional("now", kill.now); });
  kind(std::type_identity<Keys>(), "keys",
       [](auto& in, auto& keys) { in.required("keys", keys.names); });
  kind(std::type_identity<Send>(), "send", [](auto& in, auto& send) {
    in.required("text", send.text);
    in.optional("as_command", send.as_command);
    in.optional("until_idle", send.until_idle);
    in.optional("timeout_ms", send.timeout_ms);
  });
  kind(std::type_identity<Nudge>(), "nudge", [](auto& in, auto& nudge) {
    in.required("text", nudge.text);
    in.optional("from", nudge.from);
    in.optional("mail", nudge.mail);
    in.optional("wait", nudge.wait);
    in.optional("timeout_ms", nudge.timeout_ms);
  });
  kind(std::type_identity<Spawn>(), "spawn",
       [](auto& in, auto& spawn) { in.required("agent", spawn.agent); });
  kind(std::type_identity<Reset>(), "reset", kNoFields);
  kind(std::type_identity<Attach>(), "attach", [](auto& in, auto& attach) {
    in.required("interactive", attach.interactive);
    in.optional("cols", attach.cols);
    in.optional("rows", attach.rows);
  });
  kind(std::type_identity<Window>(), "window", [](auto& in, auto& window) {
    in.required("viewer", window.viewer);
    in.required("cols", window.cols);
    in.required("rows", window.rows);
  });
  kind(std::type_identity<Detach>(), "detach",
       [](auto& in, auto& detach) { in.required("viewer", detach.viewer); });
  kind(std::type_identity<AnswerDialog>(), "answer", [](auto& in, auto& answer) {
    in.optional("dialog", answer.dialog);
    kChoiceFields(in, answer.choice);
    in.list("also", answer.also, kChoiceFields);
  });
  kind(std::type_identity<CheckCall>(), "check_call",
       [](auto& in, auto& call) { in.required("event", call.event); });
};

// Describes each answer except Refusal by the member that no other answer has, and by its fields;
// Done has none.
constexpr auto kEachAnswer = [](const auto& kind) {
  kind(std::type_identity<StatusReport>(), "session", kReportFields);
  kind(std::type_identity<Subscribed>(), "events_offset",
       [](auto& in, auto& subscribed) { in.required("events_offset", subscribed.events_offset); });
  kind(std::type_identity<Sent>(), "message", [](auto& in, auto& sent) {
    in.required("message", sent.message);
    in.required("result", sent.result);
    in.nullable("reason", sent.reason);
    in.optional("enters", sent.enters);
    in.word("status", event::status_named, sent.status);
    in.word("cause", event::cause_named, sent.cause);
    in.nullable("screen", sent.screen);
  });
  kind(std::type_identity<WasReset>(), "reset",
       [](auto& in, auto& reset) { in.required("reset", reset.how); });
  kind(std::type_identity<Attached>(), "viewer",
       [](auto& in, auto& attached) { in.required("viewer", attached.viewer); });
  kind(std::type_identity<CallAnswer>(), "print",
       [](auto& in, auto& answer) { in.required("print", answer.print); });
};
constexpr auto kRefusalFields = [](auto& in, auto& refusal) {
  in.required("error", refusal.error);
  in.word("code", refusal_code_named, refusal.code);
};

constexpr auto kLaggedFields = [](auto& in, auto& lagged) {
  in.required("events_from", lagged.events_from);
  in.required("events_offset", lagged.events_offset);
  in.required("dropped_bytes", lagged.dropped_bytes);
};

}  // namespace

std::string to_json(const Request& request) {
  Json json;
  base::JsonWriter out(json);
  out.required("v", kProtocolVersion);
  out.required("id", request.id);
  base::write_kind(out, "verb", kEachVerb, request.verb);
  out.sparse("run", request.run);
  return base::json_line(json);
}

std::string to_json(const Answer& answer) {
  Json json;
  base::JsonWriter out(json);
  const Refusal* refusal = std::get_if<Refusal>(&answer.result);
  out.required("id", answer.id);
  out.required("ok", refusal == nullptr);
  if (refusal != nullptr) kRefusalFields(out, *refusal);
  kEachAnswer(
      [&]<typename Kind>(std::type_identity<Kind>, const char* /*member*/, const auto& fields) {
        if (const Kind* result = std::get_if<Kind>(&answer.result)) fields(out, *result);
      });
  return base::json_line(json);
}

std::string to_json(const Lagged& lagged) {
  return base::json_line(base::object_of(lagged, kLaggedFields));
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
  std::optional<Verb> verb = base::read_kind<Verb>(in, verb_name, kEachVerb);
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
  answer.result = Done{};
  if (!served) {
    kRefusalFields(in, answer.result.emplace<Refusal>());
  } else {
    kEachAnswer(
        [&]<typename Kind>(std::type_identity<Kind>, const char* member, const auto& fields) {
          const bool is_found = !std::holds_alternative<Done>(answer.result);
          if (!is_found && in.has(member)) fields(in, answer.result.emplace<Kind>());
        });
  }
  if (!document.ok()) return document.error();
  return answer;
}

base::Result<Lagged> read_lagged(std::string_view json) {
  base::Result<Lagged> lagged = base::record_of<Lagged>("", json, kLaggedFields);
  if (lagged && lagged->events_from > lagged->events_offset) {
    return base::usage_error("lagged backwards");
  }
  return lagged;
}

}  // namespace orch::wire
