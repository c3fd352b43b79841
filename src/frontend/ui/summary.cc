#include "ui/summary.h"

#include <fmt/format.h>

#include <chrono>

#include "base/json.h"
#include "store/atomic_file.h"
#include "store/folder.h"
#include "store/issue_name.h"
#include "store/run_dir.h"

namespace orch::ui {
namespace {

int code_of(const std::vector<host::Ended>& all) {
  std::vector<int> codes;
  codes.reserve(all.size());
  for (const host::Ended& ended : all) codes.push_back(ended.code);
  return event::combined_exit_code(codes);
}

}  // namespace

std::string_view reason_of(const host::Ended& ended) {
  return ended.result ? event::name(ended.result->reason) : "not_started";
}

const std::string& detail_of(const host::Ended& ended) {
  return ended.result ? ended.result->detail : ended.why_not;
}

std::string summary_table(const std::vector<host::Ended>& all) {
  std::string table =
      fmt::format("{:<16} {:<14} {:>4} {:>6} {:>9}\n", "ISSUE", "REASON", "CODE", "TURNS", "TIME");
  for (const host::Ended& ended : all) {
    const std::string turns = ended.result ? std::to_string(ended.result->turns) : "-";
    const std::string time =
        ended.result ? fmt::format("{:.1f}s", static_cast<double>(ended.result->duration_ms) / 1000)
                     : "-";
    table += fmt::format("{:<16} {:<14} {:>4} {:>6} {:>9}\n", ended.issue, reason_of(ended),
                         ended.code, turns, time);
  }
  return table;
}

std::string summary_json(const std::vector<host::Ended>& all) {
  base::Json json;
  json["code"] = code_of(all);
  json["issues"] = base::Json::array();
  for (const host::Ended& ended : all) {
    base::Json issue;
    issue["run"] = ended.result ? base::Json(ended.result->run) : base::Json();
    issue["issue"] = ended.issue;
    issue["session"] = store::session_name(ended.issue);
    issue["reason"] = reason_of(ended);
    issue["code"] = ended.code;
    issue["detail"] = detail_of(ended);
    issue["ms"] = ended.result ? base::Json(ended.result->duration_ms) : base::Json();
    issue["turns"] = ended.result ? base::Json(ended.result->turns) : base::Json();
    json["issues"].push_back(std::move(issue));
  }
  return base::json_text(json);
}

base::Result<std::string> write_summary(const std::string& state_dir,
                                        const std::vector<host::Ended>& all) {
  const std::string folder =
      state_dir + "/summaries/" +
      store::make_run_id(std::chrono::system_clock::now(), "summary", store::random_suffix());
  if (base::Status s = store::create_folders(folder); !s) return s.error();
  const std::string path = folder + "/summary.json";
  if (base::Status s = store::write_file(path, summary_json(all)); !s) return s.error();
  return path;
}

}  // namespace orch::ui
