#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::adapters {

// The agent's needs inside of a fence. Paths may contain variables, as in
// "${CODEX_HOME:-$HOME/.codex}/log": see expanded().
struct FenceSpec {
  // A file or folder that names programs. The next start of the agent may run them unfenced.
  struct Watched {
    std::string path;
    std::vector<std::string> members;  // the relevant members of a JSON object; empty: all
    std::string ignore;                // RE2: lines of any other file that do not count
  };

  // A key that the agent uses only once the user has approved it. If it cannot write the approval
  // down, it forgets it a moment later; with these settings it uses the key anyway.
  struct Key {
    std::string variable;  // holds the key
    std::string file;      // remembers approvals of keys, by their last characters
    int last = 0;          // how many of them
    std::string settings;  // JSON text
  };

  std::vector<std::string> folders;    // folders that the agent writes to; made before it starts
  std::vector<std::string> files;      // files that the agent writes to, if they exist
  std::vector<std::string> secrets;    // files with its tokens, which no other agent may read
  std::vector<std::string> reads;      // other reads in the home: settings, its installation
  std::vector<Watched> watched;        // files that are compared before and after the run
  std::vector<std::string> arguments;  // switch off its own sandbox, which cannot run in a fence
  // Variables for an agent that cannot remember an answer, because it may not write its own files.
  std::map<std::string, std::string> env;
  std::string settings;  // JSON text: settings (see HookSpec) that the agent needs in a fence
  std::optional<Key> key;
};

class Members;
void fence_members(Members& in, FenceSpec& fence);

// Merges two JSON objects, given as text, into one; "" is an object without members.
std::string merged_settings(const std::string& settings, const std::string& more);

// Replaces the variables in a path: $NAME, ${NAME}, ${NAME:-default}. nullopt if a variable is not
// set and has no default, or if the resulting path is not absolute.
using Variables = std::function<std::string(std::string_view name)>;  // "": not set
std::optional<std::string> expanded(std::string_view path, const Variables& variables);

}  // namespace orch::adapters
