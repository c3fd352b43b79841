#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::run {

// One piece of a screen's text, for reading phrases that a terminal has wrapped.
struct ScreenWord {
  enum class Kind : uint8_t {
    kWord,    // ASCII letters, as lower case
    kNumber,  // digits
    kSign,    // one other character
  };
  Kind kind = Kind::kSign;
  std::string text;
  size_t row = 0;
};

// The words of rows joined by LF. White space (no-break spaces too) and the vertical lines of boxes
// are between words, and none.
std::vector<ScreenWord> screen_words(std::string_view text);

// Reads words from some point on; copied to look ahead. The words outlive it.
class WordCursor {
 public:
  explicit WordCursor(std::span<const ScreenWord> words) : words_(words) {}

  const ScreenWord* next() const { return words_.empty() ? nullptr : &words_.front(); }
  void skip() { words_ = words_.subspan(1); }  // what next() is

  bool take(std::string_view text);
  bool take_one_of(std::initializer_list<std::string_view> texts);
  // Only a number of so many digits.
  std::optional<int64_t> take_number(size_t min_digits, size_t max_digits);

 private:
  std::span<const ScreenWord> words_;
};

}  // namespace orch::run
