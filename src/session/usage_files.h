#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/manifest.h"
#include "base/fd.h"
#include "driver/usage_counts.h"
#include "event/event.h"
#include "store/time_text.h"

namespace orch::session {

// Reads what the agent of this run writes down of its tokens, in the session files that are this
// run's for certain: they are of a session of which the agent was told, or which it says itself is
// that of its process, or a process of its holds them open. Two agents in one folder are never
// taken for each other. Nothing of that can fail, and the work of each call is bounded.
class UsageFiles {
 public:
  // `environment` (K=V each) and `cwd` are those that the agent got; nothing that it wrote before
  // `started` counts.
  UsageFiles(const adapters::RecordSpec& spec, const std::vector<std::string>& environment,
             const std::string& cwd, store::TimePoint started);

  // Looks for the files of the agent's process, 0 when it has none any more, and of the session it
  // was told of last, "" when it was told of none.
  void find(pid_t agent, const std::string& session);
  void read();  // what has come to the files that were found; of much only a part
  bool any() const { return !files_.empty(); }
  const event::Usage& sum() const { return sum_.sum(); }

 private:
  struct File {
    std::pair<dev_t, ino_t> id;
    base::Fd fd;
    off_t at = 0;  // read so far
    driver::RecordLines lines;
  };
  void learn_session(const std::string& id);
  void ask_process(pid_t agent);
  void find_open(pid_t agent);
  void find_open_of(pid_t process);
  void add(std::pair<dev_t, ino_t> id, base::Fd fd);
  bool is_of(const base::Fd& file, const std::string& session) const;

  adapters::RecordSpec spec_;
  std::string cwd_, home_;  // without symbolic links; no home: the agent keeps no such files
  store::TimePoint started_;
  std::vector<std::string> sessions_;  // UUIDs
  std::vector<File> files_;
  driver::UsageSum sum_;
};

}  // namespace orch::session
