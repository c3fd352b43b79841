#include "run/screen_words.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/text.h"

namespace orch::run {
namespace {

using Kind = ScreenWord::Kind;

// Whether the character only separates words. ICU puts U+202F before "PM".
bool is_between_words(char32_t c) {
  return c <= U' ' || c == U'|' || c == U'\u00A0' || c == U'\u2009' || c == U'\u202F' ||
         c == U'\u2502' || c == U'\u2503' || c == U'\u2551' || c == U'\u258C' || c == U'\u2590';
}

size_t run_length(std::string_view text, bool (*belongs)(char)) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), belongs) - text.begin());
}

}  // namespace

std::vector<ScreenWord> screen_words(std::string_view text) {
  std::vector<ScreenWord> words;
  size_t row = 0;
  while (!text.empty()) {
    size_t length = 0;
    if ((length = run_length(text, base::is_letter)) > 0) {
      std::string word(text.substr(0, length));
      word = base::lower(word);
      words.push_back({Kind::kWord, std::move(word), row});
    } else if ((length = run_length(text, base::is_digit)) > 0) {
      words.push_back({Kind::kNumber, std::string(text.substr(0, length)), row});
    } else {
      const base::Decoded sign = base::decode_utf8(text);
      length = sign.length;
      if (sign.code_point == U'\n') ++row;
      if (!is_between_words(sign.code_point)) {
        words.push_back({Kind::kSign, std::string(text.substr(0, length)), row});
      }
    }
    text.remove_prefix(length);
  }
  return words;
}

bool WordCursor::take(std::string_view text) { return take_one_of({text}); }

bool WordCursor::take_one_of(std::initializer_list<std::string_view> texts) {
  if (!next() || std::find(texts.begin(), texts.end(), next()->text) == texts.end()) return false;
  skip();
  return true;
}

std::optional<int64_t> WordCursor::take_number(size_t min_digits, size_t max_digits) {
  if (!next() || next()->kind != Kind::kNumber) return std::nullopt;
  const std::string& digits = next()->text;
  if (digits.size() < min_digits || digits.size() > max_digits) return std::nullopt;
  int64_t value = 0;
  const char* end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, value).ec != std::errc{}) return std::nullopt;
  skip();
  return value;
}

}  // namespace orch::run
