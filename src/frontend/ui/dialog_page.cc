#include "ui/dialog_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "event/question.h"
#include "ui/canvas.h"

namespace orch::ui {
namespace {

using agent::DialogChoice;
using Part = DialogRow::Part;

void add_wrapped(std::string_view line, int columns, Part part, std::vector<DialogRow>& rows) {
  std::string row;
  int width = 0;
  for (const Glyph& glyph : glyphs(line)) {
    if (width + glyph.width > columns && width > 0) {
      rows.push_back({std::move(row), part});
      row.clear();
      width = 0;
    }
    row += glyph.text;
    width += glyph.width;
  }
  rows.push_back({std::move(row), part});
}

// Line feeds of the text begin new rows.
void add_text(std::string_view text, int columns, Part part, std::vector<DialogRow>& rows) {
  for (const std::string_view line : base::split_lines(text)) {
    add_wrapped(line, columns, part, rows);
  }
}

std::string without_line(std::string_view text, std::string_view left_out) {
  std::string rest;
  for (const std::string_view line : base::split_lines(text)) {
    if (base::trim(line) != left_out) rest.append(line).append("\n");
  }
  return rest;
}

}  // namespace

DialogText text_of(const agent::DialogRequest& request) {
  DialogText text;
  text.question = event::question_of(agent::record_of(request, "", ""));
  if (!request.likely.empty()) text.command = request.likely.front();
  if (text.command.empty()) text.body = without_line(request.body, text.question);
  for (size_t i = 0; i < request.options.size(); ++i) {
    text.options.push_back({request.first + static_cast<int>(i), agent::label(request.options[i])});
  }
  text.is_set = request.is_set();
  return text;
}

DialogText text_of(const wire::DialogReport& report) {
  DialogText text{report.text, report.command,  without_line(report.body, report.text),
                  {},          report.is_set(), report.shortened};
  for (const wire::DialogReport::Option& option : report.options) {
    text.options.push_back({option.number, agent::label({.text = option.text,
                                                         .description = option.description,
                                                         .ticked = option.ticked})});
  }
  return text;
}

std::vector<DialogRow> rows_of(const DialogText& text, int columns) {
  std::vector<DialogRow> rows;
  add_wrapped(text.question, columns, Part::kQuestion, rows);
  if (!text.command.empty()) add_text("$ " + text.command, columns, Part::kCommand, rows);
  add_text(text.body, columns, Part::kBody, rows);
  for (const DialogText::Option& option : text.options) {
    add_wrapped(fmt::format("{}. {}", option.number, option.label), columns, Part::kOption, rows);
  }
  return rows;
}

void DialogPage::set(const std::string& id, const DialogText& text, int columns, int height) {
  std::vector<DialogRow> rows = rows_of(text, std::max(columns, 1));
  const size_t at_once = static_cast<size_t>(std::max(height, 1));
  const bool is_same = id == id_ && at_once == height_ && rows == rows_;
  text_ = text;
  if (is_same) return;
  id_ = id;
  rows_ = std::move(rows);
  height_ = at_once;
  first_ = drawn_ = 0;
}

void DialogPage::clear() { *this = DialogPage(); }

std::span<const DialogRow> DialogPage::shown() const {
  return std::span(rows_).subspan(first_, std::min(height_, rows_.size() - first_));
}

std::string DialogPage::position() const {
  if (is_whole()) return "";
  return fmt::format("rows {}-{} of {}, Space shows more", first_ + 1, first_ + shown().size(),
                     rows_.size());
}

void DialogPage::turn() {
  if (is_whole()) return;
  const size_t last_first = rows_.size() - height_;
  first_ = first_ == last_first ? 0 : std::min(first_ + height_, last_first);
}

void DialogPage::on_drawn(int64_t now_ms) {
  const size_t end = first_ + shown().size();
  if (first_ > drawn_ || end <= drawn_) return;
  drawn_ = end;
  drawn_ms_ = now_ms;
}

DialogPage::Verdict DialogPage::check(const DialogChoice& choice, int64_t now_ms) const {
  const bool is_number = choice.kind == DialogChoice::Kind::kNumber;
  if (text_.shortened) return Verdict::kTooLong;
  if (drawn_ < rows_.size()) return Verdict::kNotRead;
  if (now_ms - drawn_ms_ < kReadMs) return Verdict::kTooEarly;
  if (is_number && text_.is_set) return Verdict::kSeveral;
  const auto has_number = [&choice](const DialogText::Option& option) {
    return option.number == choice.number;
  };
  if (is_number && std::none_of(text_.options.begin(), text_.options.end(), has_number)) {
    return Verdict::kNoOption;
  }
  return Verdict::kTake;
}

std::string refusal_of(DialogPage::Verdict verdict, const std::string& session) {
  using Verdict = DialogPage::Verdict;
  switch (verdict) {
    case Verdict::kTake:
      return "";
    case Verdict::kTooEarly:
      return session + " has just asked this; press it again";
    case Verdict::kNotRead:
      return session + " asks more than is shown; Space shows the rest, then press it again";
    case Verdict::kTooLong:
      return session + " asks more than can be shown; orch attach " + session + " shows it";
    case Verdict::kNoOption:
      return session + " has no option of this number";
    case Verdict::kSeveral:
      return "several may be ticked: orch answer " + session + " 1 2";
  }
  return "";
}

}  // namespace orch::ui
