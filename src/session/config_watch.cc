#include "session/config_watch.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/json.h"
#include "base/pattern.h"
#include "base/text.h"
#include "store/file_io.h"

namespace orch::session {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostBytes = 4 << 20;  // of a file; of a larger one only the size counts
constexpr int kMostFiles = 2'000;       // of a folder
constexpr int kDepth = 6;

std::string file_text(const std::string& path) {
  base::Result<std::string> text = store::read_file(path, kMostBytes);
  if (text) return std::move(text).value();
  std::error_code failure;
  const auto size = fs::file_size(path, failure);
  return failure ? "" : std::to_string(size);
}

std::string folder_text(const std::string& path) {
  std::vector<std::string> files;
  std::error_code failure;
  fs::recursive_directory_iterator entry(path, failure);
  for (; !failure && entry != fs::recursive_directory_iterator() && files.size() < kMostFiles;
       entry.increment(failure)) {
    if (entry.depth() >= kDepth) entry.disable_recursion_pending();
    if (entry->is_symlink(failure)) {
      files.push_back(entry->path().string() + "\n" +
                      fs::read_symlink(entry->path(), failure).string());
    } else if (entry->is_regular_file(failure)) {
      files.push_back(entry->path().string() + "\n" + file_text(entry->path().string()));
    }
  }
  std::sort(files.begin(), files.end());
  std::string text;
  for (const std::string& file : files) text += file + '\0';
  return text;
}

std::string members_of(const std::string& text, const std::vector<std::string>& members) {
  const base::Json json = base::Json::parse(text, nullptr, /*allow_exceptions=*/false, true);
  if (!json.is_object()) return text;
  base::Json counted;
  for (const std::string& member : members) {
    if (const auto found = json.find(member); found != json.end()) counted[member] = *found;
  }
  return base::json_line(counted);
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

std::string content(const adapters::FenceSpec::Watched& watched, const std::string& place) {
  std::error_code failure;
  if (fs::is_directory(place, failure)) return folder_text(place);
  std::string text = file_text(place);
  if (!watched.members.empty()) return members_of(text, watched.members);
  if (!watched.ignore.empty()) return without_lines(text, watched.ignore);
  return text;
}

}  // namespace

ConfigWatch::ConfigWatch(std::vector<Place> places) : places_(std::move(places)) {
  before_.reserve(places_.size());
  for (const Place& place : places_) before_.push_back(content(place.watched, place.path));
}

std::vector<std::string> ConfigWatch::changed() const {
  std::vector<std::string> paths;
  for (size_t i = 0; i < places_.size(); ++i) {
    if (content(places_[i].watched, places_[i].path) != before_[i]) {
      paths.push_back(places_[i].path);
    }
  }
  return paths;
}

}  // namespace orch::session
