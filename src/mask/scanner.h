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

// Finds secrets in bytes from which blanks, frames, escapes and ends of rows were left out, each
// byte looked at once. Constant memory.
class Scanner {
 public:
  explicit Scanner(const Secrets& secrets) : secrets_(&secrets) {}  // which outlives this

  // How many of the last bytes, with this one, are a secret; how many may turn out to be the
  // beginning of one: kMostUndecidedToken at most.
  struct Step {
    size_t secret = 0;
    size_t open = 0;
  };
  Step next(char byte, Gap before);

  // What turned out to be a secret with the last byte though others have come behind it: `length`
  // bytes, and `since` then. Told once.
  struct Earlier {
    size_t length = 0, since = 0;
  };
  bool has_earlier() const { return earlier_.length > 0; }
  Earlier take_earlier() { return std::exchange(earlier_, Earlier()); }

 private:
  // The first bytes of a row that may go on with a key which is whole without them. They do if they
  // look like no word, or fill the row as the key has filled the one before.
  struct Doubt {
    bool alike = false;  // two rows of the key were equally wide: it is broken
    size_t length = 0;
    size_t rises = 0;  // capitals behind small letters: one in "GitHub"
    bool digit = false, capital = false, letter = false, small_last = false;
    void add(char byte);
    bool is_settled(size_t width) const;
  };
  // A key of a known shape that has begun.
  struct Run {
    const Shape* shape = nullptr;
    size_t length = 0;  // with its prefix
    size_t body = 0;
    size_t second_part = 0;  // of a web token: the body's length at its first dot
    bool digit = false, capital = false, second_begins = false;
    bool in_word = false;   // its prefix stands behind a vowel
    bool is_key = false;    // all of it, and what follows
    bool doubtful = false;  // the bytes of `doubt` may be no part of it
    bool over = false;
    size_t width = 0;  // bytes of it in the row before; 0 in its first row
    Doubt doubt;
  };
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

  static constexpr size_t kGaps = 128;  // more than the longest word
  // Keys that may have begun at the same time: a prefix may stand within what began like another
  // key and is none. Of more, the first that is not known to be a key is given up.
  static constexpr size_t kMostRuns = 8;

  const Secrets* secrets_;
  Automaton::State state_ = 0;
  std::vector<Run> runs_;  // by their beginnings; kMostRuns at most
  PrivateKey private_key_;
  Earlier earlier_;
  size_t row_bytes_ = 0, last_row_bytes_ = 0;  // of this row, up to now, and of the one before
  uint64_t seen_ = 0;
  std::array<Gap, kGaps> gaps_{};  // before the last bytes, by number
  std::array<char, kGaps> bytes_{};
};

}  // namespace orch::mask
