#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/fd.h"

// Who asks: a person, or something that an agent started? An agent that could type keys would
// answer its own dialogs.
namespace orch::host {

// The runs that a process is inside of. Told by what it cannot change: its ancestors - every host
// is a subreaper, so what an agent starts keeps a host above it whatever it does to its parents,
// session and environment - and its control group; and by the marks in the environments, where it
// left them. A process is itself no ancestor of its own.
struct RunsAround {
  struct Host {
    uint64_t start = 0;  // with its pid it names one process for ever
    std::string run;     // the innermost run below it that is known by its mark; ""
    bool stands_aside = false;
    bool operator==(const Host&) const = default;
  };
  std::map<pid_t, Host> hosts;  // `orch run`s among its ancestors
  std::set<std::string> runs;   // by marks and control groups that no such host explains
  bool operator==(const RunsAround&) const = default;
};
// Nothing when it cannot be told: the process is gone, is not in our /proc, or hides.
std::optional<RunsAround> runs_around(pid_t pid);

// Whether an `orch run` with this command line (each word ended by a NUL) lets its processes act as
// whoever started it: --trust-agent was given, or what it runs is no agent but a command after --.
bool stands_aside(std::string_view command_line);

// Whether it is that of `orch top`, of `orch` alone, which is the same, or of `orch mcp`: they do
// what somebody asks for by commands of orch. No host is called so; what is above them counts as
// ever.
bool starts_commands(std::string_view command_line);

// Why `around` is not outside of every run: "this process belongs to run 2026...". "" when it is,
// or when the runs are around `ours`, too, which is no host's business then. The host `self` is one
// that `trusts` its agents or not.
std::string why_not_outside(const RunsAround& around, const RunsAround& ours, pid_t self,
                            bool trusts);

// The other end of a connection, as it was when it connected.
class PeerProcess {
 public:
  explicit PeerProcess(const base::Fd& connection);

  // Why it may not change anything; "" when it may. `trusts_agent`: this session's run was started
  // with --trust-agent.
  std::string refusal(bool trusts_agent) const;

  pid_t pid() const { return pid_; }
  bool is_still_there() const;  // what was told of pid() before is told of the peer

 private:
  pid_t pid_ = 0;  // 0: in a pid namespace that is not below ours
  uint64_t start_ = 0;
  base::Fd process_;  // Linux 6.5; empty: its pid and start must do
};

// The same of this process, for commands that act without asking a host.
std::string refusal_of_this_process();

}  // namespace orch::host
