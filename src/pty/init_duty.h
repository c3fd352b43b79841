#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pty/child.h"

// The init process itself, and the messages between it and its host (init.h): packets on a socket.
namespace orch::pty {

// The process that an init has to start.
struct InitOrder {
  std::string cwd;  // "": that of the init
  std::vector<std::string> argv;
};
// Converts the order to words of a command line, "CWD -- ARGV...", and back.
std::vector<std::string> to_words(const InitOrder& order);
std::optional<InitOrder> order_in(std::span<const std::string> words);

// The messages of the init: first, once, which process was started or why none was; then how it
// ended.
std::string start_answer(const base::Result<pid_t>& started);
base::Result<pid_t> read_start_answer(std::string_view message);
std::string end_message(ExitStatus end);
std::optional<ExitStatus> read_end(std::string_view message);
constexpr size_t kMaxInitMessage = 4096;  // longer texts are cut

// The host's message that the init may reap the agent.
constexpr char kLetGo = 'r';
// When the host sends this signal, the init ends everything below it and then itself.
constexpr int kEndOrder = SIGTERM;

// Starts the program of the order on `place`, which is a terminal, or otherwise a socket for its
// input and output, with our error output; in a session of its own and with this process's
// environment. Then acts as its init: reaps its orphans, reports its end to the host on `talk`, and
// ends everything that descends from it when the host says so or is gone; in the latter case the
// processes get 2 s to end at the guardian's request (guard_duty.h). Ignores every other signal
// except SIGKILL and SIGSTOP; if it was stopped, the host's death makes it continue. Returns when
// no process is left.
void serve_as_init(int talk, int place, const InitOrder& order);

}  // namespace orch::pty
