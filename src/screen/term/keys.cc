#include "term/keys.h"

#include <array>

#include "base/text.h"

namespace orch::term {
namespace {

struct NamedKey {
  std::string_view name;
  std::string_view bytes;
};
constexpr std::array kKeys = {
    NamedKey{"Enter", "\r"},         NamedKey{"Escape", "\033"},    NamedKey{"Tab", "\t"},
    NamedKey{"BTab", "\033[Z"},      NamedKey{"Backspace", "\x7f"}, NamedKey{"BSpace", "\x7f"},
    NamedKey{"Space", " "},          NamedKey{"PageUp", "\033[5~"}, NamedKey{"PgUp", "\033[5~"},
    NamedKey{"PageDown", "\033[6~"}, NamedKey{"PgDn", "\033[6~"},   NamedKey{"Delete", "\033[3~"},
    NamedKey{"DC", "\033[3~"},
};

// Keys that follow DECCKM: CSI x, or SS3 x in application mode.
struct CursorKey {
  std::string_view name;
  char final;
};
constexpr std::array kCursorKeys = {CursorKey{"Up", 'A'},    CursorKey{"Down", 'B'},
                                    CursorKey{"Right", 'C'}, CursorKey{"Left", 'D'},
                                    CursorKey{"Home", 'H'},  CursorKey{"End", 'F'}};

bool is_one_printable_character(std::string_view text) {
  return !text.empty() && base::decode_utf8(text).length == text.size() &&
         base::printable(text) == text && text != "\t" && text != "\n";
}

}  // namespace

std::optional<std::string> key_bytes(std::string_view name, CursorKeys cursor_keys) {
  for (const NamedKey& key : kKeys) {
    if (key.name == name) return std::string(key.bytes);
  }
  for (const CursorKey& key : kCursorKeys) {
    if (key.name != name) continue;
    const bool application = cursor_keys == CursorKeys::kApplication;
    return std::string(application ? "\033O" : "\033[") + key.final;
  }
  if (name.size() == 3 && name.starts_with("C-") && name[2] >= 'a' && name[2] <= 'z') {
    return std::string(1, static_cast<char>(name[2] - 'a' + 1));
  }
  if (is_one_printable_character(name)) return std::string(name);
  return std::nullopt;
}

std::string paste_bytes(std::string_view text, PasteMode mode) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const base::Decoded decoded = base::decode_utf8(text.substr(i));
    const char32_t c = decoded.code_point;
    i += decoded.length;
    if (c == '\r') {
      if (i < text.size() && text[i] == '\n') ++i;
      out.push_back('\n');
    } else if (c == '\t' || c == '\n' || (c >= 0x20 && c < 0x7F) || c >= 0xA0) {
      base::append_utf8(out, c);
    }
  }
  return mode == PasteMode::kPlain ? out : "\033[200~" + out + "\033[201~";
}

}  // namespace orch::term
