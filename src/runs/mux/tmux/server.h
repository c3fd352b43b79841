#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "mux/tool.h"

namespace orch::mux::tmux {

// The tmux server that holds orch's sessions: one of orch's own, apart from the user's, which reads
// no configuration file.
struct Server {
  std::string program = "tmux";
  std::string label = "orch";  // names its socket (tmux -L)

  // The command line of tmux with these words.
  std::vector<std::string> command(const std::vector<std::string>& words) const;
};

// A target that means only this session, not one whose name begins with the same text:
// "=orch-42@1a2b3c4d:".
std::string exactly(const std::string& session);

// The variables of `own` that tmux needs, and that a shell in one of its windows needs to start.
// The server keeps them and shows them to anyone who asks, so they contain no tokens.
std::vector<std::string> environment_for_tmux(const std::vector<std::string>& own);

// Whether the label names a file in tmux's own folder, without a path or an option in it.
bool is_label(const std::string& label);

// Runs tmux with these words; see mux::run_tool().
base::Result<mux::Answered> ask(const Server& server, const std::vector<std::string>& words);

// Removes a session without a living pane; returns true when the session does not exist any more.
bool remove_dead(const Server& server, const std::string& session);

}  // namespace orch::mux::tmux
