#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pty/pty.h"
#include "session/source.h"

namespace orch::session {

// The source of an agent that orch itself starts, as a child process on a pty.
class PtySource final : public Source, private pty::Observer {
 public:
  // Errors are those of Pty::spawn().
  static base::Result<std::unique_ptr<Source>> spawn(loop::Loop& loop, const pty::SpawnPlan& plan,
                                                     SourceObserver& observer);

  void write(std::string bytes) override { pty_->write(std::move(bytes)); }
  void resize(int cols, int rows) override { pty_->resize(cols, rows); }
  void pause() override { pty_->pause_reading(); }
  void resume() override { pty_->resume_reading(); }
  void stop(StopOrder order) override;
  pid_t pid() const override { return pty_->pid(); }
  size_t unwritten_bytes() const override { return pty_->queued_bytes(); }
  bool canonical() const override { return pty_->canonical(); }
  bool asks_secret() const override { return pty_->asks_secret(); }

 private:
  explicit PtySource(SourceObserver& observer) : observer_(observer) {}
  void on_output(std::string_view bytes) override { observer_.on_output(bytes); }
  void on_end(pty::ExitStatus status) override { observer_.on_end(status); }

  SourceObserver& observer_;
  std::unique_ptr<pty::Pty> pty_;
};

}  // namespace orch::session
