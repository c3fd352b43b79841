#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "agent/line.h"

namespace orch::driver {

// Texts with fewer bytes of words than this may be equal by chance.
inline constexpr size_t kCertainWords = 12;

// The words of a row without its layout: blanks, frames, bullets and markdown signs. The layout may
// change when an agent draws the same words again.
std::string words_of(std::string_view row);
void append_words(std::string_view row, std::string& words);  // the same, behind `words`

// The part of `row` after the first `bytes` bytes of words_of(row).
std::string after_words(std::string_view row, size_t bytes);

// Remembers the reported words, to recognise them when an agent redraws its lines, in any width. A
// redraw goes through the words from any point to the end and never back. The memory is bounded:
// the oldest words are forgotten.
class ToldWords {
 public:
  void add(std::string_view words, agent::Speaker speaker);

  void begin_redraw();  // from now on all remembered words may be drawn again
  void end_redraw() { at_ = end_; }
  // Whether the next words that are drawn may have been reported before.
  bool redrawing() const { return at_ < end_; }
  // How many bytes at the beginning of `words` (which is not empty) the redraw shows again: all of
  // them; a part, if the remembered words end there; or 0, if the words are new or look different
  // now.
  size_t shown_again(std::string_view words);
  // How many of `rows`, from index `first` on, were reported one directly after the other, at any
  // point. Each of `rows` is words_of() a row. 0 if these rows have too few words together.
  size_t run_told(const std::vector<std::string>& rows, size_t first) const;
  // How many bytes of `rows`, from index `first` on, were reported, if these rows repeat the words
  // reported last, from some point on, and `fresh` behind them. 0 if not.
  size_t tail_told(const std::vector<std::string>& rows, size_t first,
                   std::string_view fresh) const;
  bool has_forgotten() const { return has_forgotten_; }
  bool found_any() const { return found_any_; }        // this redraw has shown remembered words
  agent::Speaker speaker() const { return speaker_; }  // of the words shown_again() found last

 private:
  struct Run {  // consecutive words of one speaker
    size_t end;
    agent::Speaker speaker;
  };
  // Where words_ has the first rows, enough of them to be certain, last; npos if nowhere.
  size_t place_of(const std::vector<std::string>& rows, size_t first) const;
  void forget_oldest();
  void found(size_t at, size_t bytes);

  std::string words_;
  std::deque<Run> runs_;
  size_t at_ = 0;   // the offset in words_ that the redraw has reached
  size_t end_ = 0;  // the offset in words_ where the redraw will end
  bool found_any_ = false;
  bool has_forgotten_ = false;
  agent::Speaker speaker_ = agent::Speaker::kChrome;
};

}  // namespace orch::driver
