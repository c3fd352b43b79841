#pragma once

#include <cstddef>
#include <cstdint>

#include "mask/gap.h"

namespace orch::mask {

// What comes behind the line that a private key begins with, up to the dashes of its end. Rows of
// nothing but Base64, also numbered or in a frame, are of the key as they come. Where something
// else was between (a diff's "-", a quote's ">", a comment's "#", a file's name, a string's quotes,
// headers), long runs of Base64 still are, and the shorter one that stands right before the end.
class PrivateKey {
 public:
  struct Found {
    size_t secret = 0;  // of the last bytes, with this one
    // At the end: bytes of the key's last row, and how many have come since.
    size_t earlier = 0, since = 0;
  };
  // Its header's last byte has come, which is that of a row's first `row_bytes`.
  void begin(size_t row_bytes);
  bool has_begun() const { return left_ > 0; }
  Found next(char byte, Gap before);
  size_t open() const;  // how many of the last bytes may turn out to be of the key

  static constexpr size_t kMostOpen = 256;

 private:
  // Characters of Base64 that stand together, also where their row was broken.
  struct Run {
    size_t length = 0;
    uint64_t end = 0;  // the number of its last byte
    uint64_t row = 0;  // in which that is
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

  size_t left_ = 0;       // bytes that may still come
  uint64_t count_ = 0;    // bytes that have come
  size_t row_bytes_ = 0;  // of this row
  uint64_t row_ = 1;      // its number
  char last_ = 0;
  bool bare_ = false;      // up to now there was nothing but Base64
  size_t dashes_ = 0;      // that the last bytes are
  Run run_;                // that the last bytes are of
  bool foreign_ = false;   // this row has a run that is not of the key
  uint64_t long_row_ = 0;  // the last row with a long run
  // The last runs that may be the key's end: of this row, and of those before.
  Run short_here_, short_before_;
};

}  // namespace orch::mask
