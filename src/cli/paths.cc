#include "cli/paths.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>

#include "store/run_dir.h"

namespace orch::cli {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value == nullptr ? "" : value;
}

base::Result<std::string> state_dir_of(const std::optional<std::string>& argument) {
  return store::state_dir({.argument = argument,
                           .orch_state_dir = environment("ORCH_STATE_DIR"),
                           .xdg_state_home = environment("XDG_STATE_HOME"),
                           .home = environment("HOME")});
}

base::Result<std::string> read_text(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::error_code failure;
  if (fs::is_directory(path, failure)) {
    return base::usage_error("cannot read " + path + ": Is a directory");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return base::usage_error("cannot read " + path + ": " + std::generic_category().message(errno));
  }
  return std::string(std::istreambuf_iterator<char>(in), {});
}

base::Result<std::string> resolve_folder(const std::string& path) {
  std::error_code failure;
  const fs::path folder = fs::canonical(path, failure);
  if (failure) return base::usage_error("folder " + path + ": " + failure.message());
  if (!fs::is_directory(folder, failure)) {
    return base::usage_error("folder " + path + ": Not a directory");
  }
  return folder.string();
}

std::string repository_of(const std::string& folder) {
  std::error_code failure;
  for (fs::path at = folder;; at = at.parent_path()) {
    if (fs::exists(at / ".git", failure)) return at.string();
    if (at == at.root_path() || at.empty()) return folder;
  }
}

base::Result<std::vector<adapters::ManifestFile>> user_manifests(const std::string& repository) {
  std::string config = environment("XDG_CONFIG_HOME");
  if (config.empty()) config = environment("HOME") + "/.config";
  std::vector<adapters::ManifestFile> files;
  for (const std::string& folder : {config + "/orch/adapters", repository + "/.orch/adapters"}) {
    std::error_code failure;
    std::vector<std::string> paths;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
      if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
    }
    std::sort(paths.begin(), paths.end());
    for (std::string& path : paths) {
      base::Result<std::string> text = read_text(path);
      if (!text) return text.error();
      files.push_back({std::move(path), std::move(text).value()});
    }
  }
  return files;
}

base::Result<std::string> own_path() {
  std::error_code failure;
  const fs::path path = fs::read_symlink("/proc/self/exe", failure);
  if (failure) return base::system_error("/proc/self/exe", failure.value());
  return path.string();
}

}  // namespace orch::cli
