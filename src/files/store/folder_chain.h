#pragma once

#include <string>
#include <vector>

namespace orch::store {

// The identity of a folder, whatever it is called: the device and inode of it and of each folder
// above it, the folder itself first. A folder keeps them when it is moved, and under the name of a
// link or of a bind mount; a device may get another number when the machine boots. Empty if the
// folder cannot be looked at.
std::vector<std::string> folder_chain(const std::string& path);

// A folder by its path, absolute and without links, and by its chain at some time.
struct FolderPlace {
  std::string path;
  std::vector<std::string> chain;
};
FolderPlace folder_place(const std::string& path);  // as it is now

// Whether one folder is the other, or is in it, by path or by chain.
bool overlap(const FolderPlace& one, const FolderPlace& other);

}  // namespace orch::store
