#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "loop/watched_fd.h"
#include "mux/tmux/control_parser.h"
#include "pty/child.h"
#include "pty/transfer.h"

namespace orch::loop {
class Loop;
}

namespace orch::mux::tmux {

// Receives tmux's reports. Calls come from the loop, or from inside wait_for_more(). Only calls of
// on_caught_up() and on_closed() that come from the loop may destroy the client.
class ControlObserver {
 public:
  virtual ~ControlObserver() = default;
  virtual void on_pane_output(std::string_view pane, std::string_view bytes) = 0;
  virtual void on_notice(std::string_view name, std::string_view rest) = 0;
  virtual void on_caught_up() = 0;  // everything so far has been reported
  // The last call: tmux has detached this client, or tmux is gone; `why` is one line.
  virtual void on_closed(const std::string& why) = 0;
};

// `tmux -C` on two pipes: a client of a tmux server that gets the output of one session and sends
// commands to the server. The destructor detaches the client; the session stays.
class ControlClient final : private ControlSink {
 public:
  // Gets the answers to one line of commands: a block for each command that was carried out. If the
  // last block is an error, the line's remaining commands were not carried out.
  using OnAnswer = std::function<void(const std::vector<Block>&)>;

  // `argv` is the whole command line. Errors are those of spawn_child().
  static base::Result<std::unique_ptr<ControlClient>> start(loop::Loop& loop,
                                                            const std::vector<std::string>& argv,
                                                            const std::string& cwd,
                                                            const std::vector<std::string>& env,
                                                            ControlObserver& observer);
  ~ControlClient() override;
  ControlClient(const ControlClient&) = delete;
  ControlClient& operator=(const ControlClient&) = delete;

  // Sends a line (from command_text.h), which must not be empty and contains `commands` commands.
  // Never waits.
  void send(const std::string& line, size_t commands = 1, OnAnswer on_answer = nullptr);

  // Only before watch(): waits up to `timeout_ms` for more output from tmux, or until `other` can
  // be read. For a start that has to be waited for.
  void wait_for_more(int other, int64_t timeout_ms);
  // From now on the loop reads tmux's output.
  void watch();

  bool attached() const { return attached_; }  // to a session of the server
  bool closed() const { return closed_; }
  // The error that tmux reported about its own command line, or its last words; "" if there are
  // none.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Awaited {
    size_t commands;
    OnAnswer on_answer;
    std::vector<Block> blocks;
  };

  ControlClient(loop::Loop& loop, pid_t pid, base::Fd in, base::Fd out, ControlObserver& observer);
  void on_pane_output(std::string_view pane, std::string_view bytes) override;
  void on_block(Block block) override;
  void on_notice(std::string_view name, std::string_view rest) override;
  void read();
  void write();
  void close();

  ControlObserver& observer_;
  loop::WatchedFd in_, out_;
  ControlParser parser_;
  pty::WriteQueue queue_;
  std::deque<Awaited> awaited_;
  std::string trouble_;
  bool attached_ = false;
  bool closed_ = false;
  bool watched_ = false;
  pty::Child child_;
};

}  // namespace orch::mux::tmux
