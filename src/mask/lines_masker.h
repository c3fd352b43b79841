#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mask/marker.h"

namespace orch::mask {

// Puts stars in place of the secrets of lines that come one after the other, also where one goes on
// in the next line. A line of which the end may be the beginning of a secret is held back.
class LinesMasker {
 public:
  explicit LinesMasker(std::shared_ptr<const Secrets> secrets) : marker_(std::move(secrets)) {}

  // `continues`: a word may have been broken where the line begins, as somebody knows. Elsewhere
  // the key itself must tell that it goes on (scanner.h).
  void add(std::string line, bool continues);
  // The lines that are known by now, in order; all of them, for whom nobody waits any longer.
  std::vector<std::string> take_known();
  std::vector<std::string> take_all();
  bool holds() const { return !lines_.empty(); }

  // A line whose end has less than that in common with a secret is not held back: agents' words
  // would be late all the time.
  static constexpr size_t kLeastOpen = 4;

 private:
  struct Line {
    std::string text;
    uint64_t begin = 0;  // in the stream
    std::vector<Span> spans = {};
  };
  void note_spans();
  std::vector<std::string> take(size_t count);

  Marker marker_;
  bool last_may_be_broken_ = false;
  std::deque<Line> lines_;
};

}  // namespace orch::mask
