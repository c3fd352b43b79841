#include "fence/places.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace orch::fence {

namespace fs = std::filesystem;

namespace {

void take_apart(const std::string& folder, const std::vector<std::string>& left_out,
                std::vector<std::string>& out) {
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string path = entry->path().string();
    if (fs::is_symlink(entry->symlink_status(failure))) continue;
    const auto is_left_out = [&path](const std::string& secret) { return is_within(path, secret); };
    const auto holds_one = [&path](const std::string& secret) { return is_within(secret, path); };
    if (std::any_of(left_out.begin(), left_out.end(), is_left_out)) continue;
    if (std::any_of(left_out.begin(), left_out.end(), holds_one)) {
      take_apart(path, left_out, out);
    } else {
      out.push_back(path);
    }
  }
}

}  // namespace

std::optional<std::string> resolved(const std::string& path) {
  std::error_code failure;
  const fs::path real = fs::canonical(path, failure);
  if (failure) return std::nullopt;
  return real.string();
}

std::vector<std::string> all_but(const std::vector<std::string>& left_out) {
  if (left_out.empty()) return {"/"};
  std::vector<std::string> out;
  take_apart("/", left_out, out);
  return out;
}

}  // namespace orch::fence
