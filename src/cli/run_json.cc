#include "cli/run_json.h"

#include <string>

#include "base/json.h"

namespace orch::cli {

base::Json run_json(const client::RunView& run) {
  if (!run.unreadable.empty()) {
    return {{"id", run.record.id},
            {"issue", run.record.issue},
            {"agent", base::or_null(run.record.agent)},
            {"cwd", base::or_null(run.record.cwd)},
            {"repository", base::or_null(run.record.repository)},
            {"status", client::state_text(run)},
            {"unreadable", run.unreadable},
            {"run_dir", run.folder.path}};
  }
  base::Json json = base::Json::parse(to_json(run.record));
  json["host_died"] = run.host_died;
  json["run_dir"] = run.folder.path;
  return json;
}

ui::Color color_of(store::RunStatus status) {
  switch (status) {
    case store::RunStatus::kStarting:
    case store::RunStatus::kRunning:
      return ui::Color::kYellow;
    case store::RunStatus::kCompleted:
      return ui::Color::kGreen;
    case store::RunStatus::kFailed:
      return ui::Color::kRed;
    case store::RunStatus::kCancelled:
      return ui::Color::kDim;
  }
  return ui::Color::kPlain;
}

}  // namespace orch::cli
