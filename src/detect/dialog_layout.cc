#include "detect/dialog_layout.h"

#include <algorithm>

#include "detect/dialog_options.h"
#include "detect/row_text.h"
#include "detect/rules.h"

namespace orch::detect {
namespace {

using Pattern = std::optional<base::Pattern>;

constexpr int kMostBelow = 12;  // rows that may stand under the options
constexpr int kMostAsks = 4;    // rows of a question

bool is_side(std::string_view glyph) {
  return glyph.starts_with("│") || glyph.starts_with("┃") || glyph.starts_with("├");
}
bool closes(std::string_view glyph) { return glyph.starts_with("╰") || glyph.starts_with("└"); }
bool opens(std::string_view glyph) { return glyph.starts_with("╭") || glyph.starts_with("┌"); }

size_t characters(std::string_view text) { return column_of(text, text.substr(text.size())); }

bool is_bold(const Rows& rows, int row) { return (rows[row].first.attributes & term::kBold) != 0; }

bool matches(const Pattern& pattern, std::string_view text) {
  return !pattern || pattern->matches(text);
}

// Finds the outline of the dialog and sets side, width, begin, title and whole. find() returns
// false if the rows around the options do not look like dialogs of this rule.
class Outline {
 public:
  Outline(const RuleSet& rules, const Rows& rows, DialogLayout& layout)
      : rules_(rules), rows_(rows), layout_(layout) {}

  bool find() {
    layout_.width = rows_.columns();
    switch (layout_.rule->edge) {
      case DialogEdge::kFrame:
        return find_frame();
      case DialogEdge::kBar:
        return find_bar();
      case DialogEdge::kRule:
        return find_title(/*below_rule=*/true);
      case DialogEdge::kNone:
        return find_title(/*below_rule=*/false);
    }
    return false;
  }

 private:
  // Goes upwards from the row that closes the frame, as long as the frame's side is in every row.
  bool find_frame() {
    int last = layout_.options.end;
    const int end = std::min(rows_.used(), last + kMostBelow);
    while (last < end && !closes(core(last))) ++last;
    if (last == end) return false;
    layout_.side = static_cast<int>(column_of(rows_[last].text, core(last)));
    layout_.width = static_cast<int>(characters(core(last)));
    int row = last - 1;
    while (row >= 0 && is_side(at_side(row))) --row;
    if (row >= layout_.options.begin) return false;
    layout_.begin = row + 1;
    return take_first_as_title(row >= 0 && opens(at_side(row)));
  }

  bool find_bar() {
    const int options = layout_.options.begin;
    if (!core(options).starts_with("┃")) return false;
    layout_.side = static_cast<int>(column_of(rows_[options].text, core(options)));
    int row = options - 1;
    while (row >= 0 && is_side(at_side(row))) --row;
    layout_.begin = row + 1;
    layout_.width -= layout_.side;
    return take_first_as_title(row >= 0);
  }

  // Takes the first row with text as the title if the top of the dialog is on the screen. If not,
  // the title has scrolled away or is hidden by a row that does not scroll.
  bool take_first_as_title(bool top_is_seen) {
    if (!top_is_seen) return true;
    int row = layout_.begin;
    while (row < layout_.options.begin && bare(rows_[row].text).empty()) ++row;
    if (row == layout_.options.begin) return false;
    layout_.title = row;
    layout_.whole = true;
    return matches(layout_.rule->title, inner_text(rows_, row, layout_));
  }

  // Finds the nearest row above the options that is drawn as a title. Rows that the model writes
  // are indented further or not bold, and the model cannot draw a rule across the screen.
  bool find_title(bool below_rule) {
    const Pattern& title = layout_.rule->title;
    for (int row = layout_.options.begin - 1; row >= 0; --row) {
      const bool ruled = below_rule && row > 0 && matches(rules_.dialogs.top, rows_[row - 1].text);
      const bool letters = layout_.rule->spec.options == OptionForm::kLetters;
      const bool drawn_as_title = letters ? rows_[row].first.attributes == 0
                                          : is_bold(rows_, row) || !layout_.rule->spec.bold;
      const bool lone = (!below_rule || row == 0) && drawn_as_title;
      if (!ruled && !lone) continue;
      if (title ? !title->matches(rows_[row].text) : !ruled) continue;
      layout_.begin = layout_.title = row;
      layout_.whole = true;
      return true;
    }
    layout_.begin = 0;
    return true;
  }

  std::string_view core(int row) const {
    const std::string_view text = rows_[row].text;
    return text.substr(std::min(text.find_first_not_of(' '), text.size()));
  }
  std::string_view at_side(int row) const {
    return from_column(rows_[row].text, static_cast<size_t>(layout_.side));
  }

  const RuleSet& rules_;
  const Rows& rows_;
  DialogLayout& layout_;
};

// Finds the question: the nearest rows above the options that match the rule's `asks`.
bool find_asks(const Rows& rows, DialogLayout& layout) {
  layout.asks = {layout.options.begin, layout.options.begin};
  if (!layout.rule->asks) return true;
  if (layout.rule->spec.options == OptionForm::kLetters) {
    return layout.rule->asks->matches(joined(rows, layout.options));
  }
  const int first = layout.title < 0 ? layout.begin : layout.title;
  int row = layout.options.begin - 1;
  while (row >= first && bare(rows[row].text).empty()) --row;
  const int end = row + 1;
  for (; row >= first && row > end - 1 - kMostAsks && !bare(rows[row].text).empty(); --row) {
    if (!layout.rule->asks->matches(joined(rows, {row, end}))) continue;
    layout.asks = {row, end};
    return true;
  }
  return false;
}

// Whether the agent says that some rows of the dialog are not shown. It says that in the footer, or
// in a row at an edge of the body or next to a rule or a frame's edge in it.
bool is_folded(const DialogRules& rules, const Rows& rows, const DialogLayout& layout) {
  if (rules.scrolled && rules.scrolled->matches(joined(rows, layout.footer))) return true;
  if (!rules.folded) return false;
  RowRange body = layout.body;
  const auto blank = [&rows](int row) { return bare(rows[row].text).empty(); };
  const auto is_edge = [&](int row) {
    return row < body.begin || row >= body.end || is_rule(rows[row].text) ||
           is_rule(inner_text(rows, row, layout));
  };
  while (!body.empty() && blank(body.begin)) ++body.begin;
  while (!body.empty() && blank(body.end - 1)) --body.end;
  for (int row = body.begin; row < body.end; ++row) {
    if (!is_edge(row - 1) && !is_edge(row + 1)) continue;
    if (rules.folded->matches(bare(rows[row].text))) return true;
  }
  return false;
}

// How well the screen fits a rule. kPartly: all parts that are visible fit, but the title, the
// command or the path is not visible.
enum class Fit : uint8_t { kNone, kPartly, kFully };

// Whether a row of the options matches the rule's `answers`.
bool has_answer(const Rows& rows, const DialogLayout& layout) {
  const std::optional<base::Pattern>& answers = layout.rule->answers;
  for (int row = layout.options.begin; row < layout.options.end; ++row) {
    if (matches(answers, bare(inner_text(rows, row, layout)))) return true;
  }
  return false;
}

Fit fit(const RuleSet& rules, const Rows& rows, const OptionRows& found, DialogLayout& layout) {
  const DialogRule& rule = *layout.rule;
  const RowRange options = found.rows;
  if (options.empty() || rows.used() - options.end > kMostBelow) return Fit::kNone;
  layout.options = options;
  layout.numbered = found.numbered;
  layout.footer = {options.end, rows.used()};
  if (rule.footer && !rule.footer->matches(joined(rows, layout.footer))) return Fit::kNone;
  if (!Outline(rules, rows, layout).find() || !find_asks(rows, layout)) return Fit::kNone;
  if (layout.title < 0 && !rule.asks) return Fit::kNone;
  if (!has_answer(rows, layout)) return Fit::kNone;
  layout.body = {layout.title < 0 ? layout.begin : layout.title + 1, layout.asks.begin};
  if (layout.title >= 0 && rule.subtitle) {
    int row = layout.body.begin;
    while (row < layout.body.end && bare(rows[row].text).empty()) ++row;
    if (!rule.subtitle->matches(inner_text(rows, row, layout))) return Fit::kNone;
  }
  layout.clipped = layout.title < 0 || is_folded(rules.dialogs, rows, layout);
  layout.whole = layout.whole && !layout.clipped;
  if (layout.title < 0) return Fit::kPartly;
  for (const std::optional<DialogPart>* part : {&rule.command, &rule.path}) {
    if (*part && !find_part(rules.dialogs, **part, rows, layout)) return Fit::kPartly;
  }
  return Fit::kFully;
}

// The rows inside of the frame that stands `indent` columns from the dialog's side, and the width
// of that frame.
struct Framed {
  RowRange rows;
  int width = 0;
};
std::optional<Framed> find_framed(const Rows& rows, const DialogLayout& layout, size_t indent) {
  const auto corner = [&](int row) { return from_column(inner_text(rows, row, layout), indent); };
  for (int top = layout.body.begin; top < layout.body.end; ++top) {
    if (!opens(corner(top)) || !is_rule(corner(top))) continue;
    int end = top + 1;
    while (end < layout.body.end && is_side(corner(end))) ++end;
    if (end == layout.body.end || !closes(corner(end))) return std::nullopt;
    return Framed{{top + 1, end}, static_cast<int>(characters(corner(top)))};
  }
  return std::nullopt;
}

std::string_view without_blanks_behind(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// The text without the right side of a frame at its end.
std::string_view without_side(std::string_view text) {
  text = without_blanks_behind(text);
  for (const std::string_view side : {"│", "┃"}) {
    if (text.ends_with(side)) {
      return without_blanks_behind(text.substr(0, text.size() - side.size()));
    }
  }
  return text;
}

// Removes the blank rows at the end, which do not belong to the part, and sets `folded`.
DialogText finish(const DialogRules& rules, const DialogPartSpec& spec, DialogText text) {
  const bool full = spec.most_rows > 0 && static_cast<int>(text.rows.size()) >= spec.most_rows;
  while (!text.rows.empty() && text.rows.back().empty()) text.rows.pop_back();
  if (text.rows.empty()) return text;
  const auto is_full = [&text](const std::string& row) {
    return static_cast<int>(characters(row)) >= text.room;
  };
  const bool hidden = rules.folded && (rules.folded->matches(text.rows.front()) ||
                                       rules.folded->matches(text.rows.back()));
  const bool cut = spec.cut && std::any_of(text.rows.begin(), text.rows.end(), is_full);
  text.folded = hidden || cut || full;
  return text;
}

class PartReader {
 public:
  PartReader(const DialogPart& part, const Rows& rows, const DialogLayout& layout)
      : part_(part), spec_(part.spec), rows_(rows), layout_(layout) {}

  std::optional<DialogText> in_title() const {
    return layout_.title < 0 ? std::nullopt : captured(inner_text(rows_, layout_.title, layout_));
  }
  std::optional<DialogText> in_asks() const {
    std::string text;
    for (int row = layout_.asks.begin; row < layout_.asks.end; ++row) {
      const bool broken = !text.empty() && spec_.breaks.find(text.back()) != std::string::npos;
      if (!text.empty() && !broken) text += ' ';
      text += bare(inner_text(rows_, row, layout_));
    }
    return captured(text);
  }

  std::optional<DialogText> in_frame() const {
    const std::optional<Framed> frame = find_framed(rows_, layout_, indent());
    if (!frame) return std::nullopt;
    constexpr int kSides = 4;  // columns: both sides of the frame, each with a blank
    DialogText text{
        .rows = {}, .room = frame->width - kSides - spec_.margin, .breaks = spec_.breaks};
    for (int row = frame->rows.begin; row < frame->rows.end; ++row) {
      const std::string_view inside = from_column(inner_text(rows_, row, layout_), indent() + 2);
      text.rows.emplace_back(without_side(inside));
    }
    return text;
  }

  std::optional<DialogText> in_rows() const {
    DialogText text{.rows = {}, .room = room(), .breaks = spec_.breaks};
    int row = layout_.body.begin;
    if (!find_begin(row, text)) return std::nullopt;
    const int first = row - 1;
    for (; row < layout_.body.end; ++row) {
      const std::string_view inside = inner_text(rows_, row, layout_);
      if (part_.ends && part_.ends->matches(inside)) return text;
      if (!part_.ends && ends_before(row, inside)) break;
      std::string another;
      if (spec_.between == "\n" && begins_as(first, row, &another)) {
        text.others.push_back(text.rows.size());
        text.rows.push_back(std::move(another));
      } else {
        text.rows.push_back(stripped(inside));
      }
    }
    if (part_.ends || text.rows.empty()) return std::nullopt;
    return text;
  }

 private:
  std::optional<DialogText> captured(std::string_view text) const {
    std::string words;
    if (!part_.begins || !part_.begins->capture(text, &words)) return std::nullopt;
    return DialogText{.rows = {std::move(words)}, .room = 0, .breaks = {}};
  }

  size_t indent() const { return static_cast<size_t>(spec_.indent); }
  int room() const {
    constexpr int kFrameSides = 4, kBarAndBlank = 2;
    const int sides = layout_.side < 0                           ? 0
                      : layout_.rule->edge == DialogEdge::kFrame ? kFrameSides
                                                                 : kBarAndBlank;
    return layout_.width - sides - spec_.indent - spec_.margin;
  }

  // Moves `row` to the first row of the part that is still to be read. If a pattern says where the
  // part begins, the text that it captures becomes the first row of `text`.
  bool find_begin(int& row, DialogText& text) const {
    const int end = layout_.body.end;
    const auto inside = [this](int at) { return inner_text(rows_, at, layout_); };
    if (part_.after) {
      while (row < end && !part_.after->matches(inside(row))) ++row;
      if (row++ >= end) return false;
    }
    if (!part_.begins || part_.after) {
      while (row < end && without_blanks_behind(inside(row)).empty()) ++row;
    }
    if (!part_.begins || row == end) return row < end;
    const int last = part_.after ? row + 1 : end;
    for (; row < last; ++row) {
      std::string captured;
      if (spec_.upright && (rows_[row].first.attributes & term::kItalic) != 0) continue;
      if (!part_.begins->capture(inside(row), &captured)) continue;
      text.lead = lead_of(inside(row), captured);
      text.rows.push_back(std::move(captured));
      ++row;
      return true;
    }
    return false;
  }

  int lead_of(std::string_view inside, std::string_view captured) const {
    const size_t before = inside.size() - std::min(captured.size(), inside.size());
    return std::max(0, static_cast<int>(columns(inside.substr(0, before))) - spec_.indent);
  }

  // Whether another path begins in this row. The next row of a longer path may also match, so the
  // row must also be drawn with the same attributes as the first path's row.
  bool begins_as(int first, int row, std::string* captured) const {
    return part_.begins && rows_[row].first.attributes == rows_[first].first.attributes &&
           part_.begins->capture(inner_text(rows_, row, layout_), captured);
  }

  bool ends_before(int row, std::string_view inside) const {
    if (without_blanks_behind(inside).empty()) return false;
    if (spec_.plain && rows_[row].first.tinted()) return true;
    return inside.find_first_not_of(' ') < indent();
  }

  std::string stripped(std::string_view inside) const {
    std::string captured;
    if (part_.strip && part_.strip->capture(inside, &captured)) {
      inside.remove_prefix(std::min(captured.size(), inside.size()));
      return std::string(without_blanks_behind(inside));
    }
    return std::string(without_blanks_behind(from_column(inside, indent())));
  }

  const DialogPart& part_;
  const DialogPartSpec& spec_;
  const Rows& rows_;
  const DialogLayout& layout_;
};

}  // namespace

std::string_view inner_text(const Rows& rows, int row, const DialogLayout& layout) {
  std::string_view text = rows[row].text;
  if (layout.side < 0) return text;
  text = from_column(text, static_cast<size_t>(layout.side) + 1);
  if (text.starts_with(' ')) text.remove_prefix(1);
  return layout.rule->edge == DialogEdge::kFrame ? without_side(text) : text;
}

std::optional<DialogText> find_part(const DialogRules& rules, const DialogPart& part,
                                    const Rows& rows, const DialogLayout& layout) {
  const PartReader reader(part, rows, layout);
  const auto read = [&part, &reader]() -> std::optional<DialogText> {
    switch (part.spec.in) {
      case DialogPlace::kTitle:
        return reader.in_title();
      case DialogPlace::kAsks:
        return reader.in_asks();
      case DialogPlace::kBody:
        break;
    }
    return part.spec.framed ? reader.in_frame() : reader.in_rows();
  };
  std::optional<DialogText> text = read();
  if (text) text = finish(rules, part.spec, *std::move(text));
  if (text && text->rows.empty()) return std::nullopt;
  return text;
}

std::optional<DialogLayout> find_known_dialog(const RuleSet& rules, const Rows& rows,
                                              OptionFinder& options) {
  std::optional<DialogLayout> partly;
  for (const DialogRule& rule : rules.dialogs.kinds) {
    const OptionRows choices = options.find(rule.spec.options);
    if (choices.rows.empty()) continue;
    DialogLayout layout;
    layout.rule = &rule;
    switch (fit(rules, rows, choices, layout)) {
      case Fit::kNone:
        break;
      case Fit::kPartly:
        layout.whole = false;
        if (!partly) partly = layout;
        break;
      case Fit::kFully:
        return layout;
    }
  }
  return partly;
}

}  // namespace orch::detect
