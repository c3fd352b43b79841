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
  std::vector<std::string> agent;  // the arguments of live_agent
  int sessions = 1;
  std::string prompt;                // empty: none
  std::vector<std::string> options;  // further options of orch run
};

// A process `orch run --until exit --output json` whose agent claude is a live_agent. Its home is
// in `folder`. The destructor ends it.
class OrchRun {
 public:
  static base::Result<std::unique_ptr<OrchRun>> start(const TemporaryFolder& folder,
                                                      const RunPlan& plan);
  ~OrchRun();
  OrchRun(const OrchRun&) = delete;
  OrchRun& operator=(const OrchRun&) = delete;

  pid_t pid() const { return pid_; }

  // Waits for output, at most `patience_ms`, and calls take(line, at_ms) for each complete line;
  // at_ms is CLOCK_MONOTONIC when it was read. Returns false at the end of the output.
  using Take = std::function<void(std::string_view line, double at_ms)>;
  bool read_lines(int patience_ms, const Take& take);

  // Reads until `count` agents are idle at once. An error if the run ends first, or takes too long.
  base::Status await_idle(int count);

  // Waits until the process has ended by itself, and returns its exit code.
  int wait();
  std::string errors() const;  // its standard error so far

 private:
  OrchRun(pid_t pid, base::Fd output, std::string errors_path);

  pid_t pid_;
  base::Fd output_;
  std::string errors_path_;
  std::string waiting_;  // the beginning of an incomplete line
};

}  // namespace orch::live
