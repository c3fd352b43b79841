#pragma once

#include <string>
#include <string_view>
#include <vector>

// Looks for what a dead host left behind, in the process table and in its state directory.
namespace orch::soak {

// The living processes with `token` in their environment or command line, one line each.
std::vector<std::string> processes_with(std::string_view token);

struct FilesSeen {
  int runs = 0;
  int recordings = 0;                 // read to their last complete line
  std::vector<std::string> troubles;  // "path: what is wrong"
};
// Checks every file of a state directory whose hosts are all dead: JSON files can be parsed, no run
// and no session claims to be alive, recordings and events consist of complete lines, and no
// temporary file and no pipe is left.
FilesSeen look_at_files(const std::string& state_dir);

}  // namespace orch::soak
