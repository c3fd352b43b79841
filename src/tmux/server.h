#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "pane/tool.h"

namespace orch::tmux {

// The tmux server that orch's sessions are in: one of its own, apart from the user's, which reads
// no configuration file.
struct Server {
  std::string program = "tmux";
  std::string label = "orch";  // of its socket (tmux -L)

  // tmux, with these words.
  std::vector<std::string> command(const std::vector<std::string>& words) const;
};

// What a target means by itself, and not as the beginning of another name: "=orch-42@1a2b3c4d:".
std::string exactly(const std::string& session);

// What tmux needs of this process's environment, and what a shell in one of its windows needs to
// come up. The server keeps it, and shows it to whoever asks: no tokens.
std::vector<std::string> environment_for_tmux(const std::vector<std::string>& own);

// Labels that mean a file in tmux's own folder, and session names that mean themselves.
bool is_label(const std::string& label);

// Runs tmux with these words; see pane::run_tool().
base::Result<pane::Answered> ask(const Server& server, const std::vector<std::string>& words);

// Removes a session of which nothing lives, if there is one: true when there is none any more.
bool remove_dead(const Server& server, const std::string& session);

}  // namespace orch::tmux
