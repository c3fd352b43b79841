#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "mask/marker.h"

namespace orch::mask {

// Replaces the secrets by stars in lines that come one after the other, including secrets that
// continue in the next line. Lines are held back as long as the end of the last one may be the
// beginning of a secret.
class LinesMasker {
 public:
  explicit LinesMasker(std::shared_ptr<const Secrets> secrets) : marker_(std::move(secrets)) {}

  // `continues`: a word may have been broken where this line begins. Otherwise only the key itself
  // shows that it continues there (scanner.h).
  void add(std::string line, bool continues);
  // take_known() returns, in order and masked, the lines that later input can no longer change;
  // take_all() returns all lines, including the ones held back.
  std::vector<std::string> take_known();
  std::vector<std::string> take_all();
  bool holds() const { return !lines_.empty(); }

  // A line whose end has fewer bytes in common with a secret than this is not held back: otherwise
  // agents' words would be late all the time.
  static constexpr size_t kLeastOpen = 4;

 private:
  struct Line {
    std::string text;
    uint64_t begin = 0;  // its offset in the stream
    std::vector<Span> spans = {};
  };
  void note_spans();
  std::vector<std::string> take(size_t count);

  Marker marker_;
  bool last_may_be_broken_ = false;
  std::deque<Line> lines_;
};

}  // namespace orch::mask
