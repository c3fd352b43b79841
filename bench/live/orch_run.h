#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "live/temporary_folder.h"

namespace orch::live {

struct RunPlan {
  std::vector<std::string> agent;  // the words after live_agent
  int sessions = 1;
  std::string prompt;                // empty: none
  std::vector<std::string> options;  // more of orch run
};

// An `orch run --until exit --output json` whose claude is a live_agent. It has a home of its own
// in `folder`, and is ended with this.
class OrchRun {
 public:
  static base::Result<std::unique_ptr<OrchRun>> start(const TemporaryFolder& folder,
                                                      const RunPlan& plan);
  ~OrchRun();
  OrchRun(const OrchRun&) = delete;
  OrchRun& operator=(const OrchRun&) = delete;

  pid_t pid() const { return pid_; }

  // Waits for output, `patience_ms` at most, and calls take(line, at_ms) for each line that is
  // complete now: at_ms is CLOCK_MONOTONIC when it was read. False: there will be no more.
  using Take = std::function<void(std::string_view line, double at_ms)>;
  bool read_lines(int patience_ms, const Take& take);

  // Reads until `count` agents are idle at once. An error: the run ended before, or takes too long.
  base::Status await_idle(int count);

  // The exit code, once it has ended by itself.
  int wait();
  std::string errors() const;  // what it said on standard error

 private:
  OrchRun(pid_t pid, base::Fd output, std::string errors_path);

  pid_t pid_;
  base::Fd output_;
  std::string errors_path_;
  std::string waiting_;  // the beginning of a line
};

}  // namespace orch::live
