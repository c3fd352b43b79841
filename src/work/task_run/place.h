#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace orch::task_run {

// The place where the runs of a task work: this machine, or a container that the task holds while
// it runs.
class Place {
 public:
  // Called from the loop: on_open once, to say whether the place is there; on_lost if it is gone
  // before close().
  struct Told {
    std::function<void(base::Status)> on_open;
    std::function<void(const std::string& why)> on_lost;
  };
  virtual ~Place() = default;
  virtual void open(Told told) = 0;
  // The options that make `orch run` work there: "--sandbox", "docker", "--container", NAME.
  virtual std::vector<std::string> run_words() const = 0;
  virtual void close(std::function<void()> on_closed) = 0;
};

}  // namespace orch::task_run
