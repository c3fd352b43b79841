#include "session/agent_process.h"

#include <fcntl.h>

#include <utility>

#include "base/fd.h"
#include "pty/cgroup.h"
#include "pty/program.h"
#include "session/environment.h"

namespace orch::session {
namespace {

constexpr int kMostRestarts = 3;  // that an agent may ask for

}  // namespace

AgentProcess::AgentProcess(loop::Loop& loop, SessionSetup& setup, const store::RunDir& dir,
                           std::function<void(std::string_view)> on_notice)
    : loop_(loop),
      setup_(setup),
      dir_(dir),
      containment_(dir.id(), pty::Cgroup::create(pty::own_cgroup(), dir.id())) {
  adapters::HookSpec spec = setup.manifest->hooks;
  if (setup.fence && setup.fence->offer.any()) {  // else its own sandbox is all there is
    const adapters::FenceSpec& fence = setup.manifest->fence;
    setup_.launch.argv.insert(setup_.launch.argv.end(), fence.arguments.begin(),
                              fence.arguments.end());
    setup_.launch.env.insert(fence.env.begin(), fence.env.end());
    spec.settings = adapters::merged_settings(spec.settings, fence.settings);
  }
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
  std::vector<std::string> env = agent_environment(own_environment(), setup_.launch.env, dir_.id());
  std::vector<std::string> argv = setup_.launch.argv;
  if (setup_.fence) {
    if (base::Status s = raise_fence(env); !s) return s;
    argv = fence_->around(argv);
  }
  const pty::SpawnPlan plan{.argv = std::move(argv),
                            .cwd = setup_.cwd,
                            .env = std::move(env),
                            .cols = setup_.size.cols,
                            .rows = setup_.size.rows,
                            .run = &containment_};
  base::Result<std::unique_ptr<Source>> started = setup_.source(loop_, plan, observer);
  if (!started) return started.error();
  source_ = std::move(started).value();
  return base::Ok{};
}

// Who is shut in cannot say why it did not start, so its program is looked for before.
base::Status AgentProcess::raise_fence(const std::vector<std::string>& env) {
  const base::Fd cwd(::open(setup_.cwd.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  base::Result<std::string> program = pty::find_program(
      setup_.launch.argv.front(), value_in(env, "PATH"), cwd.valid() ? cwd.get() : AT_FDCWD);
  if (!program) return base::Error{program.error().code, "spawn " + program.error().text};
  if (fence_) return base::Ok{};
  base::Result<std::unique_ptr<AgentFence>> fence = AgentFence::raise(
      *setup_.fence, setup_.manifest->fence, dir_, setup_.cwd, setup_.launch.argv, env);
  if (!fence) return fence.error();
  fence_ = std::move(fence).value();
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
