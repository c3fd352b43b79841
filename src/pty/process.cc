#include "pty/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "base/child.h"
#include "loop/loop.h"

namespace orch::pty {
namespace {

// How long a process that the child left behind may keep the pipes open before the end is reported.
constexpr int64_t kDrainDeadlineMs = 2000;

base::Fd non_blocking(base::Fd fd) {
  if (fd.valid()) ::fcntl(fd.get(), F_SETFL, O_NONBLOCK);
  return fd;
}

}  // namespace

base::Result<std::unique_ptr<Process>> Process::spawn(loop::Loop& loop, ProcessPlan plan,
                                                      ProcessObserver& observer) {
  base::Result<base::PipeEnds> in = base::open_pipe();
  if (!in) return in.error();
  base::Result<base::PipeEnds> out = base::open_pipe();
  if (!out) return out.error();
  base::PipeEnds err;
  if (plan.error_output == ErrorOutput::kSeparate) {
    base::Result<base::PipeEnds> pipe = base::open_pipe();
    if (!pipe) return pipe.error();
    err = std::move(pipe).value();
  }
  const int err_fd = err.write.valid() ? err.write.get() : out->write.get();
  const ChildStdio stdio{ChildStdio::Kind::kPipes, {in->read.get(), out->write.get(), err_fd}};
  const base::Result<pid_t> pid =
      spawn_child(plan.argv, plan.cwd, plan.env, stdio, plan.cgroup_entrance, plan.parent_death);
  if (!pid) return pid.error();
  return std::unique_ptr<Process>(new Process(loop, *pid, std::move(in->write),
                                              std::move(out->read), std::move(err.read),
                                              std::move(plan.input), observer));
}

Process::Process(loop::Loop& loop, pid_t pid, base::Fd in, base::Fd out, base::Fd err,
                 std::string input, ProcessObserver& observer)
    : observer_(observer),
      in_(loop, non_blocking(std::move(in))),
      out_(loop, non_blocking(std::move(out))),
      err_(loop, non_blocking(std::move(err))),
      drain_(loop),
      child_(loop, pid, [this](ExitStatus status) { on_reaped(status); }) {
  input_.push(std::move(input));
  feed_input();
  if (in_.valid()) in_.start(loop::kWritable, [this](int) { feed_input(); });
  watch(out_, &ProcessObserver::on_output);
  watch(err_, &ProcessObserver::on_error_output);
}

Process::~Process() = default;

void Process::stop(int64_t term_ms) { child_.stop({.quit_ms = 0, .term_ms = term_ms}); }

void Process::watch(loop::WatchedFd& pipe, Deliver deliver) {
  if (!pipe.valid()) return;
  pipe.start(loop::kReadable, [this, &pipe, deliver](int) { on_readable(pipe, deliver); });
}

void Process::pause_reading() {
  reading_ = Reading::kPaused;
  drain_.stop();
  out_.stop();
  err_.stop();
}

void Process::resume_reading() {
  if (reading_ == Reading::kOn) return;
  reading_ = Reading::kOn;
  watch(out_, &ProcessObserver::on_output);
  watch(err_, &ProcessObserver::on_error_output);
  if (phase_ != Phase::kRunning) await_end(kDrainDeadlineMs);
}

void Process::feed_input() {
  const bool wanted = input_.flush(in_.get());
  if (!wanted || input_.empty()) in_.close();
}

void Process::on_readable(loop::WatchedFd& pipe, Deliver deliver) {
  std::array<char, kReadBufferBytes> buffer;
  const ReadBurst burst = read_burst(pipe.get(), buffer);
  if (!burst.bytes.empty()) {
    (observer_.*deliver)(burst.bytes);  // may have destroyed us; the end is seen by the next read
  } else if (burst.at_end) {
    pipe.close();
    end_if_done();
  }
}

void Process::on_reaped(ExitStatus status) {
  status_ = status;
  phase_ = Phase::kDraining;
  in_.close();
  if (status.left != 0) return end();
  if (reading_ == Reading::kOn) await_end(kDrainDeadlineMs);
  end_if_done();
}

void Process::await_end(int64_t delay_ms) {
  drain_.start(delay_ms, [this] { on_drain_deadline(); });
}

void Process::on_drain_deadline() {
  if (phase_ == Phase::kLastRead) return end();
  phase_ = Phase::kLastRead;
  await_end(1);  // a late loop runs timers before it reads pipes that are already readable
}

void Process::end_if_done() {
  if (phase_ != Phase::kRunning && !out_.valid() && !err_.valid()) end();
}

void Process::end() {
  out_.close();
  err_.close();
  drain_.stop();
  observer_.on_end(status_);
}

}  // namespace orch::pty
