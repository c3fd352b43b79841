#include "ui/color.h"

#include <unistd.h>

#include <cstdlib>

namespace orch::ui {
namespace {

std::string_view value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

// ECMA-48, 8.3.117 (SGR).
std::string_view sequence_of(Color color) {
  switch (color) {
    case Color::kPlain:
      return "";
    case Color::kDim:
      return "\x1b[2m";
    case Color::kRed:
      return "\x1b[31m";
    case Color::kGreen:
      return "\x1b[32m";
    case Color::kYellow:
      return "\x1b[33m";
  }
  return "";
}

}  // namespace

bool is_dumb() { return value_of("TERM") == "dumb"; }

bool wants_color(ColorChoice choice, int fd) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  if (!value_of("NO_COLOR").empty()) return false;
  const std::string_view force = value_of("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return ::isatty(fd) != 0 && !is_dumb() && value_of("CLICOLOR") != "0";
}

Color color_of_state(std::string_view state) {
  const std::string_view word = state.substr(0, state.find_first_of(" /("));
  if (word == "working") return Color::kGreen;
  if (word == "waiting") return Color::kYellow;
  if (word == "error" || word == "errored") return Color::kRed;
  return Color::kPlain;
}

std::string colored(std::string_view text, Color color, bool wanted) {
  const std::string_view begin = sequence_of(color);
  if (!wanted || begin.empty()) return std::string(text);
  return std::string(begin).append(text).append("\x1b[m");
}

}  // namespace orch::ui
