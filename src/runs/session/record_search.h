#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/manifest.h"
#include "base/fd.h"
#include "store/time_text.h"

// Finds the files of an agent's own sessions. Symbolic links below the agent's home are not
// followed, only regular files are opened, and the work is bounded, so it may be done in the loop's
// thread.
namespace orch::session {

// A file that was written since a given time, and is open for reading.
struct FoundRecord {
  store::TimePoint when;
  std::pair<dev_t, ino_t> id;
  base::Fd fd;
};

// The folder that the manifest calls the agent's home ("$HOME/.codex"): an absolute path, or "".
// `environment` (K=V each) is the agent's.
std::string record_home(const adapters::RecordSpec& spec,
                        const std::vector<std::string>& environment);
// The files below `home` that a pattern (adapters::RecordSpec::files) names and that were written
// since `since`, the newest first. `cwd` is the agent's, without symbolic links, as agents get it
// from the system.
std::vector<FoundRecord> find_records(const std::string& home, std::string_view pattern,
                                      const std::string& cwd, store::TimePoint since);

enum class Part : uint8_t { kBeginning, kEnd };
// At most `most` bytes of a regular file; "" for anything else.
std::string read_part(const base::Fd& file, Part part, off_t most);
// Opens a file or folder, but no symbolic link. `name` is a single name, not a path.
base::Fd open_in(const base::Fd& folder, const std::string& name, int flags);
std::string without_links(const std::string& path);  // the path unchanged if it does not exist

}  // namespace orch::session
