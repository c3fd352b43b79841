#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "loop/loop.h"
#include "loop/timer.h"
#include "pty/pty.h"
#include "pty/stop_ladder.h"
#include "sandbox/container.h"
#include "session/enclosure.h"
#include "session/source.h"

namespace orch::sandbox {

// The source of an agent that works in a container. The client that runs the agent there (docker
// exec) is a process of this machine on a pty or on pipes, but signals go to the processes in the
// container. The client is started once the container is up; bytes that are written before are
// kept. When the client has ended, everything else in the container is killed, and its exit code is
// reported once the container has answered, or soon after. A source that is destroyed while its
// agent lives also kills the agent, before another source starts its own.
class ContainerSource final : public session::Source,
                              private session::SourceObserver,
                              private ContainerObserver {
 public:
  // How the client runs: the function that makes its source, and whether it is on a terminal or on
  // pipes.
  struct Client {
    session::SourceFactory source;
    session::Enclosure::Talk talk = session::Enclosure::Talk::kTerminal;
  };
  // `plan` runs the client; `container` and `observer` must outlive this.
  ContainerSource(loop::Loop& loop, Container& container, Client client, const pty::SpawnPlan& plan,
                  session::SourceObserver& observer);
  ~ContainerSource() override;

  void write(std::string bytes) override;
  void finish_writing() override;
  void resize(int cols, int rows) override;
  void pause() override;
  void resume() override;
  void stop(session::StopOrder order) override;
  pid_t pid() const override { return inner_ ? inner_->pid() : 0; }  // the client's
  size_t unwritten_bytes() const override;

 private:
  enum class Phase : uint8_t {
    kWaiting,  // the container is not up yet
    kRunning,
    kSettling,  // the client has ended, and the container has to answer
    kLost,      // the container is gone
    kEnded,
  };

  void on_output(std::string_view bytes) override { observer_.on_output(bytes); }
  void on_error_output(std::string_view bytes) override { observer_.on_error_output(bytes); }
  void on_end(pty::ExitStatus status) override;
  void on_up() override;
  void on_lost(const std::string& why) override;
  void on_signalled() override;

  void climb(pty::StopEvent event);
  void signal(Signal signal);
  void end_client();
  void end_soon();

  loop::Loop& loop_;
  Container& container_;
  Client client_;
  pty::SpawnPlan plan_;
  session::SourceObserver& observer_;
  std::unique_ptr<session::Source> inner_;
  Phase phase_ = Phase::kWaiting;
  std::string waiting_;  // written before the container was up
  bool input_open_ = true, paused_ = false, client_ended_ = false;
  pty::ExitStatus status_;
  std::string quit_bytes_;
  std::optional<pty::StopLadder> ladder_;
  int signals_out_ = 0;
  loop::Timer deadline_, soon_;
};

}  // namespace orch::sandbox
