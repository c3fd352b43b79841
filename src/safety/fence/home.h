#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fence/secrets.h"

namespace orch::fence {

// The part of a user's homes that an agent sees: only the files on a list (docs/fence.md).
struct HomeView {
  std::vector<std::string> emptied;  // homes, without links; none is in another
  // Files, folders with all their content, and links in the emptied homes, each without links on
  // its way. Keys and tokens in them are closed all the same. None is in another; sorted.
  std::vector<std::string> shown;
  bool operator==(const HomeView&) const = default;
};

struct HomeRequest {
  std::vector<std::string> homes;  // emptied, if they exist and are nobody's but a user's
  // Homes chosen by the user; their toolchains (toolchains.h) and settings are shown.
  std::vector<std::string> persons;
  // The user's own environment: PATH, and the variables of toolchains.
  std::function<std::string(std::string_view)> variables;
  std::vector<std::string> programs;  // absolute; shown together with their libraries
  std::vector<std::string> shown;     // absolute; shown as they are
  std::vector<std::string> followed;  // the same, with the targets of the links directly in them
  std::vector<std::string> named;     // the same; a home in one of these is shown as a whole
  std::vector<std::string> granted;   // writable, and therefore seen anyway; without links
  // Whether agents may have written the files in a folder, a path without links. Links there are
  // not followed, and programs there not believed. Empty: agents have written nowhere.
  std::function<bool(const std::string& folder)> written;
};
HomeView view_of_homes(const HomeRequest& request, const SecretPlaces& secrets);

// Whether `path`, which is absolute and without links, is in an emptied home and not shown.
bool is_emptied(const HomeView& view, std::string_view path);

}  // namespace orch::fence
