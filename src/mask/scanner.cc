#include "mask/scanner.h"

#include <algorithm>

namespace orch::mask {
namespace {

constexpr size_t kMostPrivateKey = 16 << 10;  // of 16,384 bits, with room
// A key that may be complete goes on in the next row only where its own was long enough to have
// been broken.
constexpr size_t kLeastBrokenRow = 40;
constexpr size_t kLineNumber = 8;  // bytes at a row's start that may be its number
constexpr size_t kMostUndecided = 300;

bool is_base64(char byte) {
  return is_body(Shape::Body::kAlphanumeric, byte) || byte == '+' || byte == '/' || byte == '=';
}

}  // namespace

Scanner::Step Scanner::next(char byte, Gap before) {
  if (before >= Gap::kRow) {
    last_row_bytes_ = row_bytes_;
    row_bytes_ = 0;
  }
  if (before == Gap::kWall) {
    state_ = 0;
    run_ = {};
  }
  gaps_[seen_ % kGaps] = before;
  bytes_[seen_ % kGaps] = byte;
  ++seen_;
  Step step;
  if (run_.shape != nullptr) step.secret = step_run(byte, before);
  if (private_key_left_ > 0) step.secret = std::max(step.secret, step_private_key(byte, before));
  ++row_bytes_;
  state_ = secrets_->automaton().next(state_, byte);
  step.secret = find_words(step.secret);
  step.open = secrets_->automaton().depth(state_);
  if (run_.shape != nullptr && !run_.is_key) step.open = std::max(step.open, run_.length);
  if (step.secret >= step.open) step.open = 0;  // all of it is known
  return step;
}

size_t Scanner::find_words(size_t longest) {
  if (!secrets_->automaton().ends_word(state_)) return longest;
  for (const uint16_t number : secrets_->automaton().words(state_)) {
    const Secrets::Word& word = secrets_->word(number);
    if (!is_whole(word)) continue;
    switch (word.kind) {
      case Secrets::Word::Kind::kValue:
        longest = std::max(longest, word.length);
        break;
      case Secrets::Word::Kind::kShape:
        begin_run(word);
        break;
      case Secrets::Word::Kind::kKeyHeader:
        private_key_left_ = kMostPrivateKey;
        break;
    }
  }
  return longest;
}

// Its bytes stand together, but for the ends of rows; a prefix begins a word.
bool Scanner::is_whole(const Secrets::Word& word) const {
  using Kind = Secrets::Word::Kind;
  const bool blanks = word.has_blanks || word.kind == Kind::kKeyHeader;
  for (uint64_t i = seen_ - word.length + 1; i < seen_; ++i) {
    if (gaps_[i % kGaps] == Gap::kBlank && !blanks) return false;
  }
  if (word.kind != Kind::kShape || seen_ == word.length) return true;
  const uint64_t first = seen_ - word.length;
  return gaps_[first % kGaps] != Gap::kNone || !is_word(bytes_[(first - 1) % kGaps]);
}

void Scanner::begin_run(const Secrets::Word& word) {
  if (run_.shape != nullptr) return;
  run_ = {};
  run_.shape = &shapes()[word.shape];
  run_.length = word.length;
}

size_t Scanner::step_run(char byte, Gap before) {
  const bool broken = before == Gap::kRow && (!run_.is_key || last_row_bytes_ >= kLeastBrokenRow);
  if ((before > Gap::kEscape && !broken) || !is_body(run_.shape->body, byte)) {
    run_ = {};
    return 0;
  }
  ++run_.length;
  ++run_.body;
  const bool was_key = run_.is_key;
  run_.is_key = was_key || completes(byte);
  const size_t secret = !run_.is_key ? 0 : was_key ? 1 : run_.length;
  const bool undecided_for_long = !run_.is_key && run_.length >= kMostUndecided;
  if (run_.body >= run_.shape->most || undecided_for_long) run_ = {};
  return secret;
}

// Whether with this byte it is a key, whatever follows.
bool Scanner::completes(char byte) {
  run_.digit = run_.digit || (byte >= '0' && byte <= '9');
  run_.capital = run_.capital || (byte >= 'A' && byte <= 'Z');
  if (run_.shape->body == Shape::Body::kJsonWebTokens) {
    constexpr std::string_view kJsonBegins = "eyJ";
    if (byte == '.' && run_.second_part == 0) run_.second_part = run_.body;
    const size_t behind = run_.body - run_.second_part;
    if (run_.second_part != 0 && behind >= 1 && behind <= kJsonBegins.size()) {
      const bool fits = byte == kJsonBegins[behind - 1];
      if (behind == 1) run_.second_begins = true;
      run_.second_begins = run_.second_begins && fits;
    }
    const bool begun = run_.second_part != 0 && behind >= kJsonBegins.size() && run_.second_begins;
    return begun && run_.body >= run_.shape->least;
  }
  if (run_.body < run_.shape->least) return false;
  return run_.shape->body != Shape::Body::kMixed || (run_.digit && run_.capital);
}

// Its lines of Base64, perhaps in a frame or numbered, up to the dashes of its end. Prose, which
// has blanks in its rows, is none.
size_t Scanner::step_private_key(char byte, Gap before) {
  --private_key_left_;
  const bool at_start = row_bytes_ <= kLineNumber;
  const char last = bytes_[(seen_ - 2) % kGaps];  // a header was before it
  const bool in_header = last == ':' || last == ',';
  if (byte == '-' || (before == Gap::kBlank && !at_start && !in_header)) {
    private_key_left_ = 0;
    return 0;
  }
  if (is_base64(byte) || byte == '\\' || byte == ':' || byte == ',') return 1;
  if ((byte & '\x80') == 0 || !at_start) private_key_left_ = 0;
  return 0;
}

}  // namespace orch::mask
