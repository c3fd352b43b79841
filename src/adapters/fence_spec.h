#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"

namespace orch::adapters {

// What an agent needs inside of a fence. Paths are written "${CODEX_HOME:-$HOME/.codex}/log": see
// expanded().
struct FenceSpec {
  // A file or folder that names programs which the agent's next start runs, unfenced.
  struct Watched {
    std::string path;
    std::vector<std::string> members;  // of a JSON object: only these count; none: all of it
    std::string ignore;                // RE2: lines of any other file that do not count
  };

  std::vector<std::string> folders;    // that it writes to; made before it starts
  std::vector<std::string> files;      // ... if they exist
  std::vector<std::string> secrets;    // its own tokens: no other agent may read them
  std::vector<Watched> watched;        // compared after the run
  std::vector<std::string> arguments;  // switch its own sandbox off, which breaks within another
  std::map<std::string, std::string> env;  // what it needs where it cannot remember an answer
  std::string settings;                    // JSON text: the same, for its settings (HookSpec)
};

void read_fence(base::JsonMembers& parent, FenceSpec& fence);

// The settings of both, JSON objects as text; "" has none.
std::string merged_settings(const std::string& settings, const std::string& more);

// A path with the variables in it replaced: $NAME, ${NAME}, ${NAME:-what stands for it if it is not
// set}. Nothing when a variable has no value, or the path is not absolute then.
using Variables = std::function<std::string(std::string_view name)>;  // "": not set
std::optional<std::string> expanded(std::string_view path, const Variables& variables);

}  // namespace orch::adapters
