#include "repo/file_class.h"

#include "repo/git_places.h"

namespace orch::repo {

FileClasses::FileClasses(const std::string& root, const Tree& tree) {
  std::vector<std::string_view> paths;
  for (const TreeEntry& entry : tree.entries) paths.push_back(entry.path);
  for (std::string& folder : git_folders(paths)) {
    // A folder with one of git's is not an untracked one, or its .git went with its build folder.
    for (std::string_view at = folder; !at.empty(); at = parent_of(at)) {
      tracked_folders_.insert(std::string(at));
    }
    if (name_of(folder) == ".git") {
      if (const auto tracked = tracked_paths(joined(root, folder))) {
        add(std::string(parent_of(folder)), *tracked);
      }
    }
    git_folders_.insert(std::move(folder));
  }
}

void FileClasses::add(const std::string& base, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const std::string whole = joined(base, path);
    for (std::string_view at = parent_of(whole); !at.empty(); at = parent_of(at)) {
      if (!tracked_folders_.insert(std::string(at)).second) break;
    }
    tracked_.insert(whole);
  }
}

FileClass FileClasses::of(std::string_view path) const {
  for (std::string_view at = path;; at = parent_of(at)) {
    if (git_folders_.contains(std::string(at))) {
      const std::string_view rest = at.empty() ? path : path.substr(at.size() + 1);
      return rest.starts_with("objects/") ? FileClass::kObject : FileClass::kGit;
    }
    if (at.empty()) break;
  }
  return tracked_.contains(std::string(path)) ? FileClass::kTracked : FileClass::kOther;
}

std::string FileClasses::unit_of(std::string_view path) const {
  size_t slash = path.find('/');
  while (slash != std::string_view::npos) {
    std::string folder(path.substr(0, slash));
    if (!tracked_folders_.contains(folder)) return folder;
    slash = path.find('/', slash + 1);
  }
  return std::string(path);
}

}  // namespace orch::repo
