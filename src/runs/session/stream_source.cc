#include "session/stream_source.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/child.h"
#include "pty/transfer.h"

namespace orch::session {
namespace {

// How long a process that the agent left behind may keep its output open before the end is
// reported.
constexpr int64_t kDrainAgentMs = 2'000;

struct Ends {
  base::Fd ours, theirs;
};

base::Result<Ends> open_talk() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return base::system_error("open a socket for the agent", errno);
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Ends{base::Fd(ends[0]), base::Fd(ends[1])};
}

base::Result<Ends> open_errors() {
  base::Result<base::PipeEnds> ends = base::open_pipe();
  if (!ends) return ends.error();
  ::fcntl(ends->read.get(), F_SETFL, O_NONBLOCK);
  return Ends{std::move(ends->read), std::move(ends->write)};
}

}  // namespace

base::Result<std::unique_ptr<Source>> StreamSource::spawn(loop::Loop& loop,
                                                          const pty::SpawnPlan& plan,
                                                          SourceObserver& observer) {
  base::Result<Ends> talk = open_talk();
  if (!talk) return talk.error();
  base::Result<Ends> errors = open_errors();
  if (!errors) return errors.error();
  const int theirs = talk->theirs.get();
  base::Result<pty::Started> child =
      pty::start_on(plan, {pty::ChildStdio::Kind::kPipes, {theirs, theirs, errors->theirs.get()}});
  if (!child) return child.error();
  return std::unique_ptr<Source>(new StreamSource(
      loop, std::move(talk->ours), std::move(errors->ours), std::move(*child), observer));
}

StreamSource::StreamSource(loop::Loop& loop, base::Fd talk, base::Fd errors, pty::Started child,
                           SourceObserver& observer)
    : observer_(observer),
      talk_(loop, std::move(talk),
            {.on_data = [this](std::string_view bytes) { observer_.on_output(bytes); },
             .on_closed =
                 [this] {
                   talk_open_ = false;
                   end_if_done();
                 },
             .on_drained = nullptr}),
      errors_(loop, std::move(errors)),
      drain_(loop),
      child_(
          loop, child.pid, [this](pty::ExitStatus status) { on_reaped(status); },
          std::move(child.init)) {
  watch_errors();
}

void StreamSource::write(std::string bytes) {
  if (!input_open_ || phase_ != Phase::kRunning) return;
  talk_.write(std::move(bytes));
}

void StreamSource::finish_writing() {
  if (!std::exchange(input_open_, false)) return;
  talk_.finish_writing();
}

void StreamSource::pause() {
  paused_ = true;
  talk_.pause_reading();
  errors_.stop();
  drain_.stop();
}

void StreamSource::resume() {
  if (!std::exchange(paused_, false)) return;
  talk_.resume_reading();
  watch_errors();
  if (phase_ == Phase::kDraining) drain_.start(kDrainAgentMs, [this] { end(); });
}

void StreamSource::stop(StopOrder order) {
  const int64_t quit_ms = input_open_ ? order.quit_ms : 0;
  if (child_.stop({quit_ms, order.term_ms}) == pty::StopStep::kQuitKeys) finish_writing();
}

void StreamSource::watch_errors() {
  if (!errors_.valid()) return;
  errors_.start(loop::kReadable, [this](int) { on_errors(); });
}

void StreamSource::on_errors() {
  std::array<char, pty::kReadBufferBytes> buffer;
  const pty::ReadBurst burst = pty::read_burst(errors_.get(), buffer);
  if (!burst.bytes.empty()) {
    observer_.on_error_output(burst.bytes);  // may have destroyed us; the end is seen later
  } else if (burst.at_end) {
    errors_.close();
    end_if_done();
  }
}

void StreamSource::on_reaped(pty::ExitStatus status) {
  status_ = status;
  phase_ = Phase::kDraining;
  if (status.left != 0) return end();
  if (!paused_) drain_.start(kDrainAgentMs, [this] { end(); });
  end_if_done();
}

void StreamSource::end_if_done() {
  if (phase_ == Phase::kDraining && !talk_open_ && !errors_.valid()) end();
}

// A process that the agent left behind may still hold the output open and close it later: that must
// not be reported as a second end.
void StreamSource::end() {
  phase_ = Phase::kEnded;
  errors_.close();
  talk_.pause_reading();
  drain_.stop();
  const pty::ExitStatus status = status_;
  observer_.on_end(status);
}

}  // namespace orch::session
