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

// One word of a screen's text. Phrases are read word by word, because a terminal may wrap them.
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

// Splits text into words; its rows are joined by LF. White space (no-break spaces too) and the
// vertical lines of boxes separate words, and are not words themselves.
std::vector<ScreenWord> screen_words(std::string_view text);

// Reads words one after the other; a copy of the cursor looks ahead. The words must outlive it.
class WordCursor {
 public:
  explicit WordCursor(std::span<const ScreenWord> words) : words_(words) {}

  const ScreenWord* next() const { return words_.empty() ? nullptr : &words_.front(); }
  void skip() { words_ = words_.subspan(1); }  // only while next() is not null

  // These skip the next word and return true if it is the text or one of the texts.
  bool take(std::string_view text);
  bool take_one_of(std::initializer_list<std::string_view> texts);
  // Takes the next word if it is a number with so many digits.
  std::optional<int64_t> take_number(size_t min_digits, size_t max_digits);

 private:
  std::span<const ScreenWord> words_;
};

}  // namespace orch::run
