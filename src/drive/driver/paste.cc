#include "driver/paste.h"

#include "base/text.h"
#include "term/width.h"

namespace orch::driver {
namespace {

constexpr char32_t kJoiner = 0x200D;

bool is_skin_tone(char32_t c) { return c >= 0x1F3FB && c <= 0x1F3FF; }
bool is_flag_letter(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }

// The number of bytes in the first character of `text` as a reader sees it. This is a simple form
// of the extended grapheme clusters of Unicode Annex #29, which rather joins too much than too
// little.
size_t cluster_length(std::string_view text) {
  const base::Decoded first = base::decode_utf8(text);
  size_t length = first.length;
  char32_t before = first.code_point;
  bool flag = is_flag_letter(before);
  while (before != '\n' && length < text.size()) {
    const base::Decoded next = base::decode_utf8(text.substr(length));
    const char32_t c = next.code_point;
    const bool mark = c >= 0x80 && term::WidthTable::instance().width(c) == 0;
    const bool flag_ends = flag && is_flag_letter(c);
    const bool joined = before == kJoiner && c >= 0x80;
    if (!mark && !joined && !is_skin_tone(c) && !flag_ends) break;
    if (flag_ends) flag = false;
    length += next.length;
    before = c;
  }
  return length;
}

// The length in bytes of the first piece of `text`.
size_t piece_end(std::string_view text, size_t max_bytes) {
  size_t end = 0;
  size_t behind_blank = 0;
  while (end < text.size()) {
    const size_t length = cluster_length(text.substr(end));
    if (end > 0 && end + length > max_bytes) {
      return behind_blank > max_bytes / 2 ? behind_blank : end;
    }
    const char c = text[end];
    end += length;
    if (length == 1 && (c == ' ' || c == '\n')) behind_blank = end;
  }
  return end;
}

std::string without_tabs(std::string_view text, std::string_view tab) {
  std::string out;
  for (const char c : text) {
    if (c == '\t') {
      out += tab;
    } else {
      out += c;
    }
  }
  return out;
}

bool opens_menu(std::string_view text, std::string_view signs) {
  const size_t before = text.find_last_of(" \n");
  return before != std::string_view::npos && before + 1 < text.size() &&
         signs.find(text[before + 1]) != std::string_view::npos;
}

}  // namespace

std::vector<std::string_view> pieces_of(std::string_view text, size_t max_bytes) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const size_t end = piece_end(text, max_bytes);
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return pieces;
}

std::string typed_bytes(std::string_view text, const adapters::KeysSpec& keys,
                        term::PasteMode mode) {
  if (opens_menu(text, keys.menus)) {
    adapters::KeysSpec closed = keys;
    closed.menus.clear();
    return typed_bytes(std::string(text) + " ", closed, mode);
  }
  if (keys.bytes <= 0 || text.empty()) return term::paste_bytes(text, mode);
  const std::string safe = without_tabs(term::paste_bytes(text, term::PasteMode::kPlain), keys.tab);
  const std::string between = term::key_bytes(keys.between, term::CursorKeys::kNormal).value_or("");
  std::string bytes;
  for (const std::string_view piece : pieces_of(safe, static_cast<size_t>(keys.bytes))) {
    if (!bytes.empty()) bytes += between;
    bytes += piece;
  }
  return bytes;
}

}  // namespace orch::driver
