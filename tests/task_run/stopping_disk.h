#pragma once

#include <functional>
#include <string>

// A disk that stops with this process at one of the changes that it makes below a folder: by
// write(2), rename(2), unlink(2), mkdir(2) and their relatives. What was done before is there, as
// after a SIGKILL.
namespace orch::stopping_disk {

enum class Moment { kBefore, kInTheMiddle, kAfter };
constexpr int kStopped = 99;  // the process's exit code then

// Does the work in a process of its own, which ends at the `at`-th change below the folder, counted
// from 1; 0: at none.
struct Ran {
  int code = 0;     // what the work gave, or kStopped; 128 and the signal that ended it
  int changes = 0;  // how many there were; not known of what was stopped
};
Ran in_child(const std::string& folder, int at, Moment moment, const std::function<int()>& work);

// What is done while one lives is no change: what other programs do.
class Elsewhere {
 public:
  Elsewhere();
  ~Elsewhere();
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
};

}  // namespace orch::stopping_disk
