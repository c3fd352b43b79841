#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"

namespace orch::fence {

using base::is_within;

// The path without symbolic links; nothing when there is no such file.
std::optional<std::string> resolved(const std::string& path);

// What a folder tree is without some of its places: everything above one of those is taken apart.
struct Remainder {
  std::vector<std::string> kept;   // files and folders, each with all that is in it
  std::vector<std::string> apart;  // folders whose entries are in `kept`, or apart themselves
  std::vector<std::string> links;  // symbolic links in those; what they lead to counts by itself
};

// `root` without the places, whether or not those are there. The folders of `split`, and what is
// above them, are taken apart as well.
Remainder all_but(const std::vector<std::string>& places, const std::string& root = "/",
                  const std::vector<std::string>& split = {});

}  // namespace orch::fence
