#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/manifest.h"
#include "base/fd.h"
#include "store/time_text.h"

// Finding the files in which an agent keeps its sessions itself. Symbolic links below the agent's
// home are not followed, only regular files are opened, and the work is bounded, so it may be done
// in a loop's thread.
namespace orch::session {

// A file that was written since some moment.
struct FoundRecord {
  store::TimePoint when;
  std::pair<dev_t, ino_t> id;
  base::Fd fd;
};

// "$HOME/.codex": an absolute path, or "". `environment` (K=V each) is the agent's.
std::string record_home(const adapters::RecordSpec& spec,
                        const std::vector<std::string>& environment);
// Those that a pattern (adapters::RecordSpec::files) names below `home`, the newest first. `cwd` is
// the agent's, without symbolic links: agents ask the system where they are.
std::vector<FoundRecord> find_records(const std::string& home, std::string_view pattern,
                                      const std::string& cwd, store::TimePoint since);

enum class Part : uint8_t { kBeginning, kEnd };
// At most `most` bytes of a regular file; of anything else nothing.
std::string read_part(const base::Fd& file, Part part, off_t most);
// No path of several names: each is opened in its folder, so that none is a symbolic link.
base::Fd open_in(const base::Fd& folder, const std::string& name, int flags);
std::string without_links(const std::string& path);  // "" where there is none

}  // namespace orch::session
