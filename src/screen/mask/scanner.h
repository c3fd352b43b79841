#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "mask/gap.h"
#include "mask/private_key.h"
#include "mask/secrets.h"
#include "mask/shapes.h"

namespace orch::mask {

// Finds secrets in bytes without blanks, frames, escapes and line ends, and looks at each byte only
// once. Constant memory.
class Scanner {
 public:
  explicit Scanner(const Secrets& secrets) : secrets_(&secrets) {}  // `secrets` must outlive this

  // `secret`: how many of the last bytes, with this one, are a secret. `open`: how many may turn
  // out to be the beginning of one, at most kMostUndecidedToken.
  struct Step {
    size_t secret = 0;
    size_t open = 0;
  };
  Step next(char byte, Gap before);
  // Whether only the automaton has anything under way. Then pass_over() does the same as next() for
  // most bytes: those that complete no word.
  bool is_calm() const { return runs_.empty() && !private_key_.has_begun(); }
  bool is_at_rest() const { return is_calm() && state_ == 0; }  // nothing at all has begun
  // Takes the byte as next() would, and sets `open` to Step::open. False: it completes a word, and
  // is not taken.
  bool pass_over(char byte, Gap before, size_t& open) {
    const Automaton& automaton = secrets_->automaton();
    const Automaton::State state = automaton.next(before == Gap::kWall ? 0 : state_, byte);
    if (automaton.ends_word(state)) return false;
    if (before >= Gap::kRow) end_row();
    state_ = state;
    gaps_[seen_ % kGaps] = before;
    bytes_[seen_ % kGaps] = byte;
    ++seen_;
    ++row_bytes_;
    open = automaton.depth(state);
    return true;
  }

  // A secret that was recognised with the last byte although it had ended before: `length` bytes,
  // followed by `since` bytes. It is returned once.
  struct Earlier {
    size_t length = 0, since = 0;
  };
  bool has_earlier() const { return earlier_.length > 0; }
  Earlier take_earlier() { return std::exchange(earlier_, Earlier()); }

 private:
  // The first bytes of a row that may continue a key which is complete without them. They do if
  // they do not look like a word, or if they fill the row as the key filled the one before.
  struct Doubt {
    bool alike = false;  // two rows of the key were equally wide, so it was broken across rows
    size_t length = 0;
    size_t rises = 0;  // how many capitals follow a small letter: one in "GitHub"
    bool digit = false, capital = false, letter = false, small_last = false;
    void add(char byte);
    bool is_settled(size_t width) const;
  };
  // A key of a known shape that has begun, or the apparent beginning of one.
  struct Run {
    const Shape* shape = nullptr;
    size_t length = 0;  // in bytes, with the prefix
    size_t body = 0;
    size_t second_part = 0;  // for a web token: the body's length at its first dot
    bool digit = false, capital = false, second_begins = false;
    bool in_word = false;   // the prefix stands right behind a vowel
    bool is_key = false;    // it is a key: all bytes so far, and later ones
    bool doubtful = false;  // the bytes counted in `doubt` may not belong to it
    bool over = false;
    size_t width = 0;  // its bytes in the row before; 0 in its first row
    Doubt doubt;
  };
  void end_row() {
    last_row_bytes_ = row_bytes_;
    row_bytes_ = 0;
  }
  void begin_run(const Secrets::Word& word);
  size_t step_runs(char byte, Gap before);
  size_t step_run(Run& run, char byte, Gap before) const;
  bool reaches_over(Run& run, Gap before) const;
  bool goes_on_in_row(Run& run, Gap before) const;
  static size_t step_doubt(Run& run, char byte);
  static size_t open_of(const Run& run);
  static bool completes(Run& run, char byte);
  size_t step_private_key(char byte, Gap before);
  size_t find_words(size_t longest);
  bool is_whole(const Secrets::Word& word) const;
  bool stands_behind_vowel(const Secrets::Word& word) const;

  // How many gaps are remembered; more than the longest word has.
  static constexpr size_t kGaps = 128;
  // How many keys may have begun at the same time: a prefix may stand within text that began like
  // another key and is none. When there are more, the first one that is not known to be a key is
  // given up.
  static constexpr size_t kMostRuns = 8;

  const Secrets* secrets_;
  Automaton::State state_ = 0;
  std::vector<Run> runs_;  // in the order of their beginnings; at most kMostRuns
  PrivateKey private_key_;
  Earlier earlier_;
  size_t row_bytes_ = 0, last_row_bytes_ = 0;  // bytes of this row so far, and of the row before
  uint64_t seen_ = 0;
  std::array<Gap, kGaps> gaps_{};  // gaps before the last bytes, by the byte's number modulo kGaps
  std::array<char, kGaps> bytes_{};
};

}  // namespace orch::mask
