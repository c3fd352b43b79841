#include "cli/status_json.h"

#include "base/json.h"
#include "client/answers.h"
#include "wire/status_report_json.h"

namespace orch::cli {

base::Json status_json(const wire::StatusReport& report, const std::string& word) {
  base::Json json;
  json["session"] = report.session;
  json["status"] = event::name(report.status);
  json["cause"] =
      report.cause == event::Cause::kNone ? base::Json() : base::Json(event::name(report.cause));
  json["for_ms"] = report.ms - report.since_ms;
  json["dialog"] = nullptr;
  if (report.dialog) {
    json["dialog"] = wire::dialog_json(*report.dialog);
    json["dialog"]["commands"] = base::Json::array();
    for (const std::string& answer : client::answers_to(*report.dialog)) {
      json["dialog"]["commands"].push_back("orch answer " + word + " " + answer);
    }
  }
  json["last_words"] = base::or_null(report.last_words);
  json["agent"] = report.agent;
  json["turns"] = report.turns;
  json["usage"] = event::json_of(report.usage);
  json["running_ms"] = report.ms;
  json["pid"] = report.pid;
  json["repository"] = report.repository;
  json["run"] = report.run;
  json["run_dir"] = report.run_dir;
  return json;
}

}  // namespace orch::cli
