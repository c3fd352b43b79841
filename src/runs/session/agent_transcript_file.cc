#include "session/agent_transcript_file.h"

#include <algorithm>
#include <chrono>

#include "adapters/launch.h"
#include "base/log.h"
#include "base/text.h"
#include "base/uuid.h"

namespace orch::session {
namespace {

using store::TimePoint;

constexpr off_t kTail = 1 << 20;                  // bytes that are read of one file
constexpr off_t kMostBytes = 2 << 20;             // bytes that are read of all files
constexpr size_t kMaxRead = 8;                    // files that are read, the newest first
constexpr std::chrono::milliseconds kSlack{100};  // the clock of a file system may lag a bit behind

}  // namespace

AgentTranscriptFile::AgentTranscriptFile(adapters::RecordSpec spec,
                                         const std::vector<std::string>& environment,
                                         const std::string& cwd, const std::string& program)
    : spec_(std::move(spec)),
      cwd_(without_links(cwd)),
      home_(record_home(spec_, environment)),
      rows_(program) {}

std::optional<driver::RecordedTurn> AgentTranscriptFile::read(std::string_view message,
                                                              TimePoint typed) {
  if (home_.empty() || spec_.files.empty()) return std::nullopt;
  const TimePoint since = typed - kSlack;
  std::vector<FoundRecord> found = find(since);
  if (found.size() > kMaxRead) found.resize(kMaxRead);
  off_t left = kMostBytes;
  for (const FoundRecord& file : found) {
    if (left == 0) break;
    const std::string end = read_end(file, since, std::min(kTail, left));
    left -= static_cast<off_t>(end.size());
    if (end.empty() || !is_expected(file.fd)) continue;
    driver::RecordedTurn turn = driver::read_last_turn(spec_, end);
    if (!is_answer(turn, message, typed, file.id)) continue;
    take_session(*begun_, file.fd, end);
    return turn;
  }
  return std::nullopt;
}

// New rows of a database may be in its log alone, so the time of its file says little.
std::vector<FoundRecord> AgentTranscriptFile::find(TimePoint since) const {
  const bool database = !spec_.query.empty();
  return find_records(home_, spec_.files, cwd_, database ? TimePoint::min() : since);
}

// The last lines of the file, at most `most` bytes.
std::string AgentTranscriptFile::read_end(const FoundRecord& file, TimePoint since, off_t most) {
  if (spec_.query.empty()) return read_part(file.fd, Part::kEnd, most);
  const std::vector<FoundRecord> logs =
      find_records(home_, spec_.files + "-wal", cwd_, TimePoint::min());
  const base::Fd none;
  const auto since_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(since.time_since_epoch());
  const auto rows = rows_.read(file.fd, logs.empty() ? none : logs.front().fd, spec_.query,
                               {{":cwd", cwd_}, {":since", std::to_string(since_ms.count())}},
                               static_cast<size_t>(most));
  std::string lines;
  if (!rows) {  // no library, no table, written too often, or too slow: no record
    base::log_info("record", rows.error().text);
    return lines;
  }
  for (auto row = rows->rbegin(); row != rows->rend(); ++row) lines += *row + "\n";
  return lines;
}

bool AgentTranscriptFile::is_expected(const base::Fd& file) const {
  if (expected_.empty() || spec_.session.empty()) return true;
  const std::string id = driver::read_session(spec_, read_part(file, Part::kBeginning, kTail)).id;
  return id.empty() || id == expected_;
}

// The session's id is at the beginning of its file, or in every row of a database. If the agent has
// resumed an older session, the file also has lines with the version of that time, so only lines
// written since the message was typed show which version is running.
void AgentTranscriptFile::take_session(const Begun& begun, const base::Fd& file,
                                       std::string_view end) {
  const bool database = !spec_.query.empty();  // has the sessions that /new begins, too
  const bool known = !database && session_ && session_file_ == begun.file;
  if (known || spec_.session.empty()) return;
  OwnSession own;
  const driver::RecordedSession now = driver::read_session(spec_, end);
  own.id =
      database ? now.id : driver::read_session(spec_, read_part(file, Part::kBeginning, kTail)).id;
  if (database ? !adapters::is_session_id(own.id) : !base::is_uuid(own.id)) return;
  const std::optional<TimePoint> written = store::parse_rfc3339_utc(now.time);
  if (written && *written >= begun.typed - kSlack) own.version = base::printable(now.version);
  session_ = std::move(own);
  session_file_ = begun.file;
}

bool AgentTranscriptFile::is_answer(const driver::RecordedTurn& turn, std::string_view message,
                                    TimePoint typed, std::pair<dev_t, ino_t> file) {
  if (!turn.cwd.empty() && turn.cwd != cwd_) return false;
  if (!turn.message) {
    return begun_ && begun_->file == file && begun_->typed == typed && begun_->message == message;
  }
  if (!driver::same_words(*turn.message, message)) return false;
  const std::optional<TimePoint> written = store::parse_rfc3339_utc(turn.time);
  if (written && *written < typed - kSlack) return false;
  begun_ = Begun{std::string(message), typed, file};
  return true;
}

}  // namespace orch::session
