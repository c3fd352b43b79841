#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"

namespace orch::fence {

using base::is_within;

// Whether the path is one of the places, or in one.
bool is_in_one_of(const std::vector<std::string>& places, std::string_view path);

// The path without symbolic links; nullopt if the file does not exist.
std::optional<std::string> resolved(const std::string& path);

// A folder tree without some places in it. Every folder above one of these places is taken apart.
struct Remainder {
  std::vector<std::string> kept;  // files and folders, each with all its content
  // Folders whose entries are in `kept`, or are taken apart themselves.
  std::vector<std::string> apart;
  std::vector<std::string> links;  // symbolic links in those; their targets count by themselves
};

// The tree `root` without these places, whether or not they exist. The folders in `split`, and
// those above them, are also taken apart.
Remainder all_but(const std::vector<std::string>& places, const std::string& root = "/",
                  const std::vector<std::string>& split = {});

}  // namespace orch::fence
