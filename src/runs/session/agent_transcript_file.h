#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/manifest.h"
#include "base/fd.h"
#include "driver/agent_record.h"
#include "session/record_search.h"
#include "sqlite/row_reader.h"
#include "store/time_text.h"

namespace orch::session {

// Finds and reads the session file (the agent's own transcript) or session database that the agent
// of this run keeps.
// Nothing here can fail: a file that is missing, unreadable or not understood counts as absent.
// Symbolic links below the agent's home are not followed, only regular files are opened, and the
// work is bounded, so it may be done in the loop's thread. A database may take sqlite::kQueryMs
// once, and is not read again after that.
class AgentTranscriptFile {
 public:
  // `environment` (K=V each) and `cwd` are the agent's. `program` is this orch, as
  // sqlite::RowReader wants it.
  AgentTranscriptFile(adapters::RecordSpec spec, const std::vector<std::string>& environment,
                      const std::string& cwd, const std::string& program);

  // Reads the turn that a user's message began, from the newest file that was written since `typed`
  // and whose last message has the same text. `typed` must lie before the message was sent, and at
  // least 0.1 s after the agent's last write of an earlier turn, so that an earlier message with
  // the same words is not taken for it. At most the last 1 MB is read: a longer turn lacks its
  // beginning, and is found only if read() has found it once while it was shorter.
  std::optional<driver::RecordedTurn> read(std::string_view message, store::TimePoint typed);

  // The agent was started with this session id: a file with another id belongs to another run,
  // whatever it contains. "": the id is not known.
  void expect(std::string session) { expected_ = std::move(session); }

  // The agent's own session, as the file that read() has found names it.
  struct OwnSession {
    std::string id;       // a UUID; from a database, any id that can be an argument
    std::string version;  // of the running agent; "" if the file does not say it
  };
  const std::optional<OwnSession>& session() const { return session_; }

 private:
  // A message, and the file where its turn was seen to begin.
  struct Begun {
    std::string message;
    store::TimePoint typed;
    std::pair<dev_t, ino_t> file;
  };
  std::vector<FoundRecord> find(store::TimePoint since) const;
  std::string read_end(const FoundRecord& file, store::TimePoint since, off_t most);
  bool is_answer(const driver::RecordedTurn& turn, std::string_view message, store::TimePoint typed,
                 std::pair<dev_t, ino_t> file);
  void take_session(const Begun& begun, const base::Fd& file, std::string_view end);

  adapters::RecordSpec spec_;
  std::string cwd_;   // without symbolic links, as agents get it from the system
  std::string home_;  // "": the agent keeps no session files
  sqlite::RowReader rows_;
  bool is_expected(const base::Fd& file) const;

  std::string expected_;
  std::optional<Begun> begun_;
  std::optional<OwnSession> session_;
  std::pair<dev_t, ino_t> session_file_;
};

}  // namespace orch::session
