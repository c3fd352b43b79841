#pragma once

#include <string>

// A disk that stops with this process at one of the changes that it makes below a folder: by
// write(2), rename(2), unlink(2), mkdir(2) and their relatives. What was done before is there, as
// after a SIGKILL.
namespace orch::stopping_disk {

enum class Moment { kBefore, kInTheMiddle, kAfter };
constexpr int kStopped = 99;  // the process's exit code then

// From now on: this process ends at the `at`-th change, counted from 1; 0: at none.
void watch(const std::string& folder, int at, Moment moment);
int changes();  // since watch()

// What is done while one lives is no change: what other programs do.
class Elsewhere {
 public:
  Elsewhere();
  ~Elsewhere();
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
};

}  // namespace orch::stopping_disk
