#include "mask/private_key.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "mask/shapes.h"

namespace orch::mask {
namespace {

constexpr size_t kMostBytes = 16 << 10;  // a key of 16,384 bits, with room to spare
constexpr size_t kLineNumber = 8;        // bytes at a row's start that may be a line number
constexpr size_t kLongRun = 32;          // this much Base64 in a row is not ordinary text
constexpr size_t kLeastLastRun = 4;
constexpr size_t kEndDashes = 5;

bool is_base64(char byte) {
  return is_body(Shape::Body::kAlphanumeric, byte) || byte == '+' || byte == '/' || byte == '=';
}

bool may_be_bare(char byte) {
  return is_base64(byte) || byte == '\\' || byte == ':' || byte == ',';
}

}  // namespace

void PrivateKey::begin(size_t row_bytes) {
  *this = PrivateKey();
  left_ = kMostBytes;
  row_bytes_ = row_bytes;
  last_ = '-';
  bare_ = true;
}

PrivateKey::Found PrivateKey::next(char byte, Gap before) {
  --left_;
  ++count_;
  if (before >= Gap::kRow) end_row();
  bare_ = bare_ && is_bare(byte, before);
  Found found;
  if (is_base64(byte)) {
    found.secret = step_run(byte, before);
  } else {
    end_run();
  }
  dashes_ = byte != '-' ? 0 : before > Gap::kEscape ? 1 : dashes_ + 1;
  if (dashes_ == kEndDashes) return end();
  if (bare_ && may_be_bare(byte)) found.secret = std::max<size_t>(found.secret, 1);
  last_ = byte;
  ++row_bytes_;
  return found;
}

// Whether the row still holds only Base64. Prose does not: it has blanks in its rows.
bool PrivateKey::is_bare(char byte, Gap before) const {
  const bool at_start = row_bytes_ <= kLineNumber;
  const bool in_header = last_ == ':' || last_ == ',';
  if (before == Gap::kBlank && !at_start && !in_header) return false;
  return may_be_bare(byte) || ((byte & '\x80') != 0 && at_start);
}

// A run continues in the next row only if its own row has no other text. A file's name at the start
// of this row, for example, would also be at the start of the next.
void PrivateKey::end_row() {
  if (foreign_) end_run();
  if (short_here_.length > 0) short_before_ = std::exchange(short_here_, Run());
  foreign_ = false;
  row_bytes_ = 0;
  ++row_;
}

void PrivateKey::end_run() {
  const Run run = std::exchange(run_, Run());
  if (run.length == 0 || run.is_key) return;
  foreign_ = foreign_ || run.row == row_;
  Run& short_run = run.row == row_ ? short_here_ : short_before_;
  const bool is_comment = short_run.row == run.row && short_run.is_mixed() && !run.is_mixed();
  if (may_be_last(run) && !is_comment) short_run = run;
}

// Whether this can be the last row of a key: the row with the last long run or the one after it.
bool PrivateKey::may_be_last(const Run& run) const {
  return run.length >= kLeastLastRun && long_row_ != 0 && run.row <= long_row_ + 1;
}

// Adds a byte to the current run. Returns how many of the last bytes belong to the key.
size_t PrivateKey::step_run(char byte, Gap before) {
  const bool is_none = !run_.is_key && run_.length == kMostOpen;
  if (before == Gap::kBlank || is_none) end_run();
  const bool was_key = run_.is_key;
  run_.end = count_;
  run_.row = row_;
  run_.is_key = run_.is_known_by(byte);
  if (!run_.is_key) return 0;
  long_row_ = row_;
  if (was_key) return 1;
  short_here_ = short_before_ = Run();
  return run_.length;
}

// Paths and hashes are long, too, but only a key mixes capitals, small letters and digits.
bool PrivateKey::Run::is_known_by(char byte) {
  ++length;
  digit = digit || base::is_digit(byte);
  capital = capital || base::is_capital(byte);
  small = small || base::is_small(byte);
  return is_key || (length >= kLongRun && digit && capital && small);
}

bool PrivateKey::Run::is_mixed() const { return digit && (capital || small); }

size_t PrivateKey::since_begin(const Run& run) const {
  if (run.length == 0 || run.is_key || run.row + 1 < row_) return 0;
  const size_t bytes = run.length + static_cast<size_t>(count_ - run.end);
  return bytes <= kMostOpen ? bytes : 0;
}

size_t PrivateKey::open() const {
  return std::max({since_begin(run_), since_begin(short_here_), since_begin(short_before_)});
}

// The key's last row is the one before its end marker, unless the whole key is one row.
PrivateKey::Found PrivateKey::end() {
  left_ = 0;
  const Run& last = long_row_ == row_ ? short_here_ : short_before_;
  if (since_begin(last) == 0) return {};
  return {.earlier = last.length, .since = static_cast<size_t>(count_ - last.end)};
}

}  // namespace orch::mask
