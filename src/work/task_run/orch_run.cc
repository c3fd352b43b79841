#include "task_run/orch_run.h"

#include <utility>

#include "base/text.h"
#include "session/environment.h"
#include "store/runs.h"

namespace orch::task_run {
namespace {

// The run keeps its own time limit; it gets this much longer before it is stopped from here.
constexpr int64_t kGraceMs = 90'000;
// The time for its own stop ladder - quit keys, SIGTERM, 5 s, SIGKILL - and for its records.
constexpr int64_t kTermMs = 60'000;
constexpr size_t kKeptErrors = 8'000;
constexpr int kSignalBase = 128;

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> env;
  for (const std::string& entry : session::own_environment()) {
    if (!added.contains(entry.substr(0, entry.find('=')))) env.push_back(entry);
  }
  for (const auto& [name, value] : added) {
    env.push_back(std::string(session::kForAgent) + name + "=" + value);
  }
  return env;
}

}  // namespace

OrchRun::OrchRun(loop::Loop& loop, std::string state_dir, std::function<void(RunEnd)> on_end)
    : loop_(loop),
      state_dir_(std::move(state_dir)),
      on_end_(std::move(on_end)),
      begun_ms_(loop.now_ms()),
      patience_(loop) {}

OrchRun::~OrchRun() = default;

base::Result<std::unique_ptr<TaskStep>> OrchRun::start(loop::Loop& loop, const RunWords& words,
                                                       const std::string& state_dir,
                                                       int64_t timeout_ms,
                                                       std::function<void(RunEnd)> on_end) {
  std::unique_ptr<OrchRun> run(new OrchRun(loop, state_dir, std::move(on_end)));
  pty::ProcessPlan plan;
  plan.argv = words.argv;
  plan.env = environment_with(words.env);
  plan.parent_death = pty::ParentDeath::kAskToEnd;
  base::Result<std::unique_ptr<pty::Process>> process =
      pty::Process::spawn(loop, std::move(plan), *run);
  if (!process) return process.error();
  run->process_ = std::move(process).value();
  run->patience_.start(timeout_ms + kGraceMs, [self = run.get()] { self->stop(); });
  return std::unique_ptr<TaskStep>(std::move(run));
}

void OrchRun::stop() {
  if (process_) process_->stop(kTermMs);
}

void OrchRun::on_output(std::string_view bytes) {
  lines_.cut(
      bytes, [this](std::string_view line) { hear(line); },
      [this] { keep("[a record of more than 4 MB]"); });
}

void OrchRun::hear(std::string_view line) {
  const std::optional<event::Record> record = event::parse_record(line);
  if (!record) return;
  if (const auto* start = std::get_if<event::SessionStart>(&record->event)) {
    end_.run = start->run;
    issue_ = start->issue;
  } else if (const auto* output = std::get_if<event::Output>(&record->event)) {
    if (output->speaker == event::Speaker::kUser) return;
    if (const std::optional<std::string> text = event::to_text(*output)) keep(*text);
  }
}

void OrchRun::keep(std::string_view line) {
  end_.words.append(line).append("\n");
  if (end_.words.size() < 2 * kKeptWords) return;
  end_.words.erase(0, end_.words.size() - kKeptWords);
  // Keeps whole lines, unless there is only one line, which is cut.
  const size_t feed = end_.words.find('\n');
  if (feed + 1 < end_.words.size()) end_.words.erase(0, feed + 1);
}

void OrchRun::on_error_output(std::string_view bytes) {
  errors_ += bytes;
  if (errors_.size() > 2 * kKeptErrors) errors_.erase(0, errors_.size() - kKeptErrors);
}

void OrchRun::on_end(pty::ExitStatus status) {
  patience_.stop();
  end_.code = status.signal != 0 ? kSignalBase + status.signal : status.code;
  end_.ms = loop_.now_ms() - begun_ms_;
  const std::vector<std::string_view> lines = base::split_lines(errors_);
  for (auto line = lines.rbegin(); line != lines.rend() && end_.complaint.empty(); ++line) {
    std::string_view text = base::trim(*line);
    if (text.starts_with("orch: ")) text.remove_prefix(6);
    end_.complaint = base::printable(text);
  }
  if (!end_.run.empty()) {
    store::Found<store::RunResult> result =
        store::result_of({state_dir_ + "/runs/" + end_.run, end_.run, issue_});
    if (result.is_unknown()) end_.complaint = base::printable(result.error().text);
    end_.result = std::move(result).if_present();
  }
  const auto on_end = std::move(on_end_);
  on_end(std::move(end_));
}

}  // namespace orch::task_run
