#include "event/event.h"

#include "base/json.h"

namespace orch::event {
namespace {

using base::Json;
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
    record_["text"] = e.text;
  }
  void operator()(const Message& e) const {
    record_["event"] = "message";
    record_["id"] = e.id;
    record_["phase"] = name(e.phase);
    record_["reason"] = or_null(e.reason);
    if (e.phase == MessagePhase::kAccepted) record_["enters"] = e.enters;
  }
  void operator()(const Dialog& e) const {
    record_["event"] = "dialog";
    record_["cause"] = or_null(name(e.cause));
    record_["title"] = e.title;
    record_["body"] = e.body;
    record_["options"] = e.options;
    record_["answer"] = or_null(e.answer);
    record_["by"] = or_null(e.by);
  }
  void operator()(const Turn& e) const {
    record_["event"] = "turn";
    record_["n"] = e.n;
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

}  // namespace

std::string_view name(MessagePhase phase) {
  switch (phase) {
    case MessagePhase::kQueued:
      return "queued";
    case MessagePhase::kSent:
      return "sent";
    case MessagePhase::kAccepted:
      return "accepted";
    case MessagePhase::kFailed:
      return "failed";
  }
  return {};
}

std::string to_json(int64_t ms, const Event& event) {
  Json record;
  record["ms"] = ms;
  std::visit(Writer(record), event);
  return base::json_line(record);
}

std::string with_session(std::string_view record, std::string_view session) {
  std::string whole = "{\"session\":" + base::json_line(Json(session)) + ",";
  return whole.append(record.substr(1));
}

}  // namespace orch::event
