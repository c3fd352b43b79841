#include "scratch.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

ScratchFolder::ScratchFolder()
    : path_((std::filesystem::temp_directory_path() / "orch-store-XXXXXX").string()) {
  REQUIRE(::mkdtemp(path_.data()) != nullptr);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> ScratchFolder::entries() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

ReadOnlyFolder::ReadOnlyFolder(std::string path) : path_(std::move(path)) {
  REQUIRE(::chmod(path_.c_str(), 0555) == 0);
  if (::geteuid() == 0) nobody_.emplace();
}

ReadOnlyFolder::~ReadOnlyFolder() {
  nobody_.reset();
  ::chmod(path_.c_str(), 0700);
}

FileSizeLimit::FileSizeLimit(rlim_t bytes) {
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, before_.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

FileSizeLimit::~FileSizeLimit() {
  ::setrlimit(RLIMIT_FSIZE, &before_);
  std::signal(SIGXFSZ, SIG_DFL);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put_content(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  REQUIRE(file.flush());
}

bool exists(const std::string& path) { return std::filesystem::exists(path); }

mode_t mode_of(const std::string& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
}
