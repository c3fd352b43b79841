#include "fence/sockets.h"

#include <algorithm>

#include "base/text.h"

namespace orch::fence {

// Lines are "Num: RefCount Protocol Flags Type St Inode Path", padded with blanks.
std::vector<std::string> bound_sockets(std::string_view proc_net_unix) {
  constexpr int kFieldsBeforePath = 7;
  std::vector<std::string> paths;
  for (std::string_view line : base::split_lines(proc_net_unix)) {
    for (int field = 0; field < kFieldsBeforePath && !line.empty(); ++field) {
      line.remove_prefix(std::min(line.find(' '), line.size()));
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    }
    if (line.starts_with('/')) paths.emplace_back(line);
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

}  // namespace orch::fence
