#include "mask/scanner.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace orch::mask {
namespace {

// If a row is at least this long and the terminal has ended it, the next row continues a key.
constexpr size_t kLeastBrokenRow = 40;
constexpr size_t kLeastDoubt = 4;   // fewest bytes that can be judged to look like a key
constexpr size_t kMostDoubt = 256;  // after this many undecided bytes the key counts as over

}  // namespace

Scanner::Step Scanner::next(char byte, Gap before) {
  if (before >= Gap::kRow) end_row();
  if (before == Gap::kWall) {
    state_ = 0;
    runs_.clear();
    private_key_ = PrivateKey();
  }
  gaps_[seen_ % kGaps] = before;
  bytes_[seen_ % kGaps] = byte;
  ++seen_;
  Step step;
  if (!runs_.empty()) step.secret = step_runs(byte, before);
  if (private_key_.has_begun()) step.secret = std::max(step.secret, step_private_key(byte, before));
  ++row_bytes_;
  state_ = secrets_->automaton().next(state_, byte);
  if (secrets_->automaton().ends_word(state_)) step.secret = find_words(step.secret);
  step.open = secrets_->automaton().depth(state_);
  for (const Run& run : runs_) {
    step.open = std::max(step.open, open_of(run));
  }
  if (private_key_.has_begun()) step.open = std::max(step.open, private_key_.open());
  if (step.secret >= step.open) step.open = 0;  // all of it is known to be secret
  return step;
}

size_t Scanner::find_words(size_t longest) {
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
        private_key_.begin(row_bytes_);
        break;
    }
  }
  return longest;
}

// Whether the word's bytes stand together, apart from line ends.
bool Scanner::is_whole(const Secrets::Word& word) const {
  if (word.has_blanks || word.kind == Secrets::Word::Kind::kKeyHeader) return true;
  for (uint64_t i = seen_ - word.length + 1; i < seen_; ++i) {
    if (gaps_[i % kGaps] == Gap::kBlank) return false;
  }
  return true;
}

bool Scanner::stands_behind_vowel(const Secrets::Word& word) const {
  if (seen_ == word.length) return false;
  const uint64_t first = seen_ - word.length;
  return gaps_[first % kGaps] <= Gap::kEscape && is_vowel(bytes_[(first - 1) % kGaps]);
}

void Scanner::begin_run(const Secrets::Word& word) {
  if (runs_.size() == kMostRuns) {
    const auto undecided = std::ranges::find(runs_, false, &Run::is_key);
    runs_.erase(undecided == runs_.end() ? runs_.begin() : undecided);
  }
  Run run;
  run.shape = &shapes()[word.shape];
  run.length = word.length;
  run.in_word = run.shape->least_in_word != 0 && stands_behind_vowel(word);
  runs_.push_back(run);
}

size_t Scanner::step_runs(char byte, Gap before) {
  size_t longest = 0;
  for (Run& run : runs_) longest = std::max(longest, step_run(run, byte, before));
  std::erase_if(runs_, [](const Run& run) { return run.over; });
  return longest;
}

// Adds a byte to a run. Returns how many of the last bytes belong to its key.
size_t Scanner::step_run(Run& run, char byte, Gap before) const {
  if (!reaches_over(run, before) || !is_body(run.shape->body, byte)) {
    run.over = true;
    return 0;
  }
  ++run.length;
  ++run.body;
  const bool was_key = run.is_key;
  run.is_key = was_key || completes(run, byte);
  const bool is_token = run.shape->body == Shape::Body::kJsonWebTokens;
  const size_t most = is_token ? kMostUndecidedToken : kMostUndecided;
  const bool undecided_for_long = !run.is_key && run.length >= most;
  run.over = run.body >= run.shape->most || undecided_for_long;
  if (run.doubtful) return step_doubt(run, byte);
  return !run.is_key ? 0 : was_key ? 1 : run.length;
}

bool Scanner::reaches_over(Run& run, Gap before) const {
  if (before <= Gap::kEscape) return true;
  return (before == Gap::kRow || before == Gap::kLine) && goes_on_in_row(run, before);
}

// Rows of one broken key are equally wide, except for the last. In its first row only the key's own
// part counts: text before it may not belong to the broken text (another cell of a table).
bool Scanner::goes_on_in_row(Run& run, Gap before) const {
  if (run.doubtful) return false;  // the doubt was not settled by the end of its row
  const bool in_first_row = run.width == 0;
  const size_t last_width = std::exchange(run.width, in_first_row ? run.length : last_row_bytes_);
  const bool narrower = run.width < last_width;
  const bool may_be_anywhere = before == Gap::kRow;  // the cursor may have been moved to any column
  if (!run.is_key) return may_be_anywhere || !narrower;
  if (may_be_anywhere && last_row_bytes_ >= kLeastBrokenRow) return true;
  run.doubtful = true;
  run.doubt = {.alike = !in_first_row};
  return !narrower;
}

// Adds a byte that may not belong to the key. Returns how many of the last bytes do belong to it
// after all.
size_t Scanner::step_doubt(Run& run, char byte) {
  run.doubt.add(byte);
  run.doubtful = !run.doubt.is_settled(run.width);
  run.over = run.over || run.doubt.length >= kMostDoubt;
  return run.doubtful ? 0 : run.doubt.length;
}

size_t Scanner::open_of(const Run& run) {
  if (!run.is_key) return run.length;
  return run.doubtful ? run.doubt.length : 0;
}

void Scanner::Doubt::add(char byte) {
  const bool is_small = byte >= 'a' && byte <= 'z', is_capital = byte >= 'A' && byte <= 'Z';
  ++length;
  if (is_capital && small_last) ++rises;
  digit = digit || base::is_digit(byte);
  capital = capital || is_capital;
  letter = letter || is_small || is_capital;
  small_last = is_small;
}

bool Scanner::Doubt::is_settled(size_t width) const {
  if (length >= width && letter) return true;
  if (alike) return digit || capital;
  return length >= kLeastDoubt && ((digit && letter) || rises >= 2);
}

// Whether the run is a key with this byte, whatever comes next.
bool Scanner::completes(Run& run, char byte) {
  run.digit = run.digit || base::is_digit(byte);
  run.capital = run.capital || base::is_capital(byte);
  if (run.shape->body == Shape::Body::kJsonWebTokens) {
    constexpr std::string_view kJsonBegins = "eyJ";
    if (byte == '.' && run.second_part == 0) run.second_part = run.body;
    const size_t behind = run.body - run.second_part;
    if (run.second_part != 0 && behind >= 1 && behind <= kJsonBegins.size()) {
      const bool fits = byte == kJsonBegins[behind - 1];
      if (behind == 1) run.second_begins = true;
      run.second_begins = run.second_begins && fits;
    }
    const bool begun = run.second_part != 0 && behind >= kJsonBegins.size() && run.second_begins;
    return begun && run.body >= run.shape->least;
  }
  const bool must_be_mixed = run.shape->body == Shape::Body::kMixed || run.in_word;
  const size_t least = run.in_word ? run.shape->least_in_word : run.shape->least;
  return run.body >= least && (!must_be_mixed || (run.digit && run.capital));
}

size_t Scanner::step_private_key(char byte, Gap before) {
  const PrivateKey::Found found = private_key_.next(byte, before);
  earlier_ = {found.earlier, found.since};
  return found.secret;
}

}  // namespace orch::mask
