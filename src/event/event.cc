#include "event/event.h"

#include <cstdio>
#include <utility>

#include "base/json.h"
#include "base/json_members.h"
#include "base/text.h"
#include "base/words.h"

namespace orch::event {
namespace {

using base::Json;
using base::JsonMembers;
using base::or_null;

class Writer {
 public:
  explicit Writer(Json& record) : record_(record) {}

  void operator()(const SessionStart& e) const {
    record_["event"] = "session";
    record_["v"] = kRecordVersion;
    put("session", e.session);
    put("run", e.run);
    put("issue", e.issue);
    put("agent", e.agent);
    put("started", e.started);
  }
  void operator()(const StatusChange& e) const {
    record_["event"] = "status";
    record_["status"] = name(e.status);
    record_["cause"] = or_null(name(e.cause));
    record_["from"] = e.from ? Json(name(*e.from)) : Json(nullptr);
    record_["rule"] = or_null(e.rule);
    record_["row"] = e.row >= 0 ? Json(e.row) : Json(nullptr);
    record_["samples"] = e.samples;
    record_["lag_ms"] = e.lag_ms;
  }
  void operator()(const Output& e) const {
    record_["event"] = "output";
    record_["speaker"] = base::word_of(kSpeakers, e.speaker);
    if (e.continues) record_["continues"] = true;
    if (e.gap) record_["gap"] = true;
    record_["text"] = e.text;  // the last: many are written by their text alone
  }
  void operator()(const Message& e) const {
    record_["event"] = "message";
    record_["id"] = e.id;
    record_["phase"] = name(e.phase);
    record_["reason"] = or_null(e.reason);
    if (e.phase == MessagePhase::kAccepted) record_["enters"] = e.enters;
    if (!e.from.empty()) record_["from"] = e.from;
  }
  void operator()(const Dialog& e) const {
    record_["event"] = "dialog";
    record_["cause"] = or_null(name(e.cause));
    record_["title"] = e.title;
    record_["body"] = e.body;
    record_["options"] = e.options;
    record_["answer"] = or_null(e.answer);
    record_["by"] = or_null(e.by);
    record_["tool"] = or_null(e.tool);
    record_["command"] = or_null(e.command);
    record_["paths"] = e.paths;
    record_["complete"] = e.complete;
  }
  void operator()(const Tool& e) const {
    record_["event"] = "tool";
    record_["phase"] = e.ended ? "ended" : "began";
    put("id", e.id);
    record_["name"] = e.name;
    if (!e.ended) record_["input"] = e.input;
    if (e.ended) record_["failed"] = e.failed;
    if (e.ended) record_["text"] = e.text;
  }
  void operator()(const Usage& e) const {
    record_["event"] = "usage";
    record_["in"] = e.in;
    record_["out"] = e.out;
    record_["cached"] = e.cached;
    record_["cost_usd"] = base::or_null(e.cost_usd);
    record_["source"] = e.source;
  }
  void operator()(const Turn& e) const {
    record_["event"] = "turn";
    record_["n"] = e.n;
    record_["phase"] = e.ended ? "ended" : "began";
  }
  void operator()(const Gate& e) const {
    record_["event"] = "gate";
    record_["n"] = e.n;
    record_["phase"] = e.ended ? "ended" : "began";
    record_["command"] = e.command;
    if (!e.ended) return;
    record_["code"] = e.code;
    record_["duration_ms"] = e.ms;
    record_["timed_out"] = e.timed_out;
    record_["output"] = e.output;
  }
  void operator()(const Exit& e) const {
    record_["event"] = "exit";
    record_["code"] = e.code;
    record_["reason"] = name(e.reason);
  }

 private:
  void put(const char* key, const std::string& text) const {
    if (!text.empty()) record_[key] = text;
  }

  Json& record_;
};

constexpr base::Words<MessagePhase, 4> kPhases{{
    {MessagePhase::kQueued, "queued"},
    {MessagePhase::kSent, "sent"},
    {MessagePhase::kAccepted, "accepted"},
    {MessagePhase::kFailed, "failed"},
}};

std::optional<Speaker> speaker_named(std::string_view name) {
  return base::value_of(kSpeakers, name);
}

std::optional<MessagePhase> phase_named(std::string_view name) {
  return base::value_of(kPhases, name);
}

SessionStart read_session(JsonMembers& in) {
  SessionStart e;
  in.optional("session", e.session);
  in.optional("run", e.run);
  in.optional("issue", e.issue);
  in.optional("agent", e.agent);
  in.optional("started", e.started);
  return e;
}

StatusChange read_status(JsonMembers& in) {
  StatusChange e;
  in.word("status", status_named, e.status);
  in.word("cause", cause_named, e.cause);
  if (in.has("from")) in.word("from", status_named, e.from.emplace());
  in.optional("rule", e.rule);
  in.optional("row", e.row);
  in.optional("samples", e.samples);
  in.optional("lag_ms", e.lag_ms);
  return e;
}

Output read_output(JsonMembers& in) {
  Output e;
  in.required("text", e.text);
  if (in.has("speaker")) in.word("speaker", speaker_named, e.speaker);
  in.optional("continues", e.continues);
  in.optional("gap", e.gap);
  return e;
}

Message read_message(JsonMembers& in) {
  Message e;
  in.required("id", e.id);
  in.word("phase", phase_named, e.phase);
  in.optional("reason", e.reason);
  in.optional("enters", e.enters);
  in.optional("from", e.from);
  return e;
}

Dialog read_dialog(JsonMembers& in) {
  Dialog e;
  in.word("cause", cause_named, e.cause);
  in.optional("title", e.title);
  in.optional("body", e.body);
  in.optional("options", e.options);
  in.optional("answer", e.answer);
  in.optional("by", e.by);
  in.optional("tool", e.tool);
  in.optional("command", e.command);
  in.optional("paths", e.paths);
  in.optional("complete", e.complete);
  return e;
}

Tool read_tool(JsonMembers& in) {
  Tool e;
  std::string phase;
  in.optional("phase", phase);
  e.ended = phase == "ended";
  in.optional("id", e.id);
  in.optional("name", e.name);
  in.optional("input", e.input);
  in.optional("failed", e.failed);
  in.optional("text", e.text);
  return e;
}

Usage read_usage(JsonMembers& in) {
  Usage e;
  in.optional("in", e.in);
  in.optional("out", e.out);
  in.optional("cached", e.cached);
  if (const Json* cost = in.find("cost_usd"); cost != nullptr && cost->is_number()) {
    e.cost_usd = cost->get<double>();
  }
  in.optional("source", e.source);
  return e;
}

Turn read_turn(JsonMembers& in) {
  Turn e;
  in.required("n", e.n);
  std::string phase;
  in.optional("phase", phase);
  e.ended = phase == "ended";
  return e;
}

Gate read_gate(JsonMembers& in) {
  Gate e;
  in.required("n", e.n);
  in.required("command", e.command);
  std::string phase;
  in.optional("phase", phase);
  e.ended = phase == "ended";
  in.optional("code", e.code);
  in.optional("duration_ms", e.ms);
  in.optional("timed_out", e.timed_out);
  in.optional("output", e.output);
  return e;
}

Exit read_exit(JsonMembers& in) {
  Exit e;
  in.required("code", e.code);
  in.word("reason", exit_reason_named, e.reason);
  return e;
}

std::optional<Event> read_event(std::string_view kind, JsonMembers& in) {
  if (kind == "output") return read_output(in);
  if (kind == "status") return read_status(in);
  if (kind == "message") return read_message(in);
  if (kind == "dialog") return read_dialog(in);
  if (kind == "tool") return read_tool(in);
  if (kind == "usage") return read_usage(in);
  if (kind == "turn") return read_turn(in);
  if (kind == "gate") return read_gate(in);
  if (kind == "exit") return read_exit(in);
  if (kind == "session") return read_session(in);
  return std::nullopt;
}

}  // namespace

std::string_view name(MessagePhase phase) { return base::word_of(kPhases, phase); }

std::string to_json(int64_t ms, const Event& event) {
  Json record;
  record["ms"] = ms;
  std::visit(Writer(record), event);
  return base::json_line(record);
}

std::optional<std::string> to_text(const Output& line) {
  if (line.gap) return "[lines are missing here: they scrolled away before they could be seen]";
  switch (line.speaker) {
    case Speaker::kAgent:
    case Speaker::kTool:
      return base::printable(line.text);
    case Speaker::kUser:
      return line.text.empty() ? "" : "❯ " + base::printable(line.text);
    case Speaker::kNotice:
    case Speaker::kChrome:
      break;
  }
  return std::nullopt;
}

std::optional<Record> parse_record(std::string_view line) {
  base::JsonDocument document("", line);
  JsonMembers in(document);
  int64_t ms = 0;
  std::string kind;
  in.required("ms", ms);
  in.required("event", kind);
  std::optional<Event> event = read_event(kind, in);
  if (!event || !document.ok()) return std::nullopt;
  return Record{ms, *std::move(event)};
}

std::string with_session(std::string_view record, std::string_view session) {
  std::string whole = "{\"session\":" + base::json_line(Json(session)) + ",";
  return whole.append(record.substr(1));
}

}  // namespace orch::event
