#include "driver/ink.h"

#include <algorithm>
#include <array>
#include <optional>

namespace orch::driver {
namespace {

using term::Color;

// The inks of the palette's colours that programs name by number. Greys are 7 (white, but grey next
// to the bright white 15), 8 (bright black), as in xterm, and the ramp from 232 to 255.
Ink ink_of_index(uint8_t index) {
  constexpr uint8_t kBlack = 0, kWhite = 7, kBrightBlack = 8, kBrightWhite = 15;
  constexpr uint8_t kCube = 16,
                    kCubeEnd = 231;  // 6 x 6 x 6 colours; its corners are black and white
  if (index == kBlack || index == kBrightWhite || index == kCube || index == kCubeEnd) {
    return Ink::kPlain;
  }
  if (index == kWhite || index == kBrightBlack || index > kCubeEnd) return Ink::kGrey;
  // The cube's greys have the same level, 0 to 5, in each channel.
  constexpr uint8_t kGreyStep = 1 + 6 + 36;
  return index > kCube && (index - kCube) % kGreyStep == 0 ? Ink::kGrey : Ink::kColor;
}

Ink ink_of_rgb(const Color& color) {
  constexpr int kTint = 8;                       // channels of a grey differ by no more than this
  constexpr int kDarkest = 32, kLightest = 223;  // between them a grey is neither black nor white
  const std::array<int, 3> channels{color.r, color.g, color.b};
  const auto [low, high] = std::minmax_element(channels.begin(), channels.end());
  if (*high - *low > kTint) return Ink::kColor;
  return *high <= kDarkest || *low >= kLightest ? Ink::kPlain : Ink::kGrey;
}

// The style of the first character that is not a blank; nullopt if the row is blank.
std::optional<term::Style> first_style(const term::Screen& screen, const term::RowView& row) {
  for (size_t i = 0; i < row.codes.size(); ++i) {
    if (row.codes[i] == term::kBlank || row.codes[i] == ' ') continue;
    return screen.style(row.styles[i]);
  }
  return std::nullopt;
}

}  // namespace

Ink ink_of(const term::Screen& screen, const term::RowView& row) {
  const std::optional<term::Style> style = first_style(screen, row);
  if (!style) return Ink::kPlain;
  switch (style->fg.kind) {
    case Color::Kind::kDefault:
      return Ink::kPlain;
    case Color::Kind::kIndexed:
      return ink_of_index(style->fg.r);
    case Color::Kind::kRgb:
      return ink_of_rgb(style->fg);
  }
  return Ink::kPlain;
}

bool is_shaded(const term::Screen& screen, const term::RowView& row) {
  const std::optional<term::Style> style = first_style(screen, row);
  return style && style->bg.kind != Color::Kind::kDefault;
}

bool is_faint(const term::Screen& screen, const term::RowView& row) {
  const std::optional<term::Style> style = first_style(screen, row);
  return style && (style->attributes & term::kFaint) != 0;
}

}  // namespace orch::driver
