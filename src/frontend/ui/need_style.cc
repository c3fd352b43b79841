#include "ui/need_style.h"

namespace orch::ui {

term::Style style_of(Need need) {
  const auto colored = [](uint8_t index, uint16_t attributes) {
    return term::Style{.fg = {.kind = term::Color::Kind::kIndexed, .r = index},
                       .bg = {},
                       .attributes = attributes};
  };
  switch (need) {
    case Need::kWaiting:
      return colored(3, term::kBold);
    case Need::kError:
      return colored(1, term::kBold);
    case Need::kIdle:
      return kPlain;
    case Need::kWorking:
      return colored(2, 0);
    case Need::kQueued:
    case Need::kDone:
      return kDim;
  }
  return kPlain;
}

term::Style style_of(DialogRow::Part part) {
  switch (part) {
    case DialogRow::Part::kQuestion:
      return style_of(Need::kWaiting);
    case DialogRow::Part::kCommand:
      return kBold;
    case DialogRow::Part::kBody:
    case DialogRow::Part::kOption:
      return kPlain;
  }
  return kPlain;
}

std::string_view mark_of(Need need) {
  switch (need) {
    case Need::kWaiting:
      return "?";
    case Need::kError:
      return "!";
    case Need::kIdle:
      return "·";
    case Need::kWorking:
      return "*";
    case Need::kQueued:
      return " ";
    case Need::kDone:
      return "-";
  }
  return " ";
}

}  // namespace orch::ui
