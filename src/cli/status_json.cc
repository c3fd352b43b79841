#include "cli/status_json.h"

#include "base/json_writer.h"
#include "client/answers.h"
#include "wire/status_report_fields.h"

namespace orch::cli {

std::string spent_text(const wire::StatusReport& report) {
  const int64_t most = report.budget ? report.budget->tokens : 0;
  if (!report.usage && most == 0) return "";
  std::string text = report.usage ? event::tokens_text(*report.usage) : "?";
  if (most > 0) text += "/" + event::tokens_text(most);
  return text;
}

base::Json status_json(const wire::StatusReport& report, const std::string& word) {
  base::Json json;
  json["session"] = report.session;
  json["status"] = event::name(report.status);
  json["cause"] =
      report.cause == event::Cause::kNone ? base::Json() : base::Json(event::name(report.cause));
  json["for_ms"] = report.ms - report.since_ms;
  json["dialog"] = nullptr;
  if (report.dialog) {
    json["dialog"] = base::object_of(*report.dialog, wire::kDialogFields);
    json["dialog"]["commands"] = base::Json::array();
    for (const std::string& answer : client::answers_to(*report.dialog)) {
      json["dialog"]["commands"].push_back("orch answer " + word + " " + answer);
    }
  }
  json["last_words"] = base::or_null(report.last_words);
  json["agent"] = report.agent;
  json["turns"] = report.turns;
  json["usage"] = base::object_of(report.usage, event::kUsageFields);
  json["budget"] = base::object_of(report.budget, wire::kBudgetFields);
  json["running_ms"] = report.ms;
  json["pid"] = report.pid;
  json["repository"] = report.repository;
  json["run"] = report.run;
  json["run_dir"] = report.run_dir;
  return json;
}

}  // namespace orch::cli
