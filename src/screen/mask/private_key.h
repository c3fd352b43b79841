#pragma once

#include <cstddef>
#include <cstdint>

#include "mask/gap.h"

namespace orch::mask {

// Recognises the body of a private key, from the line that it begins with up to the dashes of its
// end. Rows of pure Base64, even if numbered or in a frame, belong to the key at once. In rows that
// hold other text too (a diff's "-", a quote's ">", a comment's "#", a file's name, the quotes of a
// string, headers), long runs of Base64 belong to it, and so does the shorter run right before the
// end.
class PrivateKey {
 public:
  struct Found {
    size_t secret = 0;  // how many of the last bytes are secret, with this one
    // Set at the key's end: how many bytes of the last run are secret, and how many bytes have come
    // since.
    size_t earlier = 0, since = 0;
  };
  // Call it when the last byte of the key's header has come, at `row_bytes` bytes into its row.
  void begin(size_t row_bytes);
  bool has_begun() const { return left_ > 0; }
  Found next(char byte, Gap before);
  size_t open() const;  // how many of the last bytes may turn out to belong to the key

  static constexpr size_t kMostOpen = 256;

 private:
  // A sequence of Base64 characters, which may continue in the next row.
  struct Run {
    size_t length = 0;
    uint64_t end = 0;  // the number of its last byte
    uint64_t row = 0;  // the row of its last byte
    bool digit = false, capital = false, small = false;
    bool is_key = false;
    bool is_known_by(char byte);
    bool is_mixed() const;
  };
  bool is_bare(char byte, Gap before) const;
  void end_row();
  void end_run();
  size_t step_run(char byte, Gap before);
  bool may_be_last(const Run& run) const;
  size_t since_begin(const Run& run) const;
  Found end();

  size_t left_ = 0;       // how many more bytes are accepted; 0: no key has begun
  uint64_t count_ = 0;    // bytes since the header
  size_t row_bytes_ = 0;  // bytes in this row
  uint64_t row_ = 1;      // number of this row
  char last_ = 0;
  bool bare_ = false;      // this row has only had Base64 so far
  size_t dashes_ = 0;      // how many dashes the last bytes are
  Run run_;                // the run that is going on
  bool foreign_ = false;   // this row has a run that is not part of the key
  uint64_t long_row_ = 0;  // the last row with a long run
  // The last runs that may be the key's end: in this row, and in the rows before.
  Run short_here_, short_before_;
};

}  // namespace orch::mask
