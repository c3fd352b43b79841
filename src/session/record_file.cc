#include "session/record_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <functional>
#include <memory>

#include "base/text.h"
#include "base/uuid.h"

namespace orch::session {
namespace {

using base::Fd;
using store::TimePoint;

constexpr off_t kTail = 1 << 20;                  // bytes that are read of a file
constexpr off_t kMostBytes = 2 << 20;             // ... and of all of them
constexpr size_t kMaxEntries = 8192;              // that a search looks at in all
constexpr size_t kMaxFolders = 400;               // ... of them folders, of one folder
constexpr size_t kMaxFiles = 64;                  // that were written since
constexpr size_t kMaxRead = 8;                    // ... of them the newest, which are read
constexpr size_t kMaxPath = PATH_MAX;             // of a folder, in a file
constexpr std::chrono::milliseconds kSlack{100};  // a file system's clock may lag behind a bit

// A file that was written since the message was typed.
struct Written {
  TimePoint when;
  std::pair<dev_t, ino_t> id;
  Fd fd;
};

// No path of several names: each is opened in its folder, so that none is a symbolic link.
Fd open_in(const Fd& folder, const std::string& name, int flags) {
  return Fd(openat(folder.get(), name.c_str(),
                   flags | O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

TimePoint time_of(const timespec& time) {
  const auto since = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  return TimePoint(std::chrono::duration_cast<TimePoint::duration>(since));
}

enum class Part : uint8_t { kBeginning, kEnd };

std::string read_part(const Fd& file, Part part, off_t most) {
  struct stat info {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return "";
  const off_t size = std::min(info.st_size, most);
  off_t at = part == Part::kBeginning ? 0 : info.st_size - size;
  std::string bytes(static_cast<size_t>(size), '\0');
  size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = pread(file.get(), bytes.data() + have, bytes.size() - have, at);
    if (got <= 0) break;
    have += static_cast<size_t>(got);
    at += got;
  }
  bytes.resize(have);
  return bytes;
}

// How agents name a folder after a path: what is neither letter nor digit is "-", once for each of
// its UTF-16 units.
std::string folder_name(std::string_view path) {
  std::string name;
  while (!path.empty()) {
    const base::Decoded decoded = base::decode_utf8(path);
    const auto c = static_cast<char>(path.front());
    const bool kept = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    name += kept ? std::string(1, c) : decoded.code_point > 0xFFFF ? "--" : "-";
    path.remove_prefix(decoded.length);
  }
  return name;
}

// One search for the files that a pattern names (adapters::RecordSpec::files).
class Search {
 public:
  Search(const std::string& cwd, TimePoint since) : cwd_(cwd), since_(since) {}

  void folder(const Fd& folder, std::string_view pattern) {
    if (!folder.valid()) return;
    const size_t slash = pattern.find('/');
    const std::string first(pattern.substr(0, slash));
    if (slash == std::string_view::npos) return files(folder, first);
    const std::string_view rest = pattern.substr(slash + 1);
    if (first == "{cwd}") return this->folder(open_folder(folder, folder_name(cwd_)), rest);
    const bool marked = first.starts_with('{') && first.ends_with('}');
    if (!marked && first.find('*') == std::string::npos) {
      return this->folder(open_folder(folder, first), rest);
    }
    const std::string mark = marked ? first.substr(1, first.size() - 2) : "";
    for (const std::string& name : names_in(folder, marked ? "*" : first, kMaxFolders)) {
      const Fd inner = open_folder(folder, name);
      if (inner.valid() && (!marked || is_marked(inner, mark))) this->folder(inner, rest);
    }
  }

  // The newest first.
  std::vector<Written> newest() && {
    std::sort(written_.begin(), written_.end(),
              [](const Written& a, const Written& b) { return a.when > b.when; });
    if (written_.size() > kMaxRead) written_.erase(written_.begin() + kMaxRead, written_.end());
    return std::move(written_);
  }

 private:
  static Fd open_folder(const Fd& folder, const std::string& name) {
    return open_in(folder, name, O_DIRECTORY);
  }

  bool is_marked(const Fd& folder, const std::string& mark) const {
    const Fd file = open_in(folder, mark, 0);
    return file.valid() && base::trim(read_part(file, Part::kEnd, kMaxPath)) == cwd_;
  }

  // The last `most` by name: many a name begins with a date.
  std::vector<std::string> names_in(const Fd& folder, const std::string& pattern, size_t most) {
    std::vector<std::string> names;
    Fd list(openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(list.get()), closedir);
    if (entries == nullptr) return names;
    list.release();
    while (const dirent* entry = readdir(entries.get())) {
      if (++entries_ > kMaxEntries) break;
      const std::string name = entry->d_name;
      if (fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0) names.push_back(name);
    }
    std::sort(names.begin(), names.end(), std::greater<>());
    if (names.size() > most) names.resize(most);
    return names;
  }

  void files(const Fd& folder, const std::string& pattern) {
    for (const std::string& name : names_in(folder, pattern, kMaxEntries)) {
      struct stat info {};
      if (fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (!S_ISREG(info.st_mode) || time_of(info.st_mtim) < since_) continue;
      if (written_.size() == kMaxFiles) return;
      Fd file = open_in(folder, name, 0);
      if (!file.valid()) continue;
      written_.push_back({time_of(info.st_mtim), {info.st_dev, info.st_ino}, std::move(file)});
    }
  }

  const std::string& cwd_;
  TimePoint since_;
  size_t entries_ = 0;  // looked at
  std::vector<Written> written_;
};

std::string value_of(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment) {
    const size_t sign = entry.find('=');
    if (sign != std::string::npos && std::string_view(entry).substr(0, sign) == name) {
      return entry.substr(sign + 1);
    }
  }
  return "";
}

// "$HOME/.codex": an absolute path, or "".
std::string home_of(const std::vector<std::string>& homes,
                    const std::vector<std::string>& environment) {
  for (const std::string& home : homes) {
    const size_t slash = std::min(home.find('/'), home.size());
    const std::string value = value_of(environment, std::string_view(home).substr(1, slash - 1));
    if (!value.empty()) return value.starts_with('/') ? value + home.substr(slash) : "";
  }
  return "";
}

std::string without_links(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         std::free);
  return real == nullptr ? path : real.get();
}

}  // namespace

RecordFile::RecordFile(adapters::RecordSpec spec, const std::vector<std::string>& environment,
                       const std::string& cwd)
    : spec_(std::move(spec)), cwd_(without_links(cwd)), home_(home_of(spec_.home, environment)) {}

std::optional<driver::RecordedTurn> RecordFile::read(std::string_view message, TimePoint typed) {
  if (home_.empty() || spec_.files.empty()) return std::nullopt;
  Search search(cwd_, typed - kSlack);
  search.folder(Fd(open(home_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), spec_.files);
  off_t left = kMostBytes;
  for (const Written& file : std::move(search).newest()) {
    if (left == 0) break;
    const std::string end = read_part(file.fd, Part::kEnd, std::min(kTail, left));
    left -= static_cast<off_t>(end.size());
    driver::RecordedTurn turn = driver::read_last_turn(spec_, end);
    if (!is_answer(turn, message, typed, file.id)) continue;
    take_session(*begun_, file.fd, end);
    return turn;
  }
  return std::nullopt;
}

// The session's id stands at the beginning of its file. A session that was taken up has lines of
// another version, too: only what was written since says which one runs.
void RecordFile::take_session(const Begun& begun, const Fd& file, std::string_view end) {
  const bool known = session_ && session_file_ == begun.file;
  if (known || spec_.session.empty()) return;
  OwnSession own;
  own.id = driver::read_session(spec_, read_part(file, Part::kBeginning, kTail)).id;
  if (!base::is_uuid(own.id)) return;
  const driver::RecordedSession now = driver::read_session(spec_, end);
  const std::optional<TimePoint> written = store::parse_rfc3339_utc(now.time);
  if (written && *written >= begun.typed - kSlack) own.version = base::printable(now.version);
  session_ = std::move(own);
  session_file_ = begun.file;
}

bool RecordFile::is_answer(const driver::RecordedTurn& turn, std::string_view message,
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
