#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mux/manager_choice.h"
#include "mux/tmux/server.h"
#include "session/source.h"

namespace orch::mux {

// The programs that the managers use.
struct Tools {
  std::string orch;  // path of this program, which runs in panes and attaches to sessions
  tmux::Server tmux;
};

enum class Access : uint8_t { kInteractive, kReadOnly };

// Holds the agents of sessions: on orch's own ptys (native), or in the panes of a multiplexer. In
// either case every session has a host, an orch that drives the agent and serves the session's
// socket, which answers every question about the session (src/control/client). A manager adds only
// its own knowledge: where an agent runs, how a user gets in, and a pane that was left. Keys are
// those of the session files ("orch-42@1a2b3c4d"). These calls are made for commands, and may block
// for some milliseconds.
class SessionManager {
 public:
  virtual ~SessionManager() = default;

  // The source that runs the agent of a new session with this key.
  virtual session::SourceFactory create(const std::string& key) const = 0;
  // The same for one of several agents of this process that the user looks at together: a tile of
  // the session with this name, with a title above it (both consist of letters, digits, '-' and
  // '_'). `attach(session, ...)` shows all tiles. Only tmux has tiles; elsewhere this is
  // create(key).
  virtual session::SourceFactory create_tile(const std::string& key, const std::string& session,
                                             const std::string& title) const = 0;
  // The variables that the agent needs for its terminal.
  virtual std::map<std::string, std::string> environment() const = 0;
  // The command that shows the session on the user's terminal.
  virtual std::vector<std::string> attach(const std::string& key, Access access) const = 0;
  // Removes the leftover of a session that has ended: its dead pane.
  virtual void remove(const std::string& key) const = 0;
};

std::unique_ptr<SessionManager> make_manager(ManagerKind kind, Tools tools);

}  // namespace orch::mux
