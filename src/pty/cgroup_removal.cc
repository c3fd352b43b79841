#include "pty/cgroup_removal.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "pty/cgroup.h"

namespace orch::pty {
namespace {

constexpr int64_t kFirstDelayMs = 10;
constexpr int64_t kLongestDelayMs = 1'000;

}  // namespace

CgroupRemoval::~CgroupRemoval() {
  for (const Group& group : groups_) remove_cgroup(group.path);
}

void CgroupRemoval::remove(std::string path, std::function<void()> on_gone) {
  if (path.empty() || remove_cgroup(path)) return on_gone();
  groups_.push_back({std::move(path), std::move(on_gone)});
  try_later(kFirstDelayMs);
}

void CgroupRemoval::try_all() {
  std::vector<Group> left;
  for (Group& group : std::exchange(groups_, {})) {
    if (remove_cgroup(group.path)) {
      group.on_gone();
    } else {
      left.push_back(std::move(group));
    }
  }
  groups_.insert(groups_.end(), std::make_move_iterator(left.begin()),
                 std::make_move_iterator(left.end()));
}

void CgroupRemoval::try_later(int64_t delay_ms) {
  again_.start(delay_ms, [this, delay_ms] {
    try_all();
    if (!groups_.empty()) try_later(std::min(2 * delay_ms, kLongestDelayMs));
  });
}

}  // namespace orch::pty
