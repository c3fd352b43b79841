#include "mux/tmux/snapshot.h"

#include <array>
#include <charconv>
#include <optional>

#include "mux/tmux/command_text.h"

namespace orch::mux::tmux {
namespace {

// The fields of the first block's line, in this order. The pane's title follows as the last,
// because it may hold blanks.
constexpr std::array kNumbers{
    "alternate_on",
    "cursor_x",
    "cursor_y",
    "cursor_flag",
    "insert_flag",
    "keypad_cursor_flag",
    "keypad_flag",
    "wrap_flag",
    "origin_flag",
    "mouse_standard_flag",
    "mouse_button_flag",
    "mouse_any_flag",
    "mouse_sgr_flag",
    "scroll_region_upper",
    "scroll_region_lower",
    "?@orch-tile,0,1",  // a tile's title is not its agent's
};
enum At {
  kAlternate,
  kX,
  kY,
  kCursor,
  kInsert,
  kCursorKeys,
  kKeypad,
  kWrap,
  kOrigin,
  kMouse,
  kMouseButton,
  kMouseAny,
  kMouseSgr,
  kUpper,
  kLower,
  kTitle
};

struct State {
  std::array<int, kNumbers.size()> numbers{};
  std::string title;
};

std::optional<State> state_in(std::string_view line) {
  State state;
  for (int& number : state.numbers) {
    const size_t end = line.find(' ');
    if (end == std::string_view::npos) return std::nullopt;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + end, number);
    if (error != std::errc() || rest != line.data() + end) return std::nullopt;
    line.remove_prefix(end + 1);
  }
  state.title = line;
  return state;
}

void add_mode(std::string& out, std::string_view mode, int on) {
  out.append("\033[").append(mode).append(on != 0 ? "h" : "l");
}

std::string place(int row, int col) {
  return "\033[" + std::to_string(row + 1) + ";" + std::to_string(col + 1) + "H";
}

}  // namespace

std::string snapshot_command(std::string_view pane) {
  std::string format;
  for (const char* number : kNumbers) format.append("#{").append(number).append("} ");
  format += "#{pane_title}";
  const std::string target = quoted_word(pane);
  return "display-message -p -t " + target + " " + quoted_word(format) +
         " ; capture-pane -e -p -t " + target + " ; capture-pane -p -P -t " + target;
}

std::string drawing(std::span<const Block> answer) {
  if (answer.size() != kSnapshotBlocks || answer[0].lines.size() != 1) return "";
  const std::optional<State> state = state_in(answer[0].lines[0]);
  if (!state) return "";
  const auto& is = state->numbers;
  std::string out = "\030\033[m";  // CAN ends a sequence that was cut off
  add_mode(out, "?1049", is[kAlternate]);
  out += "\033[r\033[?6l\033[4l\033[?7h\033[H\033[2J";
  int row = 0;
  for (const std::string& line : answer[1].lines) out += place(row++, 0) + line + "\033[m";
  if (is[kTitle] != 0) out += "\033]2;" + state->title + "\033\\";
  if (is[kLower] > is[kUpper]) {
    out += "\033[" + std::to_string(is[kUpper] + 1) + ";" + std::to_string(is[kLower] + 1) + "r";
  }
  add_mode(out, "4", is[kInsert]);
  add_mode(out, "?1", is[kCursorKeys]);
  out += is[kKeypad] != 0 ? "\033=" : "\033>";
  add_mode(out, "?7", is[kWrap]);
  add_mode(out, "?1000", is[kMouse]);
  add_mode(out, "?1002", is[kMouseButton]);
  add_mode(out, "?1003", is[kMouseAny]);
  add_mode(out, "?1006", is[kMouseSgr]);
  add_mode(out, "?6", is[kOrigin]);
  add_mode(out, "?25", is[kCursor]);
  out += place(is[kOrigin] != 0 ? is[kY] - is[kUpper] : is[kY], is[kX]);
  for (const std::string& line : answer[2].lines) out += line;
  return out;
}

}  // namespace orch::mux::tmux
