#include "driver/typed_text.h"

#include <charconv>
#include <utility>

#include "base/invisible.h"
#include "base/replace.h"
#include "base/text.h"
#include "term/width.h"

namespace orch::driver {
namespace {

constexpr size_t kTailShown = 16;  // bytes at the end of a text that are enough to recognise it
constexpr char kComposed = '\x01';
constexpr int64_t kTabWidth = 8;

// Whether the character may belong to the frame of a box, as detect::bare() sees it, or show that
// the box has scrolled.
bool is_frame(char32_t c) {
  constexpr std::u32string_view kFrame = U"│┃|╭╰╮╯╻╹↑↓";
  return kFrame.find(c) != std::u32string_view::npos;
}

bool is_blank(char32_t c) {
  return c <= ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

// Whether the character is drawn everywhere. Invisible characters do not count: some terminals and
// agents draw them, others leave them out.
bool is_drawn(char32_t c) { return !is_blank(c) && !is_frame(c) && !base::is_invisible(c); }

bool is_mark(char32_t c) { return c >= 0x80 && term::WidthTable::instance().width(c) == 0; }

bool is_pictograph(char32_t c) {
  return (c >= 0x2190 && c <= 0x2BFF) || (c >= 0x1F000 && c <= 0x1FAFF) || c == 0x20E3;
}

// Whether the character makes one picture out of several characters: a joiner, a variation
// selector, a skin tone, a letter of a flag.
bool joins_pictographs(char32_t c) {
  return c == 0x200D || c == 0xFE0F || c == 0x20E3 || (c >= 0x1F3FB && c <= 0x1F3FF) ||
         (c >= 0x1F1E6 && c <= 0x1F1FF);
}

// Calls `take` with every character and its bytes.
template <typename Take>
void each_character(std::string_view text, Take take) {
  while (!text.empty()) {
    const base::Decoded c = base::decode_utf8(text);
    take(c.code_point, text.substr(0, c.length));
    text.remove_prefix(c.length);
  }
}

template <typename Test>
bool has_any(std::string_view text, Test test) {
  bool found = false;
  each_character(text, [&](char32_t c, std::string_view) { found = found || test(c); });
  return found;
}

std::string letters_of(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  each_character(text, [&out](char32_t c, std::string_view bytes) {
    if (is_drawn(c)) out += bytes;
  });
  return out;
}

// One byte for each character together with its marks. A character that composing accents (NFC) may
// change becomes kComposed, so that it only counts as being there.
std::string skeleton_of(std::string_view letters) {
  std::string out;
  each_character(letters, [&out](char32_t c, std::string_view) {
    const bool mark = is_mark(c);
    if (!mark) out += c < 0x80 ? static_cast<char>(c) : kComposed;
    if (mark && !out.empty()) out.back() = kComposed;
  });
  return out;
}

// The letters of a text whose tabs prompt_toolkit has drawn.
std::string caret_of(std::string text) {
  base::replace_all(text, "\t", "^I");
  return letters_of(text);
}

std::string plain_of(std::string_view letters) {
  std::string out;
  each_character(letters, [&out](char32_t c, std::string_view bytes) {
    if (!is_pictograph(c) && !joins_pictographs(c)) out += bytes;
  });
  return out;
}

bool fits(std::string_view shown, std::string_view typed, TypedText::Extent extent) {
  if (shown == typed) return true;
  using Extent = TypedText::Extent;
  if (extent == Extent::kPart && shown.find(typed) != std::string_view::npos) return true;
  return extent != Extent::kAll && shown.size() >= kTailShown && typed.ends_with(shown);
}

// The amount of text that placeholders report, as far as they do: "+29 lines", "1234 chars".
struct Told {
  int64_t lines = 0, chars = 0;
  int64_t placeholders = 0;
  bool unsized = false;
};

void add_told(std::string_view placeholder, Told& told) {
  ++told.placeholders;
  const auto number_before = [placeholder](std::string_view unit) -> std::optional<int64_t> {
    size_t end = placeholder.find(unit);
    if (end == std::string_view::npos) return std::nullopt;
    end = placeholder.find_last_not_of(" \n", end - 1) + 1;  // the placeholder may be wrapped
    size_t begin = end;
    while (begin > 0 && placeholder[begin - 1] >= '0' && placeholder[begin - 1] <= '9') --begin;
    int64_t number = 0;
    const auto read = std::from_chars(placeholder.data() + begin, placeholder.data() + end, number);
    if (read.ec != std::errc() || read.ptr != placeholder.data() + end) return std::nullopt;
    return number;
  };
  const std::optional<int64_t> lines = number_before("line"), chars = number_before("char");
  if (lines) told.lines += *lines;
  if (chars) told.chars += *chars;
  if (!lines && !chars) told.unsized = true;
}

// Whether placeholders may stand for this part of the text. Some agents count line feeds, others
// lines; some trim pastes, or turn tabs into blanks, before they count.
bool may_stand_for(const Told& told, std::string_view part) {
  int64_t least_feeds = 0, feeds = 0;  // line feeds between drawn characters, and all line feeds
  int64_t drawn = 0, units = 0;        // drawn characters, and UTF-16 units as JavaScript counts
  int64_t pending = 0;
  each_character(part, [&](char32_t c, std::string_view) {
    if (c == '\n') {
      ++feeds;
      ++pending;
    }
    units += c == '\t' ? kTabWidth : c > 0xFFFF ? 2 : 1;
    if (!is_drawn(c)) return;
    if (drawn++ > 0) least_feeds += pending;
    pending = 0;
  });
  if (drawn == 0) return false;
  if (told.lines > feeds + told.placeholders || told.chars > units) return false;
  if (told.unsized || (told.lines > 0 && told.chars > 0)) return true;
  return told.chars > 0 ? told.chars >= drawn : told.lines + told.placeholders >= least_feeds;
}

}  // namespace

bool draws_nothing(std::string_view text) { return !has_any(text, is_drawn); }

bool may_be_replies(std::string_view box, std::string_view replies) {
  const std::string letters = letters_of(box);
  size_t at = 0;
  for (const char letter : letters) {
    at = replies.find(letter, at);
    if (at == std::string_view::npos) return false;
    ++at;
  }
  return true;
}

// The expression is put into a group, because Pattern::capture() returns the text of the first
// group.
std::optional<base::Pattern> placeholder_pattern(const std::string& expression) {
  if (expression.empty()) return std::nullopt;
  return base::Pattern::compile("(" + expression + ")", base::Compiled::kWhenSearched).value();
}

TypedText::TypedText(std::string_view text, const base::Pattern* placeholder)
    : text_(text),
      letters_(letters_of(text)),
      caret_(text.find('\t') == std::string_view::npos ? "" : caret_of(std::string(text))),
      skeleton_(has_any(letters_, is_mark) ? skeleton_of(letters_) : ""),
      plain_(has_any(text, joins_pictographs) ? plain_of(letters_) : ""),
      placeholder_(placeholder) {}

bool TypedText::is_shown_by(std::string_view box, Extent extent) const {
  const std::string letters = letters_of(box);
  if (letters.empty()) return false;
  if (fits(letters, letters_, extent)) return true;
  if (!caret_.empty() && fits(letters, caret_, extent)) return true;
  if (!skeleton_.empty() && fits(skeleton_of(letters), skeleton_, extent)) return true;
  // If several characters are joined into one picture, a box may show fewer of them than were
  // typed, or more.
  if (plain_.size() >= kTailShown && fits(plain_of(letters), plain_, extent)) return true;
  return placeholder_ != nullptr && is_shown_by_placeholders(box, extent);
}

// The box holds parts of the text, in order, with placeholders between them, and each placeholder
// must be able to stand for the text between its parts. A box that has scrolled does not show the
// first part.
bool TypedText::is_shown_by_placeholders(std::string_view box, Extent extent) const {
  enum class Part : uint8_t { kFirst, kMiddle, kLast };
  size_t at = 0;       // letters_ up to here was found in the box or behind a placeholder
  size_t text_at = 0;  // the same position in text_
  Told told;           // the sum of the placeholders after that position
  // Moves text_at over `drawn` bytes of drawn characters and the characters after them that are not
  // drawn, and returns the text that it moved over.
  const auto skip = [this, &text_at](size_t drawn) {
    const size_t begin = text_at;
    for (size_t seen = 0; drawn > 0 && text_at < text_.size();) {
      const base::Decoded c = base::decode_utf8(std::string_view(text_).substr(text_at));
      if (is_drawn(c.code_point) && seen == drawn) break;
      if (is_drawn(c.code_point)) seen += c.length;
      text_at += c.length;
    }
    return std::string_view(text_).substr(begin, text_at - begin);
  };
  const auto take = [&](std::string_view box_part, Part part) {
    const std::string letters = letters_of(box_part);
    if (letters.empty() && part == Part::kMiddle) return true;  // two placeholders side by side
    if (letters.size() > letters_.size()) return false;
    const size_t found =
        part == Part::kLast ? letters_.size() - letters.size() : letters_.find(letters, at);
    if (found == std::string::npos || found < at) return false;
    if (letters_.compare(found, letters.size(), letters) != 0) return false;
    const std::string_view between = skip(found - at);
    if (part == Part::kFirst && found > 0 && extent == Extent::kAll) return false;
    if (part != Part::kFirst && !may_stand_for(std::exchange(told, {}), between)) return false;
    skip(letters.size());
    at = found + letters.size();
    return true;
  };
  Part part = Part::kFirst;
  for (std::string placeholder; placeholder_->capture(box, &placeholder) && !placeholder.empty();) {
    const size_t begin = box.find(placeholder);
    if (!take(box.substr(0, begin), part)) return false;
    add_told(placeholder, told);
    box.remove_prefix(begin + placeholder.size());
    part = Part::kMiddle;
  }
  return part == Part::kMiddle && take(box, Part::kLast);
}

}  // namespace orch::driver
