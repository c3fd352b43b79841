#include "driver/typed_text.h"

#include "base/text.h"
#include "term/width.h"

namespace orch::driver {
namespace {

constexpr size_t kTailShown = 16;  // this much of a long text's end is enough to recognise it
constexpr char kComposed = '\x01';

bool is_blank(char32_t c) {
  return c <= ' ' || c == 0xA0 || c == U'┃' || c == U'│';  // boxes frame text, too
}

// Calls `take` with every character that is no blank, and the bytes it is.
template <typename Take>
void each_letter(std::string_view text, Take take) {
  while (!text.empty()) {
    const base::Decoded c = base::decode_utf8(text);
    if (!is_blank(c.code_point)) take(c.code_point, text.substr(0, c.length));
    text.remove_prefix(c.length);
  }
}

std::string letters_of(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  each_letter(text, [&out](char32_t, std::string_view bytes) { out += bytes; });
  return out;
}

// One character for each that stands alone or with marks on it; of those that composing accents
// (NFC) may change only that they are there.
std::string skeleton_of(std::string_view text) {
  const term::WidthTable& widths = term::WidthTable::instance();
  std::string out;
  each_letter(text, [&](char32_t c, std::string_view) {
    const bool mark = c >= 0x80 && widths.width(c) == 0;
    if (!mark) out += c < 0x80 ? static_cast<char>(c) : kComposed;
    if (mark && !out.empty()) out.back() = kComposed;
  });
  return out;
}

bool has_marks(std::string_view text) {
  const term::WidthTable& widths = term::WidthTable::instance();
  bool found = false;
  each_letter(text, [&](char32_t c, std::string_view) {
    found = found || (c >= 0x80 && widths.width(c) == 0);
  });
  return found;
}

// All of it, or its end: a box that scrolls shows no more. Where characters are joined into one
// (emoji) a box may show fewer or more than were typed; then the end of a long text has to do.
bool is_end(std::string_view shown, std::string_view typed) {
  if (shown == typed) return true;
  if (shown.size() < kTailShown || typed.size() < kTailShown) return false;
  if (typed.ends_with(shown)) return true;
  return shown.size() <= typed.size() * 5 / 4 &&
         shown.ends_with(typed.substr(typed.size() - kTailShown));
}

}  // namespace

TypedText::TypedText(std::string_view text, const base::Pattern* placeholder)
    : letters_(letters_of(text)),
      skeleton_(has_marks(text) ? skeleton_of(text) : ""),
      placeholder_(placeholder) {}

bool TypedText::is_shown_by(std::string_view box) const {
  if (placeholder_ != nullptr && placeholder_->matches(box)) return true;
  if (is_end(letters_of(box), letters_)) return true;
  return !skeleton_.empty() && is_end(skeleton_of(box), skeleton_);
}

}  // namespace orch::driver
