#include "session/agent_process.h"

#include <utility>

#include "pty/cgroup.h"
#include "session/environment.h"

namespace orch::session {
namespace {

constexpr int kMostRestarts = 3;  // that an agent may ask for

}  // namespace

AgentProcess::AgentProcess(loop::Loop& loop, SessionSetup& setup, const store::RunDir& dir,
                           std::function<void(std::string_view)> on_notice)
    : loop_(loop),
      setup_(setup),
      run_id_(dir.id()),
      containment_(dir.id(), pty::Cgroup::create(pty::own_cgroup(), dir.id())) {
  const adapters::HookSpec& spec = setup.manifest->hooks;
  if (spec.arguments.empty() || setup.hook_program.empty()) return;
  base::Result<std::unique_ptr<HookChannel>> hooks =
      HookChannel::open(loop, dir, spec, setup.hook_program, std::move(on_notice));
  if (!hooks) return;
  hooks_ = std::move(hooks).value();
  adapters::LaunchPlan& launch = setup_.launch;
  launch.argv.insert(launch.argv.end(), hooks_->arguments().begin(), hooks_->arguments().end());
  launch.env.insert(hooks_->environment().begin(), hooks_->environment().end());
}

base::Status AgentProcess::start(SourceObserver& observer) {
  const pty::SpawnPlan plan{.argv = setup_.launch.argv,
                            .cwd = setup_.cwd,
                            .env = agent_environment(own_environment(), setup_.launch.env, run_id_),
                            .cols = setup_.size.cols,
                            .rows = setup_.size.rows,
                            .run = &containment_};
  base::Result<std::unique_ptr<Source>> started = setup_.source(loop_, plan, observer);
  if (!started) return started.error();
  source_ = std::move(started).value();
  return base::Ok{};
}

void AgentProcess::end_to_restart() {
  restarting_ = true;
  source_->stop({});
}

bool AgentProcess::wants_restart(pty::ExitStatus status) {
  if (restarting_) return true;
  const int code = setup_.manifest->restart_code;
  return code != 0 && status.signal == 0 && status.code == code && restarts_++ < kMostRestarts;
}

base::Status AgentProcess::start_again(SourceObserver& observer) {
  restarting_ = false;
  containment_.kill();
  return start(observer);
}

void AgentProcess::finish() {
  hooks_.reset();
  containment_.kill();
}

}  // namespace orch::session
