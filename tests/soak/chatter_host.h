#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "store/session_file.h"

namespace orch::soak {

// An orch run whose agents are chatters (chatter.cc), in a folder of its own. The destructor, and
// exit(), end the host and remove the folder. Any failure ends the program, because figures without
// a working host mean nothing.
class ChatterHost {
 public:
  struct Plan {
    std::string orch;
    std::string chatter;
    std::vector<std::string> issues;
    uint64_t flood_bytes = 0;  // 0: for ever
    size_t line_bytes = 100;
    uint64_t rate = 0;  // bytes a second; 0: as fast as it can
  };
  explicit ChatterHost(const Plan& plan);  // returns when all sessions run
  ~ChatterHost();
  ChatterHost(const ChatterHost&) = delete;
  ChatterHost& operator=(const ChatterHost&) = delete;

  void let_go();  // lets the flood begin
  const std::vector<store::SessionRecord>& sessions() const { return sessions_; }
  // Whether this session's agent is the one that floods.
  bool floods(const store::SessionRecord& session) const { return session.run == flooder_; }

  int64_t resident_kb() const { return status_field("VmRSS"); }  // now
  int64_t peak_kb() const { return status_field("VmHWM"); }      // since its start
  void print_files() const;  // prints the sizes of the files of the flooder's run

 private:
  void start(const Plan& plan);
  void await_sessions(size_t count);
  int64_t status_field(const std::string& name) const;

  std::string folder_;
  base::Fd go_;
  pid_t pid_ = 0;
  std::string flooder_;  // the run that floods
  std::vector<store::SessionRecord> sessions_;
};

// The smallest value that at most (100 - percent) % of the values exceed; 0 without values.
int64_t percentile(std::vector<int64_t> values, double percent);

}  // namespace orch::soak
