#pragma once

#include <functional>
#include <string>

// Simulates a crash: the process ends at one of the changes that it makes below a folder, by
// write(2), rename(2), unlink(2), mkdir(2) and the like. Earlier changes remain, as after a
// SIGKILL.
namespace orch::stopping_disk {

enum class Moment { kBefore, kInTheMiddle, kAfter };
constexpr int kStopped = 99;  // the exit code of a process that was stopped

// The result of work in a process of its own, which ends at the `at`-th change below the folder,
// counted from 1; 0: it is not stopped.
struct Ran {
  int code = 0;     // the work's result; kStopped; or 128 + the signal that ended the process
  int changes = 0;  // how many changes it made; not known if it was stopped
};
Ran in_child(const std::string& folder, int at, Moment moment, const std::function<int()>& work);

// Changes made while an object of this class exists do not count: they stand for other programs.
class Elsewhere {
 public:
  Elsewhere();
  ~Elsewhere();
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
};

}  // namespace orch::stopping_disk
