#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "agent/line.h"

namespace orch::driver {

// Fewer bytes of words may stand anywhere by chance.
inline constexpr size_t kCertainWords = 12;

// A row without what its layout adds: blanks, frames, bullets and the signs of markdown, which
// come, go and move when an agent draws the same words again.
std::string words_of(std::string_view row);

// What follows the first `bytes` bytes of words_of(row) in `row`.
std::string after_words(std::string_view row, size_t bytes);

// The words that were told, so that they are known again when an agent draws them anew, in whatever
// width. A redraw goes through them from wherever it begins to their end and never back. Bounded:
// the oldest are forgotten.
class ToldWords {
 public:
  void add(std::string_view words, agent::Speaker speaker);

  void begin_redraw();  // all that was told may come again
  void end_redraw() { at_ = end_; }
  // Could what is drawn next have been told before?
  bool redrawing() const { return at_ < end_; }
  // How many bytes at the beginning of `words` (not empty) the redraw shows again: all, some where
  // it comes to the end of what was told, or 0: they are new or what was told looks different now.
  size_t shown_again(std::string_view words);
  // How many of `rows`, each of them words_of() a row, were told one after the other, from the
  // first on, wherever that was. Together they have to have some words.
  size_t run_told(const std::vector<std::string>& rows, size_t first) const;
  bool has_forgotten() const { return has_forgotten_; }
  bool found_any() const { return found_any_; }        // this redraw has shown words that were told
  agent::Speaker speaker() const { return speaker_; }  // of what shown_again() found last

 private:
  struct Run {  // words of one speaker
    size_t end;
    agent::Speaker speaker;
  };
  void forget_oldest();
  void found(size_t at, size_t bytes);

  std::string words_;
  std::deque<Run> runs_;
  size_t at_ = 0;   // the redraw has shown words_ up to here
  size_t end_ = 0;  // ... and shows them up to here
  bool found_any_ = false;
  bool has_forgotten_ = false;
  agent::Speaker speaker_ = agent::Speaker::kChrome;
};

}  // namespace orch::driver
