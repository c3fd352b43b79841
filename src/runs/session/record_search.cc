#include "session/record_search.h"

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

namespace orch::session {
namespace {

using base::Fd;
using store::TimePoint;

constexpr size_t kMaxEntries = 8192;   // that one search looks at in all
constexpr size_t kMaxFolders = 400;    // folders that are entered of one folder
constexpr size_t kMaxFiles = 64;       // that were written since the given time
constexpr size_t kMaxPath = PATH_MAX;  // bytes of a folder's path, as a file says it

TimePoint time_of(const timespec& time) {
  const auto since = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  return TimePoint(std::chrono::duration_cast<TimePoint::duration>(since));
}

// The name that agents give a folder after a path: every character but ASCII letters and digits
// becomes "-", one for each of its UTF-16 units.
std::string folder_name(std::string_view path) {
  std::string name;
  while (!path.empty()) {
    const base::Decoded decoded = base::decode_utf8(path);
    const auto c = static_cast<char>(path.front());
    const bool kept = base::is_letter_or_digit(c);
    name += kept ? std::string(1, c) : decoded.code_point > 0xFFFF ? "--" : "-";
    path.remove_prefix(decoded.length);
  }
  return name;
}

// Searches for the files that a pattern names (adapters::RecordSpec::files).
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
  std::vector<FoundRecord> newest() && {
    std::sort(written_.begin(), written_.end(),
              [](const FoundRecord& a, const FoundRecord& b) { return a.when > b.when; });
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

  // The names that match, but only the last `most` of them in order: many names begin with a date.
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
  size_t entries_ = 0;  // entries that were looked at so far
  std::vector<FoundRecord> written_;
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

}  // namespace

Fd open_in(const Fd& folder, const std::string& name, int flags) {
  return Fd(openat(folder.get(), name.c_str(),
                   flags | O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

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

std::string record_home(const adapters::RecordSpec& spec,
                        const std::vector<std::string>& environment) {
  for (const std::string& home : spec.home) {
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

std::vector<FoundRecord> find_records(const std::string& home, std::string_view pattern,
                                      const std::string& cwd, TimePoint since) {
  Search search(cwd, since);
  search.folder(Fd(open(home.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), pattern);
  return std::move(search).newest();
}

}  // namespace orch::session
