#include "repo/file_class.h"

#include "repo/git_places.h"

namespace orch::repo {

namespace {

std::vector<std::string_view> paths_of(const Tree& tree) {
  std::vector<std::string_view> paths;
  paths.reserve(tree.entries.size());
  for (const TreeEntry& entry : tree.entries) paths.push_back(entry.path);
  return paths;
}

}  // namespace

FileClasses::FileClasses(const std::string& root, const Tree& tree) : git_folders_(paths_of(tree)) {
  for (const std::string& folder : git_folders_.all()) {
    // A folder that contains a git folder does not count as untracked. Otherwise its .git would be
    // left out together with a build folder in it.
    for (std::string_view at = folder; !at.empty(); at = parent_of(at)) {
      if (!tracked_folders_.insert(std::string(at)).second) break;
    }
    if (name_of(folder) == ".git") {
      if (const auto tracked = tracked_paths(joined(root, folder))) {
        add(std::string(parent_of(folder)), *tracked);
      }
    }
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
  if (const std::string* git = git_folders_.above(path)) {
    const std::string_view rest = git->empty() ? path : path.substr(git->size() + 1);
    return rest.starts_with("objects/") ? FileClass::kObject : FileClass::kGit;
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
