#include "session/usage_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>

#include "base/path.h"
#include "base/text.h"
#include "base/uuid.h"
#include "driver/agent_record.h"
#include "pty/process_table.h"
#include "session/record_search.h"

namespace orch::session {
namespace {

using base::Fd;

constexpr off_t kMostPerRead = 4 << 20;   // bytes of one file
constexpr off_t kMostPerLook = 16 << 20;  // bytes of all files; the rest comes at the next look
// A file that is already longer when it is found belongs to a session of earlier runs, and only its
// end can be this run's: the part before that end is skipped.
constexpr off_t kMostAtFirst = 8 << 20;
constexpr off_t kBeginning = 64 << 10;  // bytes at a file's start that name its session
constexpr size_t kMostFiles = 64;
constexpr size_t kMostSessions = 32;
constexpr size_t kMostProcesses = 256;
constexpr size_t kMostDescriptors = 8192;  // of all these processes, in one look
constexpr size_t kShortId = 8;  // characters of a session's id that some file names contain

std::string replaced(std::string text, std::string_view word, std::string_view with) {
  for (size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + with.size())) {
    text.replace(at, word.size(), with);
  }
  return text;
}

// The agent's process and its descendants.
std::vector<pid_t> tree_of(pid_t agent) {
  const std::vector<pty::ProcessEntry> all = pty::living_processes();
  std::vector<pid_t> tree{agent};
  for (size_t i = 0; i < tree.size() && tree.size() < kMostProcesses; ++i) {
    for (const pty::ProcessEntry& process : all) {
      if (process.parent == tree[i]) tree.push_back(process.pid);
    }
  }
  return tree;
}

std::string target_of(int folder, const char* name) {
  std::array<char, PATH_MAX> target{};
  const ssize_t length = readlinkat(folder, name, target.data(), target.size());
  return length > 0 ? std::string(target.data(), static_cast<size_t>(length)) : "";
}

}  // namespace

UsageFiles::UsageFiles(const adapters::RecordSpec& spec,
                       const std::vector<std::string>& environment, const std::string& cwd,
                       store::TimePoint started)
    : spec_(spec),
      cwd_(without_links(cwd)),
      home_(without_links(record_home(spec, environment))),
      started_(started),
      sum_(spec, store::rfc3339_utc(started)) {}

void UsageFiles::find(pid_t agent, const std::string& session) {
  if (home_.empty() || !spec_.usage.any()) return;
  learn_session(session);
  if (agent > 0) ask_process(agent);
  for (const std::string& id : sessions_) {
    for (const std::string& pattern : spec_.usage.files) {
      const std::string named = replaced(replaced(pattern, "{session}", id), "{session8}",
                                         std::string_view(id).substr(0, kShortId));
      for (FoundRecord& file : find_records(home_, named, cwd_, started_)) {
        if (is_of(file.fd, id)) add(file.id, std::move(file.fd));
      }
    }
  }
  if (agent > 0 && !spec_.usage.open.empty()) find_open(agent);
}

void UsageFiles::learn_session(const std::string& id) {
  if (!base::is_uuid(id) || sessions_.size() == kMostSessions) return;
  if (std::find(sessions_.begin(), sessions_.end(), id) == sessions_.end()) sessions_.push_back(id);
}

// An agent may begin another session at any time; it says so in a file that it keeps for its
// process.
void UsageFiles::ask_process(pid_t agent) {
  const adapters::RecordSpec::Usage& usage = spec_.usage;
  if (usage.process_file.empty()) return;
  const std::string path = replaced(usage.process_file, "{pid}", std::to_string(agent));
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : "/" + path.substr(0, slash);
  const Fd opened(open((home_ + folder).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.valid()) return;
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const Fd file = open_in(opened, name, 0);
  if (!file.valid()) return;
  const driver::AgentJson json =
      driver::parse_agent_json(read_part(file, Part::kBeginning, kBeginning));
  const std::string* id = driver::text_of(json, usage.process_session);
  if (id != nullptr) learn_session(*id);
}

void UsageFiles::find_open(pid_t agent) {
  size_t left = kMostDescriptors;
  for (const pid_t process : tree_of(agent)) find_open_of(process, left);
}

void UsageFiles::find_open_of(pid_t process, size_t& left) {
  const std::string folder = "/proc/" + std::to_string(process) + "/fd";
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  if (entries == nullptr) return;
  while (const dirent* entry = left == 0 ? nullptr : readdir(entries.get())) {
    --left;
    const std::string target = target_of(dirfd(entries.get()), entry->d_name);
    const size_t slash = target.rfind('/');
    if (slash == std::string::npos || !base::is_within(target, home_)) continue;
    if (fnmatch(spec_.usage.open.c_str(), target.c_str() + slash + 1, FNM_PERIOD) != 0) continue;
    Fd file(
        openat(dirfd(entries.get()), entry->d_name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat info {};
    if (!file.valid() || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    add({info.st_dev, info.st_ino}, std::move(file));
  }
}

bool UsageFiles::is_of(const Fd& file, const std::string& session) const {
  return driver::read_session(spec_, read_part(file, Part::kBeginning, kBeginning)).id == session;
}

void UsageFiles::add(std::pair<dev_t, ino_t> id, Fd fd) {
  const auto same = [&id](const File& file) { return file.id == id; };
  if (files_.size() == kMostFiles || std::any_of(files_.begin(), files_.end(), same)) return;
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) return;
  File file{.id = id, .fd = std::move(fd), .at = 0, .lines = {}};
  if (info.st_size > kMostAtFirst) {
    file.at = info.st_size - kMostAtFirst;
    file.lines.begin_inside();
  }
  files_.push_back(std::move(file));
}

void UsageFiles::read(const std::function<void(std::string_view)>& on_line) {
  std::array<char, 64 << 10> bytes;
  off_t all = kMostPerLook;
  // Begins where the last look ended, so that no file can keep the others from being read.
  const size_t first = files_.empty() ? 0 : next_ % files_.size();
  for (size_t n = 0; n < files_.size() && all > 0; ++n) {
    next_ = (first + n) % files_.size();
    File& file = files_[next_];
    for (off_t left = std::min(kMostPerRead, all); left > 0;) {
      const ssize_t got = pread(file.fd.get(), bytes.data(), bytes.size(), file.at);
      if (got <= 0) break;
      file.at += got;
      left -= got;
      all -= got;
      file.lines.feed({bytes.data(), static_cast<size_t>(got)},
                      [this, &on_line](std::string_view line) {
                        sum_.take(line);
                        if (on_line) on_line(line);
                      });
    }
  }
}

}  // namespace orch::session
