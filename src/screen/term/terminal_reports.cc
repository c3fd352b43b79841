// Answers to an application's questions about colours, settings, capabilities and sizes, in the
// form that xterm gives them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "term/palette.h"
#include "term/sgr.h"
#include "term/terminal_fast.h"

namespace orch::term {
namespace {

// orch draws no pixels. A cell has the size that a font of 16 px has in most terminals.
constexpr int kCellWidth = 10, kCellHeight = 20;

// Light grey on black.
constexpr Rgb kReportedForeground = 0xD0D0D0, kReportedBackground = 0x000000;

struct Capability {
  std::string_view name, value;
};
// The names of termcap and terminfo that xterm answers and that are not keys.
constexpr std::array kCapabilities{
    Capability{"Co", "256"}, Capability{"colors", "256"}, Capability{"TN", "xterm-256color"},
    Capability{"name", "xterm-256color"}, Capability{"RGB", "8/8/8"}};

// With capital digits.
std::string in_hex(std::string_view text) {
  std::string out;
  for (const char c : text) fmt::format_to(std::back_inserter(out), "{:02X}", c);
  return out;
}

bool is_same_hex(std::string_view hex, std::string_view capitals) {
  return std::ranges::equal(hex, capitals, {}, [](char c) { return c >= 'a' ? c - 'a' + 'A' : c; });
}

// "rgb:cdcd/0000/0000". Some agents ask for many colours at once, so this is quick.
void append_in_words(Rgb color, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "rgb:";
  for (const int shift : {16, 8, 0}) {
    const char high = kDigits[color >> (shift + 4) & 0xF], low = kDigits[color >> shift & 0xF];
    for (const char digit : {high, low, high, low}) out += digit;
    if (shift != 0) out += '/';
  }
}

}  // namespace

// OSC 4, 10 and 11. Colours that the application sets are not kept.
void Terminal::report_colors(int number, std::string_view text, std::string_view terminator) {
  const auto answer = [&](std::string asked, Rgb color) {
    asked += ';';
    append_in_words(color, asked);
    reply(asked.append(terminator));
  };
  if (number == 10 && text == "?") answer("\033]10", kReportedForeground);
  if (number == 11 && text == "?") answer("\033]11", kReportedBackground);
  while (number == 4 && !text.empty()) {
    const std::optional<int> index = term::number(take_field(text, ';'));
    if (take_field(text, ';') != "?" || !index || *index < 0 || *index > 255) continue;
    answer("\033]4;" + std::to_string(*index), palette_color(static_cast<uint8_t>(*index)));
  }
}

// CSI t: the window's size in pixels, a cell's, and the window's in cells.
void Terminal::report_size(int what) {
  const auto answer = [this](int kind, int height, int width) {
    reply(fmt::format("\033[{};{};{}t", kind, height, width));
  };
  if (what == 14) answer(4, size_.rows * kCellHeight, size_.cols * kCellWidth);
  if (what == 16) answer(6, kCellHeight, kCellWidth);
  if (what == 18) answer(8, size_.rows, size_.cols);
}

void Terminal::dcs(std::string_view payload) {
  if (payload.starts_with("$q")) report_setting(payload.substr(2));
  if (payload.starts_with("+q")) report_capabilities(payload.substr(2));
}

// DECRQSS: the style, the margins and the conformance level.
void Terminal::report_setting(std::string_view name) {
  std::string setting;
  if (name == "m") {
    append_sgr(cursor_.pen.style(), setting);
    setting.erase(0, std::string_view("\033[").size());
  } else if (name == "r") {
    setting = fmt::format("{};{}r", region_.top + 1, region_.bottom);
  } else if (name == "\"p") {
    setting = "62;1\"p";
  }
  reply(fmt::format("\033P{}$r{}\033\\", setting.empty() ? 0 : 1, setting));
}

// XTGETTCAP. Names are in hexadecimal digits; the answer ends before the first unknown one.
void Terminal::report_capabilities(std::string_view names) {
  std::string found;
  while (!names.empty()) {
    const std::string_view name = take_field(names, ';');
    const auto known = std::ranges::find_if(kCapabilities, [name](const Capability& capability) {
      return is_same_hex(name, in_hex(capability.name));
    });
    if (known == kCapabilities.end()) break;
    found +=
        fmt::format("{}{}={}", found.empty() ? "" : ";", in_hex(known->name), in_hex(known->value));
  }
  reply(fmt::format("\033P{}+r{}\033\\", found.empty() ? 0 : 1, found));
}

}  // namespace orch::term
