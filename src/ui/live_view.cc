#include "ui/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "attach/arbiter.h"
#include "base/text.h"
#include "event/question.h"
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

// The text in rows of at most `columns`; its own line feeds begin new rows.
std::vector<std::string> wrapped(std::string_view text, int columns) {
  std::vector<std::string> rows;
  for (const std::string_view line : base::split_lines(text)) {
    std::string row;
    int width = 0;
    for (const Glyph& glyph : glyphs(line)) {
      if (width + glyph.width > columns && width > 0) {
        rows.push_back(std::move(row));
        row.clear();
        width = 0;
      }
      row += glyph.text;
      width += glyph.width;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string command_of(const DialogRequest& request) {
  return request.likely.empty() ? "" : request.likely.front();
}

std::string question_of(const DialogRequest& request) {
  return event::question_of(agent::record_of(request, "", ""));
}

// What the agent asks for, beside the question: the command, or the dialog's own words.
std::vector<std::string> details_of(const DialogRequest& request, int columns) {
  const std::string command = command_of(request);
  if (!command.empty()) return wrapped("$ " + command, columns);
  std::vector<std::string> rows = wrapped(request.body, columns);
  const std::string question = question_of(request);
  std::erase_if(rows, [&question](const std::string& row) { return base::trim(row) == question; });
  return rows;
}

// The row with a mark that there would be more.
std::string marked_as_cut(const std::string& row, int columns) {
  constexpr int kMark = 2;
  return fitted(row, columns - kMark) + " …";
}

std::vector<std::string> options_of(const DialogRequest& request, bool in_one_row) {
  std::vector<std::string> rows;
  for (size_t i = 0; i < request.options.size(); ++i) {
    const std::string option = fmt::format("{}. {}", static_cast<size_t>(request.first) + i,
                                           base::printable(agent::label(request.options[i])));
    if (in_one_row && !rows.empty()) {
      rows.back() += "   " + option;
    } else {
      rows.push_back(option);
    }
  }
  return rows;
}

// How the rows of a dialog are divided; rule, question and keys have one each.
struct DialogRows {
  std::vector<std::string> details, options;
  int details_shown = 0;
  bool whole() const { return details_shown == static_cast<int>(details.size()); }
};

DialogRows divide(const DialogRequest& request, term::Size window) {
  constexpr int kOtherRows = 3, kFewestDetails = 2;
  const int room = most_dialog_rows(window) - kOtherRows;
  const int columns = columns_in(window);
  DialogRows rows;
  rows.details = details_of(request, columns);
  const int details = static_cast<int>(rows.details.size());
  rows.options = options_of(request, false);
  const int wanted = static_cast<int>(rows.options.size()) + std::min(details, kFewestDetails);
  const bool is_command = !command_of(request).empty();
  const bool too_many = static_cast<int>(rows.options.size()) + details > room;
  if (wanted > room || (is_command && too_many)) rows.options = options_of(request, true);
  rows.details_shown = std::clamp(room - static_cast<int>(rows.options.size()), 0, details);
  return rows;
}

int draw_dialog(const LivePicture& picture, term::Size window, Canvas& canvas) {
  const DialogRequest& request = picture.dialog->request;
  const int columns = canvas.size().cols;
  const bool is_command = !command_of(request).empty();
  const DialogRows rows = divide(request, window);
  int at = 0;
  const auto row = [&](std::string_view text, const term::Style& style) {
    canvas.put(at++, 0, fitted(text, columns), style);
  };
  row(rule(picture.session + " asks", columns), style_of(Need::kWaiting));
  row(question_of(request), kBold);
  for (int i = 0; i < rows.details_shown; ++i) {
    std::string text = rows.details[static_cast<size_t>(i)];
    const bool is_cut = i + 1 == rows.details_shown && !rows.whole();
    if (is_cut) text = marked_as_cut(text, columns);
    row(text, is_command ? kBold : kPlain);
  }
  for (const std::string& option : rows.options) row(option, kPlain);
  std::string keys = picture.note;
  if (keys.empty()) {
    keys = answer_keys(request);
    if (!keys.empty()) keys += "   ";
    keys += rows.whole() ? "e take over" : "e take over and see all of it";
  }
  row(keys, kDim);
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

bool shows_whole_command(const run::WaitingDialog& dialog, term::Size window) {
  return command_of(dialog.request).empty() || divide(dialog.request, window).whole();
}

std::vector<std::string> live_rows(const LivePicture& picture, term::Size window, Ink ink) {
  const bool nothing = picture.dialog == nullptr && picture.screen == nullptr;
  if (nothing || !live_view_fits(window)) return {};
  Canvas canvas({columns_in(window), most_dialog_rows(window)});
  const int count = picture.dialog != nullptr ? draw_dialog(picture, window, canvas)
                                              : draw_agent(picture, window, canvas);
  std::vector<std::string> rows;
  rows.reserve(static_cast<size_t>(count));
  for (int row = 0; row < count; ++row) rows.push_back(row_bytes(canvas, row, ink));
  return rows;
}

}  // namespace orch::ui
