#include "session/config_watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "base/pattern.h"
#include "base/sha256.h"
#include "base/text.h"
#include "driver/json_way.h"
#include "session/git_config.h"
#include "store/file_io.h"

namespace orch::session {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostWatchedBytes = 4 << 20;  // of one file; larger ones: only marks_of() counts
constexpr size_t kMostBytesOfAll = 64 << 20;   // of a folder's files; the rest: marks_of() counts
constexpr size_t kMostEntries = 100'000;       // of a folder
constexpr int kDepth = 6;

// The result of lstat or stat; nullopt: the file does not exist.
using Found = std::optional<struct stat>;

Found found(const std::string& path, decltype(&::lstat) look) {
  struct stat info {};
  return look(path.c_str(), &info) == 0 ? Found(info) : std::nullopt;
}

bool is_missing(int error) { return error == ENOENT || error == ENOTDIR; }

// Tells apart two versions of a file that is not read: by its size, inode and change time (ctime),
// which a program that writes to the file cannot set.
std::string marks_of(const struct stat& info) {
  return std::to_string(info.st_size) + " bytes, inode " + std::to_string(info.st_ino) + ", of " +
         std::to_string(info.st_ctim.tv_sec) + "." + std::to_string(info.st_ctim.tv_nsec);
}

std::string_view name_of_kind(mode_t mode) {
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

std::string target_of(const std::string& link) {
  std::error_code failure;
  return "a link to " + fs::read_symlink(link, failure).string();
}

std::string text_of_file(const std::string& path, const struct stat& info) {
  base::Result<std::string> text = store::read_regular_file(path, kMostWatchedBytes);
  return text ? std::move(text).value() : "not read: " + marks_of(info);
}

// Everything in a folder, sorted by name, one line for each entry.
class FolderText {
 public:
  explicit FolderText(const std::string& folder) { add_folder(folder, 0); }
  std::vector<std::string> lines() && { return std::move(lines_); }

 private:
  void add_folder(const std::string& folder, int depth) {
    std::vector<std::string> paths;
    std::error_code failure;
    fs::directory_iterator entry(folder, failure);
    while (!failure && entry != fs::directory_iterator() && paths.size() < kMostEntries) {
      paths.push_back(entry->path().string());
      entry.increment(failure);
    }
    if (failure) lines_.push_back(folder + ": " + failure.message());
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) add(path, depth);
  }

  void add(const std::string& path, int depth) {
    Found info = found(path, &::lstat);
    if (!info || lines_.size() >= kMostEntries) return;
    if (S_ISLNK(info->st_mode)) {
      lines_.push_back(path + ": " + target_of(path));
      info = found(path, &::stat);
      if (!info || S_ISDIR(info->st_mode)) return;
    }
    if (S_ISDIR(info->st_mode)) {
      if (depth < kDepth) add_folder(path, depth + 1);
    } else {
      lines_.push_back(path + ": " + said_of(path, *info));
    }
  }

  // Whether a file is executable counts too: git ignores a hook that is not.
  std::string said_of(const std::string& path, const struct stat& info) {
    if (!S_ISREG(info.st_mode)) return std::string(name_of_kind(info.st_mode));
    const std::string may = (info.st_mode & 0111) != 0 ? "a program, " : "a file, ";
    if (bytes_ >= kMostBytesOfAll) return may + marks_of(info);
    const std::string text = text_of_file(path, info);
    bytes_ += text.size();
    return may + base::sha256_hex(text);
  }

  std::vector<std::string> lines_;
  size_t bytes_ = 0;
};

std::string members_of(const std::string& text, const std::vector<std::string>& members) {
  const driver::AgentJson json = driver::parse_agent_json(text, driver::JsonComments::kIgnored);
  if (!json.is_object()) return text;
  std::string counted;
  for (const std::string& member : members) {
    const auto found = json.find(member);
    if (found == json.end()) continue;
    counted += member + ": " + driver::as_json(*found) + "\n";
  }
  return counted;
}

std::string without_lines(const std::string& text, const std::string& ignore) {
  const base::Result<base::Pattern> pattern = base::Pattern::compile(ignore);
  if (!pattern) return text;
  std::string kept;
  for (const std::string_view line : base::split_lines(text)) {
    if (!pattern->matches(line)) kept.append(line).append("\n");
  }
  return kept;
}

std::vector<std::string> counting_lines(const ConfigWatch::Place& place, std::string text) {
  const adapters::FenceSpec::Watched& watched = place.watched;
  if (place.kind == ConfigWatch::Kind::kGitConfig) return settings_that_count(text);
  if (!watched.members.empty()) text = members_of(text, watched.members);
  if (!watched.ignore.empty()) text = without_lines(text, watched.ignore);
  return text.empty() ? std::vector<std::string>{} : std::vector{std::move(text)};
}

void append(std::vector<std::string>& all, std::vector<std::string> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

ConfigWatch::ConfigWatch(std::vector<Place> places) : places_(std::move(places)) {
  before_.reserve(places_.size());
  for (const Place& place : places_) before_.push_back(content_of(place));
}

ConfigWatch::Content ConfigWatch::content_of(const Place& place) {
  Content content;
  Found info = found(place.path, &::lstat);
  if (!info) return is_missing(errno) ? content : Content{"cannot be looked at"};
  if (S_ISLNK(info->st_mode)) {
    content.push_back(target_of(place.path));
    info = found(place.path, &::stat);
    if (!info) return content;
  }
  if (S_ISDIR(info->st_mode)) {
    if (place.kind != Kind::kGitLink) append(content, FolderText(place.path).lines());
  } else if (S_ISREG(info->st_mode)) {
    append(content, counting_lines(place, text_of_file(place.path, *info)));
  } else {
    content.emplace_back(name_of_kind(info->st_mode));
  }
  return content;
}

std::vector<std::string> ConfigWatch::changed() const {
  std::vector<std::string> paths;
  for (size_t i = 0; i < places_.size(); ++i) {
    const Content now = content_of(places_[i]);
    const bool leads_nowhere = places_[i].kind == Kind::kGitLink && now.empty();
    if (now != before_[i] && !leads_nowhere) paths.push_back(places_[i].path);
  }
  return paths;
}

}  // namespace orch::session
