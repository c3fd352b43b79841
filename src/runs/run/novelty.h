#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

namespace orch::run {

// Finds out whether an agent that is asked to continue, turn after turn, still brings anything new.
// A turn brings something new if it has a line, of words or of a tool, that no earlier turn had. An
// agent that only repeats itself is done, or is stuck.
class Novelty {
 public:
  void on_line(std::string_view text);
  void on_turn_ended();
  // How many turns in a row have brought nothing new.
  int barren_turns() const { return barren_turns_; }
  const std::string& last_line() const { return last_line_; }  // the last line of the last turn

 private:
  // Hashes of lines that are kept, which is more than a run says in 50 turns. Further lines are not
  // remembered, so they count as new each time.
  static constexpr size_t kMostLines = 1 << 16;

  std::unordered_set<size_t> known_;
  std::string last_line_;
  bool brought_new_ = false;
  int barren_turns_ = 0;
};

}  // namespace orch::run
