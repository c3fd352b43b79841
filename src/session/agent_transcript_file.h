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

// Finds and reads the session file that the agent of this run keeps itself (its own transcript), or
// its database of sessions.
// Nothing here can fail: a file that is missing, unreadable or not understood is no record.
// Symbolic links below the agent's home are not followed, only regular files are opened, and the
// work is bounded, so it may be done in the loop's thread: a database may take sqlite::kQueryMs
// once, and is not read again after that.
class AgentTranscriptFile {
 public:
  // `environment` (K=V each) and `cwd` are those that the agent got. `program` is this orch, as
  // sqlite::RowReader wants it.
  AgentTranscriptFile(adapters::RecordSpec spec, const std::vector<std::string>& environment,
                      const std::string& cwd, const std::string& program);

  // Reads the turn that a message of the user began, from the newest file that was written since
  // `typed` and whose last message says the same. `typed` has to lie before the message was sent,
  // and at least 0.1 s after anything that the agent wrote of an earlier turn, so that an earlier
  // message with the same words is not taken for it. Of a turn longer than what is read (the last 1
  // MB) the beginning is missing, and it is found only if read() has found it once before it grew
  // so long.
  std::optional<driver::RecordedTurn> read(std::string_view message, store::TimePoint typed);

  // The agent was told to begin a session with this id: a file that names another one belongs to
  // another run, whatever it contains. "": it is not known which session the agent begins.
  void expect(std::string session) { expected_ = std::move(session); }

  // The agent's own session, as the file that read() has found names it.
  struct OwnSession {
    std::string id;       // a UUID
    std::string version;  // of the running agent; "" if the file does not say it
  };
  const std::optional<OwnSession>& session() const { return session_; }

 private:
  // A message, and the file in which its turn was seen to begin.
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
  std::string home_;  // "": the agent keeps no such files
  sqlite::RowReader rows_;
  bool is_expected(const base::Fd& file) const;

  std::string expected_;
  std::optional<Begun> begun_;
  std::optional<OwnSession> session_;
  std::pair<dev_t, ino_t> session_file_;
};

}  // namespace orch::session
