#include "store/folder_chain.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/path.h"

namespace orch::store {
namespace {

bool is_in(const FolderPlace& one, const FolderPlace& other) {
  if (base::is_within(one.path, other.path)) return true;
  return !other.chain.empty() &&
         std::find(one.chain.begin(), one.chain.end(), other.chain.front()) != one.chain.end();
}

}  // namespace

std::vector<std::string> folder_chain(const std::string& path) {
  std::vector<std::string> chain;
  for (std::filesystem::path at = path;; at = at.parent_path()) {
    struct stat info {};
    if (::stat(at.c_str(), &info) != 0) return {};
    chain.push_back(std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino));
    if (!at.has_relative_path()) return chain;
  }
}

FolderPlace folder_place(const std::string& path) { return {path, folder_chain(path)}; }

bool overlap(const FolderPlace& one, const FolderPlace& other) {
  return is_in(one, other) || is_in(other, one);
}

}  // namespace orch::store
