#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/fd.h"

// Finds out whether a peer is a process of the user's or one that an agent has started. An agent
// that could type keys would answer its own dialogs.
namespace orch::peer {

// The runs that a process is inside of. Found by two things that the process cannot change: its
// ancestors (every host is a subreaper, so all descendants of an agent keep a host above them,
// whatever they do to their parents, session and environment) and its control group; and by the
// marks in its environment, if it has kept them. A process is not an ancestor of itself.
struct RunsAround {
  struct Host {
    uint64_t start = 0;  // start time; with the pid it identifies a process for ever
    std::string run;     // the innermost run below the host that is known by its mark; "" if none
    bool allows_agents = false;
    bool operator==(const Host&) const = default;
  };
  std::map<pid_t, Host> hosts;  // the `orch run` processes among its ancestors
  // Runs known by marks and control groups that none of these hosts explains.
  std::set<std::string> runs;
  bool operator==(const RunsAround&) const = default;
};
// nullopt if unknown: the process is gone, is not in our /proc, or hides its environment.
std::optional<RunsAround> runs_around(pid_t pid);

// Whether an `orch run` with this command line (each word ended by a NUL) lets its processes act as
// the user who started it: --trust-agent was given, or it runs a command after -- without a fence.
bool allows_agents(std::string_view command_line, bool is_fenced);

// Whether the command line is that of `orch top`, of `orch` alone, which is the same, or of `orch
// mcp`: these run commands of orch on somebody's behalf, but are not hosts. Their own ancestors
// still count.
bool starts_commands(std::string_view command_line);

// Why `around` is not outside of every run: "this process belongs to run 2026...". "" if it is.
// Runs in `ours` do not count, because the host itself is in them, too. `self` is the host that
// asks, and `trusts` says whether it trusts its own agents.
std::string why_not_outside(const RunsAround& around, const RunsAround& ours, pid_t self,
                            bool trusts);

// The process at the other end of a connection, as it was when it connected.
class PeerProcess {
 public:
  explicit PeerProcess(const base::Fd& connection);

  // Why the peer may not change anything; "" if it may. `trusts_agent`: this session's run was
  // started with --trust-agent.
  std::string refusal(bool trusts_agent) const;

  // Whether the peer is a process of this run: the agent or one of its descendants.
  bool is_of(const std::string& run) const;

  // Whether it runs the same program as this process. Looked up when it is called.
  bool is_orch() const;

  pid_t pid() const { return pid_; }
  bool is_still_there() const;  // so findings about pid() are true of the peer

 private:
  pid_t pid_ = 0;  // 0: the peer is in a pid namespace that is not below ours
  uint64_t start_ = 0;
  base::Fd process_;  // from Linux 6.5; before that empty, and pid_ and start_ have to do
};

// The same for this process, for commands that act without asking a host.
std::string refusal_of_this_process();

}  // namespace orch::peer
