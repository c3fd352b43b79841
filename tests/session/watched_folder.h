#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "store/temporary_folder.h"

// The folder of one test, with files in it. The destructor removes it.
class WatchedFolder {
 public:
  std::string path() const { return folder_.path(); }
  std::string operator/(const std::string& name) const { return path() + "/" + name; }

  std::string write(const std::string& name, const std::string& text) const {
    std::string path = *this / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

 private:
  orch::store::TemporaryFolder folder_ = orch::store::TemporaryFolder::make("watch").value();
};
