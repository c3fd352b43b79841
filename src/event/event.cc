#include "event/event.h"

#include "base/json.h"

namespace orch::event {
namespace {

using base::Json;
using base::or_null;

struct Writer {
  Json& record;

  void operator()(const StatusChange& e) const {
    record["event"] = "status";
    record["status"] = name(e.status);
    record["cause"] = or_null(name(e.cause));
    record["from"] = e.from ? Json(name(*e.from)) : Json(nullptr);
    record["rule"] = or_null(e.rule);
    record["row"] = e.row >= 0 ? Json(e.row) : Json(nullptr);
    record["samples"] = e.samples;
    record["lag_ms"] = e.lag_ms;
  }
  void operator()(const Output& e) const {
    record["event"] = "output";
    record["text"] = e.text;
  }
  void operator()(const Message& e) const {
    record["event"] = "message";
    record["id"] = e.id;
    record["phase"] = name(e.phase);
    record["reason"] = or_null(e.reason);
    if (e.phase == MessagePhase::kAccepted) record["enters"] = e.enters;
  }
  void operator()(const Dialog& e) const {
    record["event"] = "dialog";
    record["cause"] = or_null(name(e.cause));
    record["title"] = e.title;
    record["body"] = e.body;
    record["options"] = e.options;
    record["answer"] = or_null(e.answer);
    record["by"] = or_null(e.by);
  }
  void operator()(const Turn& e) const {
    record["event"] = "turn";
    record["n"] = e.n;
    record["phase"] = e.ended ? "ended" : "began";
  }
  void operator()(const Exit& e) const {
    record["event"] = "exit";
    record["code"] = e.code;
    record["reason"] = name(e.reason);
  }
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

std::string to_json(const Stamp& stamp, const Event& event) {
  Json record;
  record["v"] = 1;
  record["ms"] = stamp.ms;
  if (!stamp.time.empty()) record["time"] = stamp.time;
  if (!stamp.session.empty()) record["session"] = stamp.session;
  if (!stamp.run.empty()) record["run"] = stamp.run;
  std::visit(Writer{record}, event);
  return base::json_line(record);
}

}  // namespace orch::event
