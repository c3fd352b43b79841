#include "base/own_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "base/author.h"
#include "base/text.h"

namespace orch::base {
namespace {

// The path without symbolic links; "" if nothing is there.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : std::string();
}

bool is_program(const std::string& file) {
  struct stat info {};
  return ::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(file.c_str(), X_OK) == 0;
}

// The absolute folders of $PATH.
std::vector<std::string> folders() {
  const char* value = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): no thread sets it
  std::vector<std::string> out;
  for (const std::string_view folder : split(value == nullptr ? "" : value, ':')) {
    if (folder.starts_with('/')) out.emplace_back(folder);
  }
  return out;
}

}  // namespace

std::string folder_of_agents_with(const std::string& program) {
  const size_t slash = program.rfind('/');
  const std::string folder =
      real_path(slash == std::string::npos ? "." : program.substr(0, slash + 1));
  std::string place = folder.empty() ? "" : folder_of_agents(folder);
  return place.empty() ? folder_of_agents(real_path(program)) : place;
}

Result<std::string> own_program(std::string_view name) {
  for (const std::string& folder : folders()) {
    std::string file = folder + "/" + std::string(name);
    if (!is_program(file)) continue;
    const std::string place = folder_of_agents_with(file);
    if (place.empty()) return file;
    return usage_error(
        printable(file) + " lies in " + printable(place) +
        ", where agents may write: orch does not start it; take its folder off PATH");
  }
  return Error{ErrorCode::kNotFound, printable(name) + " is not installed"};
}

std::string own_path_variable() {
  std::string path;
  for (const std::string& folder : folders()) {
    const std::string real = real_path(folder);
    if (real.empty() || !folder_of_agents(real).empty()) continue;
    path += (path.empty() ? "" : ":") + folder;
  }
  return path;
}

}  // namespace orch::base
