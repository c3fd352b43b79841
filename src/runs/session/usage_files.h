#pragma once

#include <sys/types.h>

#include <functional>
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

// Reads how many tokens the agent of this run has used, from the session files that it writes
// itself. A file counts only if it is this run's for certain: it belongs to a session that the
// agent was started with or that it names for its process, or one of its processes has it open. So
// two agents in one folder are never mixed up. Nothing here can fail, and the work of each call is
// bounded.
class UsageFiles {
 public:
  // `environment` (K=V each) and `cwd` are the agent's; lines that it wrote before `started` do not
  // count.
  UsageFiles(const adapters::RecordSpec& spec, const std::vector<std::string>& environment,
             const std::string& cwd, store::TimePoint started);

  // Looks for the files of the agent's process (0: it has none any more) and of the session that it
  // was last started with ("": none).
  void find(pid_t agent, const std::string& session);
  // Reads what was appended to the files, at most a bounded part per call. `on_line` gets each
  // whole line.
  void read(const std::function<void(std::string_view)>& on_line = nullptr);
  bool any() const { return !files_.empty(); }
  const event::Usage& sum() const { return sum_.sum(); }

 private:
  struct File {
    std::pair<dev_t, ino_t> id;
    base::Fd fd;
    off_t at = 0;  // offset of the first unread byte
    driver::RecordLines lines;
  };
  void learn_session(const std::string& id);
  void ask_process(pid_t agent);
  void find_open(pid_t agent);
  void find_open_of(pid_t process, size_t& left);  // counts down the descriptors it may still look
                                                   // at
  void add(std::pair<dev_t, ino_t> id, base::Fd fd);
  bool is_of(const base::Fd& file, const std::string& session) const;

  adapters::RecordSpec spec_;
  std::string cwd_, home_;  // without symbolic links; home_ "": the agent keeps no session files
  store::TimePoint started_;
  std::vector<std::string> sessions_;  // UUIDs
  std::vector<File> files_;
  size_t next_ = 0;  // the file of files_ that the next look begins with
  driver::UsageSum sum_;
};

}  // namespace orch::session
