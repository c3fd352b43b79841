#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

namespace orch::run {

// Whether an agent that is asked to continue, turn after turn, still brings anything new. A turn
// brings something new when it has a line of words or of a tool that no turn before it had: an
// agent that goes on repeating itself has nothing left to do, or cannot do it.
class Novelty {
 public:
  void on_line(std::string_view text);
  void on_turn_ended();
  // How many turns in a row have brought nothing new.
  int barren_turns() const { return barren_turns_; }
  const std::string& last_line() const { return last_line_; }  // what the last turn said at its end

 private:
  // Lines are kept as hashes; more than a run can say in 50 turns are not kept, and count as new.
  static constexpr size_t kMostLines = 1 << 16;

  std::unordered_set<size_t> known_;
  std::string last_line_;
  bool brought_new_ = false;
  int barren_turns_ = 0;
};

}  // namespace orch::run
