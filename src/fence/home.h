#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fence/secrets.h"

namespace orch::fence {

// What an agent sees of the homes of a user: nothing, but what is on a list (docs/fence.md).
struct HomeView {
  std::vector<std::string> emptied;  // homes, without links; none is in another
  // Files, folders with all their content, and links in the emptied homes, each without links on
  // its way. Keys and tokens in them are closed all the same. None is in another; sorted.
  std::vector<std::string> shown;
  bool operator==(const HomeView&) const = default;
};

struct HomeRequest {
  std::vector<std::string> homes;  // emptied, if they exist and are nobody's but a user's
  // Homes of a person's own choice, whose toolchains (toolchains.h) and settings are shown.
  std::vector<std::string> persons;
  // Of a person's own environment: PATH, and those of toolchains.
  std::function<std::string(std::string_view)> variables;
  std::vector<std::string> programs;  // absolute: each is shown with what it needs beside it
  std::vector<std::string> shown;     // absolute: these are shown as they are
  std::vector<std::string> followed;  // the same, with what the links directly in them lead to
  std::vector<std::string> named;     // the same; a home in one of these is shown as a whole
  std::vector<std::string> granted;   // what may be written is seen anyhow; without links
  // Whether agents may have written what is in a folder, which is without links. No link is
  // followed there, and no program believed. None: nowhere.
  std::function<bool(const std::string& folder)> written;
};
HomeView view_of_homes(const HomeRequest& request, const SecretPlaces& secrets);

// Whether `path`, which is absolute and without links, is in an emptied home and not shown.
bool is_emptied(const HomeView& view, std::string_view path);

}  // namespace orch::fence
