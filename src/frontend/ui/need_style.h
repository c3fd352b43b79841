#pragma once

#include <string_view>

#include "term/cell.h"
#include "ui/dialog_page.h"
#include "ui/top_model.h"

// The colours and marks that show how much a session needs the user, wherever sessions are shown.
// Pure.
namespace orch::ui {

inline constexpr term::Style kPlain{};
inline constexpr term::Style kBold{.fg = {}, .bg = {}, .attributes = term::kBold};
inline constexpr term::Style kDim{.fg = {}, .bg = {}, .attributes = term::kFaint};

term::Style style_of(Need need);
term::Style style_of(DialogRow::Part part);
std::string_view mark_of(Need need);  // one column, for output without colours

}  // namespace orch::ui
