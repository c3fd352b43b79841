#include "ui/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "attach/arbiter.h"
#include "base/text.h"
#include "ui/canvas.h"
#include "ui/need_style.h"

namespace orch::ui {
namespace {

using agent::DialogRequest;
using agent::Meaning;

// The last column stays free, as in the status line.
int columns_in(term::Size window) { return window.cols - 1; }
int most_live_rows(term::Size window) { return window.rows / 3; }
int most_dialog_rows(term::Size window) { return window.rows / 2; }

std::string rule(std::string_view words, int columns) {
  std::string text = fitted(fmt::format("── {} ", words), columns);
  for (int col = columns_of(text); col < columns; ++col) text += "─";
  return text;
}

int draw_dialog(const LivePicture& picture, Canvas& canvas) {
  const DialogPage& page = *picture.page;
  const int columns = canvas.size().cols;
  const std::string position = page.position();
  std::string title = picture.session + " asks";
  if (!position.empty()) title += " · " + position;
  if (picture.others > 0) title += fmt::format(" · Tab for {} more", picture.others);
  int at = 0;
  canvas.put(at++, 0, rule(title, columns), style_of(Need::kWaiting));
  for (const DialogRow& row : page.shown()) canvas.put(at++, 0, row.text, style_of(row.part));
  std::string keys = picture.note;
  if (keys.empty()) {
    keys = answer_keys(picture.dialog->request);
    if (picture.may_take_over) keys += keys.empty() ? "e take over" : "   e take over";
  }
  canvas.put(at++, 0, fitted(keys, columns), kDim);
  return at;
}

// Whether the row says something: blank rows and rules would take the place of rows that do.
bool has_words(const term::Screen& screen, int row) {
  std::string text;
  screen.append_row_text(row, text);
  for (std::string_view rest = text; !rest.empty();) {
    const base::Decoded next = base::decode_utf8(rest);
    const char32_t c = next.code_point;
    const bool is_frame = c >= 0x2500 && c < 0x25A0;  // box drawing and block elements
    if (c != ' ' && c != 0xA0 && !is_frame) return true;
    rest.remove_prefix(next.length);
  }
  return false;
}

int draw_agent(const LivePicture& picture, term::Size window, Canvas& canvas) {
  const int columns = canvas.size().cols;
  canvas.put(0, 0, rule(picture.agent + " · Ctrl-] takes over", columns), kDim);
  const auto most = static_cast<size_t>(most_live_rows(window) - 1);
  std::vector<int> rows;  // the last one first
  for (int row = picture.screen->size().rows - 1; row >= 0 && rows.size() < most; --row) {
    if (has_words(*picture.screen, row)) rows.push_back(row);
  }
  int at = 1;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    canvas.draw(*picture.screen, {.row = *row, .col = 0, .rows = 1, .cols = columns}, at++, 0);
  }
  return at;
}

bool has_one(const DialogRequest& request, Meaning meaning) {
  return std::count_if(request.options.begin(), request.options.end(),
                       [meaning](const auto& it) { return it.meaning == meaning; }) == 1;
}

}  // namespace

bool live_view_fits(term::Size window) {
  return window.cols >= attach::kLeastSize.cols && window.rows >= attach::kLeastSize.rows;
}

std::string answer_keys(const DialogRequest& request) {
  std::string text;
  const auto add = [&text](std::string_view keys) {
    text.append(text.empty() ? "" : "   ").append(keys);
  };
  if (request.is_set()) {
    if (request.complete) add("n none");
    return text + (text.empty() ? "" : "   ") + "orch answer to tick some";
  }
  if (request.complete && has_one(request, Meaning::kAllowOnce)) add("y yes");
  if (request.complete && has_one(request, Meaning::kDeny)) add("n no");
  const int last = std::min(request.first + static_cast<int>(request.options.size()) - 1, 9);
  if (last > request.first) add(fmt::format("{}-{} choose", request.first, last));
  return text;
}

int live_dialog_columns(term::Size window) { return columns_in(window); }

int live_dialog_height(term::Size window) {
  constexpr int kOtherRows = 2;  // the rule and the keys
  return std::max(most_dialog_rows(window) - kOtherRows, 1);
}

std::vector<std::string> live_rows(const LivePicture& picture, term::Size window, Ink ink) {
  const bool nothing = picture.dialog == nullptr && picture.screen == nullptr;
  if (nothing || !live_view_fits(window)) return {};
  Canvas canvas({columns_in(window), most_dialog_rows(window)});
  const int count = picture.dialog != nullptr ? draw_dialog(picture, canvas)
                                              : draw_agent(picture, window, canvas);
  std::vector<std::string> rows;
  rows.reserve(static_cast<size_t>(count));
  for (int row = 0; row < count; ++row) rows.push_back(row_bytes(canvas, row, ink));
  return rows;
}

}  // namespace orch::ui
