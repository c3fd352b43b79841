#include "session/refused_reads.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/path.h"
#include "fence/places.h"

namespace orch::session {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostPaths = 20;  // enough to notice an agent that lists the whole home
constexpr size_t kMostLine = 4096;

bool speaks_of_refusal(std::string_view line) {
  constexpr std::array<std::string_view, 9> kWords{
      "ermission denied", "o such file", "EACCES",    "ENOENT",     "annot access",
      "annot open",       "not found",   "not exist", "not be read"};
  return std::any_of(kWords.begin(), kWords.end(), [line](std::string_view word) {
    return line.find(word) != std::string_view::npos;
  });
}

// The words of a line that may be paths: they begin with /, ~/ or ../ and end at a blank, a quote
// or a colon.
std::vector<std::string> paths_in(std::string_view line) {
  constexpr std::string_view kBetween = " \t\"'`,:;()<>[]{}|=*";
  std::vector<std::string> paths;
  while (!line.empty()) {
    const size_t end = std::min(line.find_first_of(kBetween), line.size());
    std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    for (const std::string_view quote : {"‘", "’", "“", "”"}) {
      if (word.starts_with(quote)) word.remove_prefix(quote.size());
      if (word.ends_with(quote)) word.remove_suffix(quote.size());
    }
    while (word.ends_with('.') && !word.ends_with("..")) word.remove_suffix(1);
    if (word.starts_with('/') || word.starts_with("~/") || word.starts_with("../")) {
      paths.emplace_back(word);
    }
  }
  return paths;
}

// The path without links in its folders; "" if it does not exist.
std::string real_path(const fs::path& path) {
  std::error_code failure;
  const fs::path plain = path.lexically_normal();
  struct stat info {};
  if (::lstat(plain.c_str(), &info) != 0) return "";
  const fs::path folder = fs::canonical(plain.parent_path(), failure);
  return failure ? "" : (folder / plain.filename()).string();
}

}  // namespace

RefusedReads::RefusedReads(const fence::Plan& plan, std::string cwd)
    : homes_(plan.homes), secrets_(plan.secrets), cwd_(std::move(cwd)) {
  for (const fence::Grant& grant : plan.write) granted_.push_back(grant.path);
}

bool RefusedReads::is_refused(const std::string& path) const {
  if (path.empty() || !fence::is_in_one_of(homes_.emptied, path)) return false;
  const bool closed =
      fence::is_in_one_of(secrets_.closed, path) && !fence::is_in_one_of(secrets_.open, path);
  // A folder on the way to something that is shown can be listed.
  const auto leads_to = [&path](const std::string& shown) { return base::is_within(shown, path); };
  const bool listed = std::any_of(homes_.shown.begin(), homes_.shown.end(), leads_to) ||
                      std::any_of(granted_.begin(), granted_.end(), leads_to);
  return closed ||
         (fence::is_emptied(homes_, path) && !fence::is_in_one_of(granted_, path) && !listed);
}

std::vector<std::string> RefusedReads::look(std::string_view line, bool continues) {
  std::vector<std::string> found;
  if (homes_.emptied.empty()) return found;
  if (!continues) last_.clear();
  if (last_.size() < kMostLine) last_ += line.substr(0, kMostLine);
  if (!speaks_of_refusal(last_)) return found;
  for (const std::string& word : paths_in(last_)) {
    std::vector<fs::path> ways;
    if (word.starts_with('/')) ways.emplace_back(word);
    if (word.starts_with("../")) ways.push_back(fs::path(cwd_) / word);
    if (word.starts_with('~')) {
      for (const std::string& home : homes_.emptied) ways.push_back(home + word.substr(1));
    }
    for (const fs::path& way : ways) {
      std::string path = real_path(way);
      const bool told = std::find(paths_.begin(), paths_.end(), path) != paths_.end();
      if (told || paths_.size() >= kMostPaths || !is_refused(path)) continue;
      paths_.push_back(path);
      found.push_back(std::move(path));
    }
  }
  return found;
}

}  // namespace orch::session
