#include "fence/places.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace orch::fence {

namespace fs = std::filesystem;

namespace {

// The places are those in the folder, and may be others.
void take_apart(const std::string& folder, const std::vector<std::string>& all, Remainder& out) {
  out.apart.push_back(folder);
  std::vector<std::string> places;
  std::copy_if(all.begin(), all.end(), std::back_inserter(places),
               [&folder](const std::string& place) { return is_within(place, folder); });
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string path = entry->path().string();
    const auto is_in = [&path](const std::string& place) { return is_within(path, place); };
    const auto is_above = [&path](const std::string& place) { return is_within(place, path); };
    if (std::any_of(places.begin(), places.end(), is_in)) continue;
    const fs::file_status status = entry->symlink_status(failure);
    if (fs::is_symlink(status)) {
      out.links.push_back(path);
    } else if (fs::is_directory(status) && std::any_of(places.begin(), places.end(), is_above)) {
      take_apart(path, places, out);
    } else {
      out.kept.push_back(path);
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

Remainder all_but(const std::vector<std::string>& places, const std::string& root) {
  Remainder remainder;
  const auto is_above = [&root](const std::string& place) { return is_within(place, root); };
  if (std::any_of(places.begin(), places.end(), is_above)) {
    take_apart(root, places, remainder);
  } else {
    remainder.kept.push_back(root);
  }
  return remainder;
}

}  // namespace orch::fence
