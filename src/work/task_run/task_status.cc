#include "task_run/task_status.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/name.h"
#include "base/text.h"
#include "store/state_file.h"
#include "task/journal.h"
#include "task_run/task_folder.h"

namespace orch::task_run {
namespace {

namespace fs = std::filesystem;

std::string those_that_are_there(const std::string& state_dir) {
  const base::Result<std::vector<std::string>> names = store::names_in_folder(state_dir + "/tasks");
  if (!names) return "which there are cannot be read: " + names.error().text;
  std::string text;
  for (const std::string& id : *names) {
    std::error_code unknown;
    if (!base::is_name(id, task::kMaxTaskName) ||
        !fs::is_directory(state_dir + "/tasks/" + id, unknown)) {
      continue;
    }
    text += (text.empty() ? "" : ", ") + id;
  }
  return text.empty() ? "there are none" : "there are " + text;
}

}  // namespace

base::Status check_task(const std::string& state_dir, const std::string& id) {
  const bool is_name = base::is_name(id, task::kMaxTaskName);
  const store::Presence there =
      is_name ? store::presence_of(state_dir + "/tasks/" + id) : store::Presence::absent();
  if (there.is_unknown()) return there.error();
  if (there.is_present()) return base::Ok{};
  return base::Error{base::ErrorCode::kNotFound, "no task is called " + base::printable(id) + "; " +
                                                     those_that_are_there(state_dir)};
}

base::Result<TaskStatus> status_of_task(const std::string& state_dir, const std::string& id) {
  if (base::Status s = check_task(state_dir, id); !s) return s.error();
  const std::string folder = state_dir + "/tasks/" + id;
  const base::Result<TaskFolder::Look> look = TaskFolder::look(state_dir, id);
  if (!look) return look.error();
  base::Result<task::TaskSpec> spec =
      task::parse_task_spec(look->texts.spec, folder + "/task.yaml");
  if (!spec) return spec.error();
  TaskStatus status;
  status.spec = std::move(spec).value();
  status.is_at_work = look->is_at_work;
  if (look->journal.empty()) return status;
  task::Machine machine(status.spec, look->texts.prd);
  const base::Result<task::Replayed> replayed =
      task::replay(look->journal, folder + "/journal.jsonl", machine);
  if (!replayed) return replayed.error();
  status.repo = std::get<task::Opened>(look->journal.front().what).repo;
  status.started = look->journal.front().time;
  status.latest = look->journal.back().time;
  status.worked_ms = std::max(replayed->ms, look->clock_ms);
  status.state = machine.state();
  status.end = machine.end();
  status.can_go_on = machine.can_go_on();
  status.facts = machine.facts();
  status.loops = status.spec.worker.max_loops - machine.remaining(replayed->ms).loops;
  if (const auto& open = machine.open_step(); open && !status.end) {
    const task::StepBegun step = task::begun(*open);
    status.step = step.step + " " + std::to_string(step.n);
  }
  return status;
}

}  // namespace orch::task_run
