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

// The programs and folders that the managers use.
struct Tools {
  std::string state_dir;
  std::string orch;  // path of this program, which runs in panes and attaches to sessions
  tmux::Server tmux;
};

enum class Access : uint8_t { kInteractive, kReadOnly };

// Holds the agents of sessions: on orch's own ptys (native), or in the panes of a multiplexer.
// Whichever holds the agent, every session has a host, an orch that drives the agent and serves the
// session's socket; so everything that a host can answer is asked in the same way, and each manager
// adds only what it knows itself: a pane that was left, and how a person attaches. Keys are those
// of the session files ("orch-42@1a2b3c4d"). These calls are made for commands, and may block for
// some milliseconds.
class SessionManager {
 public:
  virtual ~SessionManager() = default;
  virtual Kind kind() const = 0;

  // The source that runs the agent of a new session with this key.
  virtual session::SourceFactory create(const std::string& key) const = 0;
  // The same for one of several agents of this process that a person looks at together: a tile of
  // the session with this name, with a title above it (both consist of letters, digits, '-' and
  // '_'). `attach(session, ...)` shows all tiles. Only tmux has tiles; elsewhere this is
  // create(key).
  virtual session::SourceFactory create_tile(const std::string& key, const std::string& session,
                                             const std::string& title) const = 0;
  // The variables that the agent needs for its terminal.
  virtual std::map<std::string, std::string> environment() const = 0;

  // The sessions of this manager, including those that failed and are kept.
  virtual std::vector<store::SessionRecord> list() const = 0;
  virtual bool is_running(const std::string& key) const = 0;
  // The session's last rows that are not empty, at most so many, without colours.
  virtual base::Result<std::string> output(const std::string& key, size_t last_rows) const = 0;
  // Follows the bytes that the agent writes from now on; see client::Client.
  virtual base::Result<std::unique_ptr<client::Client>> stream(
      loop::Loop& loop, const std::string& key, client::Follower& follower) const = 0;
  // The command that shows the session on a person's terminal.
  virtual std::vector<std::string> attach(const std::string& key, Access access) const = 0;
  // Ends a session, or removes what is left of one that has ended.
  virtual base::Status kill(const std::string& key) const = 0;
};

std::unique_ptr<SessionManager> make_manager(Kind kind, Tools tools);

}  // namespace orch::manager
