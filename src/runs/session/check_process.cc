#include "session/check_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/child.h"
#include "pty/init.h"
#include "pty/pty.h"
#include "pty/transfer.h"

namespace orch::session {
namespace {

// How long to wait for the end of the output after the process has ended. Processes that it left
// behind are killed, but one that could not be killed may hold the pipe open.
constexpr int64_t kDrainMs = 2'000;
constexpr int kSignalBase = 128;

}  // namespace

base::Result<std::unique_ptr<CheckProcess>> CheckProcess::start(
    loop::Loop& loop, const CheckPlan& plan, pty::Containment containment,
    std::function<void(std::string_view)> on_output, std::function<void(End)> on_end) {
  const base::Fd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!nowhere.valid()) return base::system_error("open /dev/null", errno);
  base::Result<base::PipeEnds> pipe = base::open_pipe();
  if (!pipe) return pipe.error();
  const base::Fd& theirs = pipe->write;
  ::fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK);
  auto held = std::make_unique<pty::Containment>(std::move(containment));
  base::Result<pty::Started> child =
      held->start(plan.argv, plan.cwd, plan.env,
                  {pty::ChildStdio::Kind::kPipes, {nowhere.get(), nowhere.get(), theirs.get()}});
  if (!child) return child.error();
  return std::unique_ptr<CheckProcess>(
      new CheckProcess(loop, std::move(held), std::move(pipe->read), std::move(child).value(),
                       plan.timeout_ms, std::move(on_output), std::move(on_end)));
}

CheckProcess::CheckProcess(loop::Loop& loop, std::unique_ptr<pty::Containment> containment,
                           base::Fd output, pty::Started child, int64_t timeout_ms,
                           std::function<void(std::string_view)> on_output,
                           std::function<void(End)> on_end)
    : loop_(loop),
      started_ms_(loop.now_ms()),
      containment_(std::move(containment)),
      output_(loop, std::move(output)),
      timer_(loop),
      on_output_(std::move(on_output)),
      on_end_(std::move(on_end)),
      child_(std::make_unique<pty::Child>(
          loop, child.pid, [this](pty::ExitStatus status) { on_reaped(status); },
          std::move(child.init))) {
  output_.start(loop::kReadable, [this](int) { on_readable(); });
  timer_.start(timeout_ms, [this] { on_time_limit(); });
}

CheckProcess::~CheckProcess() {
  if (!reaped_) containment_->kill();
}

void CheckProcess::on_readable() {
  std::array<char, pty::kReadBufferBytes> buffer;
  const pty::ReadBurst burst = pty::read_burst(output_.get(), buffer);
  if (!burst.bytes.empty()) {
    on_output_(burst.bytes);
  } else if (burst.at_end) {
    output_.close();
    end_if_done();
  }
}

// A process that has ended in time has not exceeded its limit, however late this is called.
void CheckProcess::on_time_limit() {
  if (child_->look()) return;  // calls on_reaped(), which may have destroyed us
  end_.timed_out = true;
  child_->stop({.quit_ms = 0, .term_ms = 0});  // on_reaped() does the rest
}

void CheckProcess::on_reaped(pty::ExitStatus status) {
  reaped_ = true;
  end_.code = status.signal != 0 ? kSignalBase + status.signal : status.code;
  end_.ms = loop_.now_ms() - started_ms_;
  end_.left = status.left;
  containment_->kill();
  if (status.left != 0) return end();
  timer_.start(kDrainMs, [this] { end(); });
  end_if_done();
}

void CheckProcess::end_if_done() {
  if (reaped_ && !output_.valid()) end();
}

void CheckProcess::end() {
  output_.close();
  timer_.stop();
  const auto on_end = std::move(on_end_);
  on_end(end_);
}

}  // namespace orch::session
