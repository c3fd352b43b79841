#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/client.h"
#include "manager/choice.h"
#include "session/source.h"
#include "store/session_file.h"
#include "tmux/server.h"

namespace orch::manager {

// What managers work with.
struct Tools {
  std::string state_dir;
  std::string orch;  // this program: it runs in panes, and attaches
  tmux::Server tmux;
};

enum class Access : uint8_t { kInteractive, kReadOnly };

// What holds the agents of sessions: orch's own terminals (native), or the panes of a multiplexer.
// Every session has a host, an orch that drives its agent and serves its socket, whichever holds
// the agent; so what can be asked of the host is asked the same way, and what only the manager
// knows - a pane that was left, how a person gets in - each knows for itself. Keys are those of the
// session files ("orch-42@1a2b3c4d"). These calls are a command's: they may block for some ms.
class SessionManager {
 public:
  virtual ~SessionManager() = default;
  virtual Kind kind() const = 0;

  // Where the agent of a new session with this key runs.
  virtual session::SourceFactory create(const std::string& key) const = 0;
  // The same for one of several agents of this process that a person looks at together: a tile of
  // the session of this name, with a title over it (both of them letters, digits, '-' and '_').
  // `attach(session, ...)` shows them all. Only tmux has tiles; elsewhere it is create(key).
  virtual session::SourceFactory create_tile(const std::string& key, const std::string& session,
                                             const std::string& title) const = 0;
  // What its terminal calls for in the agent's environment.
  virtual std::map<std::string, std::string> environment() const = 0;

  // Its sessions, those that failed and stay included.
  virtual std::vector<store::SessionRecord> list() const = 0;
  virtual bool is_running(const std::string& key) const = 0;
  // What stands there: the last rows that hold something, at most so many, without colours.
  virtual base::Result<std::string> output(const std::string& key, size_t last_rows) const = 0;
  // The bytes that the agent writes from now on; see client::Client.
  virtual base::Result<std::unique_ptr<client::Client>> stream(
      loop::Loop& loop, const std::string& key, client::Follower& follower) const = 0;
  // The command that shows the session on this terminal.
  virtual std::vector<std::string> attach(const std::string& key, Access access) const = 0;
  // Ends it, and removes what is left of one that had ended.
  virtual base::Status kill(const std::string& key) const = 0;
};

std::unique_ptr<SessionManager> make_manager(Kind kind, Tools tools);

}  // namespace orch::manager
