#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "term/screen.h"

namespace orch::propose {

// What the screen showed at a moment of a session.
struct Moment {
  int64_t ms = 0;
  bool rests = false;             // it stood still for kRestMs; otherwise it was changing
  int enters = 0;                 // how often Enter was typed before
  std::vector<std::string> rows;  // up to the last one with text
};

inline constexpr int64_t kRestMs = 1'200;

// Collects the moments of a session: each rest, and samples of the time between Enter and a rest.
// It is given all output and input with their times, which only grow.
class Moments {
 public:
  explicit Moments(term::Size size);

  void on_output(int64_t ms, std::string_view bytes);
  void on_input(int64_t ms, std::string_view bytes);
  void on_resize(int64_t ms, term::Size size);
  std::vector<Moment> finish(int64_t ms);  // the last call

 private:
  void pass_to(int64_t ms);
  void look(int64_t ms);

  term::Screen screen_;
  std::vector<Moment> moments_;
  std::vector<std::string> rows_;
  int64_t changed_ms_ = 0, sampled_ms_ = 0, typed_ms_ = 0;
  bool rested_ = true;  // the present rows are those of the last rest
  int enters_ = 0;
};

}  // namespace orch::propose
