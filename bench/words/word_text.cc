#include "words/word_text.h"

#include "base/text.h"

namespace orch::words {
namespace {

constexpr std::u32string_view kSigns = U"*_`#>•●⏺✦▎│┃-–—";

// White_Space of the Unicode Character Database, and the four separators U+001C to U+001F.
bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

bool is_sign(char32_t c) { return kSigns.find(c) != std::u32string_view::npos; }

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  while (!text.empty()) {
    const base::Decoded character = base::decode_utf8(text);
    const bool between = is_space(character.code_point) || is_sign(character.code_point);
    if (!between && !in_word) words.emplace_back();
    if (!between) words.back() += text.substr(0, character.length);
    in_word = !between;
    text.remove_prefix(character.length);
  }
  return words;
}

std::string plain(std::string_view text) {
  std::string joined;
  for (const std::string& word : words_of(text)) {
    if (!joined.empty()) joined += ' ';
    joined += word;
  }
  return joined;
}

std::string_view trimmed(std::string_view text) {
  size_t begin = text.size(), end = 0;
  for (size_t at = 0; at < text.size();) {
    const base::Decoded character = base::decode_utf8(text.substr(at));
    if (!is_space(character.code_point)) {
      if (begin == text.size()) begin = at;
      end = at + character.length;
    }
    at += character.length;
  }
  return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

size_t characters(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(base::decode_utf8(text).length);
  return count;
}

std::string shortened(std::string_view text, size_t most) {
  if (characters(text) <= most) return std::string(text);
  size_t end = 0;
  for (size_t kept = 1; kept < most; ++kept) end += base::decode_utf8(text.substr(end)).length;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace orch::words
