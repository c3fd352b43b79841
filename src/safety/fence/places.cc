#include "fence/places.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace orch::fence {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> those_in(const std::string& folder,
                                  const std::vector<std::string>& places) {
  std::vector<std::string> those;
  std::copy_if(places.begin(), places.end(), std::back_inserter(those),
               [&folder](const std::string& place) { return is_within(place, folder); });
  return those;
}

void take_apart(const std::string& folder, const std::vector<std::string>& places,
                const std::vector<std::string>& split, Remainder& out) {
  out.apart.push_back(folder);
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string path = entry->path().string();
    const std::vector<std::string> inner = those_in(path, places);
    if (std::find(inner.begin(), inner.end(), path) != inner.end()) continue;
    const std::vector<std::string> inner_split = those_in(path, split);
    const fs::file_status status = entry->symlink_status(failure);
    if (fs::is_symlink(status)) {
      out.links.push_back(path);
    } else if (fs::is_directory(status) && !(inner.empty() && inner_split.empty())) {
      take_apart(path, inner, inner_split, out);
    } else {
      out.kept.push_back(path);
    }
  }
}

}  // namespace

bool is_in_one_of(const std::vector<std::string>& places, std::string_view path) {
  return std::any_of(places.begin(), places.end(),
                     [path](const std::string& place) { return is_within(path, place); });
}

std::optional<std::string> resolved(const std::string& path) {
  std::error_code failure;
  const fs::path real = fs::canonical(path, failure);
  if (failure) return std::nullopt;
  return real.string();
}

Remainder all_but(const std::vector<std::string>& places, const std::string& root,
                  const std::vector<std::string>& split) {
  Remainder remainder;
  const std::vector<std::string> inner = those_in(root, places),
                                 inner_split = those_in(root, split);
  if (inner.empty() && inner_split.empty()) {
    remainder.kept.push_back(root);
  } else {
    take_apart(root, inner, inner_split, remainder);
  }
  return remainder;
}

}  // namespace orch::fence
