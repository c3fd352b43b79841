#include "pty/family.h"

#include <set>

namespace orch::pty {
namespace {

class Gathering {
 public:
  Gathering(std::span<const Sighted> all, const Known& known, pid_t self)
      : all_(all), known_(known), self_(self) {
    for (const Sighted& seen : all) starts_[seen.process.pid] = seen.process.start;
  }

  Family gather() {
    Family family;
    while (join_round(family.members)) continue;
    for (const Sighted& seen : all_) {
      if (seen.mark == Mark::kUnclear && !members_.contains(seen.process.pid)) {
        family.unclear = true;
      }
    }
    return family;
  }

 private:
  // Adds processes that belong to the members found so far; false if there are none.
  bool join_round(std::vector<ProcessEntry>& family) {
    const size_t before = members_.size();
    for (const Sighted& seen : all_) {
      if (!belongs(seen) || !members_.insert(seen.process.pid).second) continue;
      family.push_back(seen.process);
    }
    return members_.size() > before;
  }

  bool belongs(const Sighted& seen) const {
    const ProcessEntry& process = seen.process;
    if (process.pid == self_) return false;
    if (seen.mark == Mark::kOfRun || is_known(process.pid, process.start)) return true;
    return members_.contains(process.parent) || members_.contains(process.session) ||
           led_by_known(process);
  }

  bool is_known(pid_t pid, uint64_t start) const {
    const auto known = known_.find(pid);
    return known != known_.end() && known->second == start;
  }

  // A session keeps its dead leader's pid from being reused as long as it lasts. So one that is
  // older than the leader we knew, or has another leader with that pid, is another session.
  bool led_by_known(const ProcessEntry& process) const {
    const auto leader = known_.find(process.session);
    if (leader == known_.end() || process.start < leader->second) return false;
    const auto now = starts_.find(process.session);
    return now == starts_.end() || now->second == leader->second;
  }

  std::span<const Sighted> all_;
  const Known& known_;
  pid_t self_;
  std::map<pid_t, uint64_t> starts_;
  std::set<pid_t> members_;
};

}  // namespace

Family family_in(std::span<const Sighted> all, const Known& known, pid_t self) {
  return Gathering(all, known, self).gather();
}

}  // namespace orch::pty
