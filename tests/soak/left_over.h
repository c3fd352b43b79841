#pragma once

#include <string>
#include <string_view>
#include <vector>

// What a host that died left behind: in the process table, and in its state directory.
namespace orch::soak {

// The living processes with `token` in their environment or command line, one line each.
std::vector<std::string> processes_with(std::string_view token);

struct FilesSeen {
  int runs = 0;
  int recordings = 0;                 // read to their last whole line
  std::vector<std::string> troubles;  // "path: what is wrong"
};
// Reads every file of a state directory whose hosts are all dead: JSON files parse, no run and no
// session says that it lives, recordings and events are whole lines, and nothing unfinished and no
// pipe is left.
FilesSeen look_at_files(const std::string& state_dir);

}  // namespace orch::soak
