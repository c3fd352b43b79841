#include "attach/modes.h"

namespace orch::attach {
namespace {

struct MouseMode {
  uint16_t bit;
  const char* number;
};
constexpr MouseMode kMouseModes[] = {{1, "1000"}, {2, "1002"}, {4, "1003"}, {8, "1006"}};

void append_mode(const std::string& number, bool on, std::string& out) {
  out += "\x1b[?" + number + (on ? "h" : "l");
}

}  // namespace

MirroredModes modes_to_mirror(const term::Modes& modes, bool shown_from_origin) {
  MirroredModes mirrored;
  mirrored.application_cursor = modes.application_cursor;
  mirrored.bracketed_paste = modes.bracketed_paste;
  mirrored.focus_reports = modes.focus_reports;
  mirrored.mouse = shown_from_origin ? modes.mouse : uint16_t{0};
  mirrored.kitty_keyboard = modes.kitty_keyboard;
  return mirrored;
}

// Kitty's flags are kept on a stack: we push one entry, change it in place, and pop it at the end.
std::string change_of_modes(const MirroredModes& from, const MirroredModes& to) {
  std::string out;
  if (from.application_cursor != to.application_cursor) {
    append_mode("1", to.application_cursor, out);
  }
  if (from.bracketed_paste != to.bracketed_paste) append_mode("2004", to.bracketed_paste, out);
  if (from.focus_reports != to.focus_reports) append_mode("1004", to.focus_reports, out);
  for (const MouseMode& mode : kMouseModes) {
    const bool was = (from.mouse & mode.bit) != 0, is = (to.mouse & mode.bit) != 0;
    if (was != is) append_mode(mode.number, is, out);
  }
  if (from.kitty_keyboard != to.kitty_keyboard) {
    const std::string flags = std::to_string(to.kitty_keyboard);
    if (to.kitty_keyboard == 0) {
      out += "\x1b[<u";
    } else {
      out += from.kitty_keyboard == 0 ? "\x1b[>" + flags + "u" : "\x1b[=" + flags + ";1u";
    }
  }
  return out;
}

}  // namespace orch::attach
