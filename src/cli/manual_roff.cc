#include "cli/manual_roff.h"

#include <cstdio>

#include "base/text.h"

namespace orch::cli {
namespace {

// The escapes for characters that groff would print as another character.
std::string_view escape_of(char32_t character) {
  switch (character) {
    case U'\\':
      return "\\e";
    case U'-':
      return "\\-";
    case U'\'':
      return "\\(aq";
    case U'"':
      return "\\(dq";
    case U'`':
      return "\\(ga";
    case U'^':
      return "\\(ha";
    case U'~':
      return "\\(ti";
    default:
      return "";
  }
}

}  // namespace

std::string roff_word(std::string_view text) {
  const std::string shown = base::printable(text);
  std::string out;
  for (std::string_view rest = shown; !rest.empty();) {
    const auto [character, length] = base::decode_utf8(rest);
    rest.remove_prefix(length);
    if (const std::string_view escape = escape_of(character); !escape.empty()) {
      out += escape;
    } else if (character < 0x80) {
      out += static_cast<char>(character);
    } else {
      char named[16];
      std::snprintf(named, sizeof named, "\\[u%04X]", static_cast<unsigned>(character));
      out += named;
    }
  }
  return out;
}

std::string roff_line(std::string_view text) {
  const bool is_request = text.starts_with('.') || text.starts_with('\'');
  return (is_request ? "\\&" : "") + roff_word(text);
}

std::string roff_argument(std::string_view text) { return "\"" + roff_word(text) + "\""; }

}  // namespace orch::cli
