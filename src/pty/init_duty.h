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

// The init's own side, and what it and its host (init.h) say to each other: packets of a socket.
namespace orch::pty {

// What an init is to start.
struct InitOrder {
  std::string cwd;  // "" is the init's
  std::vector<std::string> argv;
};
// As words of a command line: "CWD -- ARGV...".
std::vector<std::string> to_words(const InitOrder& order);
std::optional<InitOrder> order_in(std::span<const std::string> words);

// Says, once, which process was started, or why none was; then how it ended.
std::string start_answer(const base::Result<pid_t>& started);
base::Result<pid_t> read_start_answer(std::string_view message);
std::string end_message(ExitStatus end);
std::optional<ExitStatus> read_end(std::string_view message);
constexpr size_t kMaxInitMessage = 4096;  // a longer text is cut

// The host lets the init reap the agent.
constexpr char kLetGo = 'r';
// This signal, if the host sends it, ends everything below the init and the init itself.
constexpr int kEndOrder = SIGTERM;

// Starts what the order says on `place`, a terminal or else a socket that is its input and its
// output, beside our error output; in a session of its own and with this process's environment. And
// is its init: reaps what it leaves behind, tells the host on `talk` how it ended,
// and ends everything that descends from it at the host's order, or when the host is gone: then 2 s
// are granted to what the guardian asks to end (guard_duty.h). It is deaf to every other signal but
// SIGKILL and SIGSTOP, and what stops it ends with the host's death. Returns when nothing is left.
void serve_as_init(int talk, int place, const InitOrder& order);

}  // namespace orch::pty
