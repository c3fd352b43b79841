#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "loop/timer.h"

namespace orch::loop {
class Loop;
}

namespace orch::pty {

// Removes control groups whose processes have ended or soon will. A killed process leaves its group
// within milliseconds, or later if a disk, a debugger or a freeze holds it. Never waits: a group
// that cannot be removed is tried again from the loop, at least once a second.
class CgroupRemoval {
 public:
  explicit CgroupRemoval(loop::Loop& loop) : again_(loop) {}
  ~CgroupRemoval();  // tries a last time
  CgroupRemoval(const CgroupRemoval&) = delete;
  CgroupRemoval& operator=(const CgroupRemoval&) = delete;

  // on_gone is called once the group at `path` is gone, perhaps at once ("" is gone already), but
  // not after this is destroyed.
  void remove(std::string path, std::function<void()> on_gone);
  void try_all();  // tries all of them now

 private:
  struct Group {
    std::string path;
    std::function<void()> on_gone;
  };
  void try_later(int64_t delay_ms);

  std::vector<Group> groups_;
  loop::Timer again_;
};

}  // namespace orch::pty
