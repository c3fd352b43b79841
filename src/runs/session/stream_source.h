#pragma once

#include "loop/loop.h"
#include "loop/stream.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"
#include "pty/child.h"
#include "pty/init.h"
#include "pty/pty.h"
#include "session/source.h"

namespace orch::session {

// The source of an agent without a terminal. One socket is its standard input and output, so that
// it can be handed to a run's init as a terminal would be; a pipe is its standard error.
class StreamSource final : public Source {
 public:
  // Errors are those of pty::start_on().
  static base::Result<std::unique_ptr<Source>> spawn(loop::Loop& loop, const pty::SpawnPlan& plan,
                                                     SourceObserver& observer);

  void write(std::string bytes) override;
  void finish_writing() override;
  void resize(int /*cols*/, int /*rows*/) override {}
  void pause() override;
  void resume() override;
  // The agent is asked to quit by the end of its input; the order's quit_bytes are not used.
  void stop(StopOrder order) override;
  pid_t pid() const override { return child_.pid(); }
  size_t unwritten_bytes() const override { return talk_.queued_bytes(); }

 private:
  StreamSource(loop::Loop& loop, base::Fd talk, base::Fd errors, pty::Started child,
               SourceObserver& observer);
  void watch_errors();
  void on_errors();
  void on_reaped(pty::ExitStatus status);
  void end_if_done();
  void end();

  SourceObserver& observer_;
  loop::Stream talk_;
  loop::WatchedFd errors_;  // closed at its end
  loop::Timer drain_;
  bool talk_open_ = true, paused_ = false, input_open_ = true;
  enum class Phase : uint8_t {
    kRunning,
    kDraining,  // the agent is reaped, but its output may still come
    kEnded,     // on_end() was called
  };
  Phase phase_ = Phase::kRunning;
  pty::ExitStatus status_;  // valid once reaped
  pty::Child child_;
};

}  // namespace orch::session
