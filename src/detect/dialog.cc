#include "detect/dialog.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "detect/dialog_options.h"
#include "detect/row_text.h"

namespace orch::detect {
namespace {

// The row without blanks and frames. A "|" at its edge stays, because it may belong to a command.
std::string_view unframed(std::string_view row) {
  const std::string_view core = bare(row);
  if (core.empty()) return core;
  const auto begin = static_cast<size_t>(core.data() - row.data());
  const size_t before = row.substr(0, begin).find_last_not_of(' ');
  const size_t after = row.find_first_not_of(' ', begin + core.size());
  const size_t from = before != std::string_view::npos && row[before] == '|' ? before : begin;
  const bool ends = after != std::string_view::npos && row[after] == '|';
  return row.substr(from, (ends ? after + 1 : begin + core.size()) - from);
}

void read_text(const Rows& rows, RowRange range, DialogView& dialog) {
  for (int row = range.begin; row < range.end; ++row) {
    const std::string_view text = unframed(rows[row].text);
    if (text.empty() || is_rule(text)) continue;
    if (dialog.title.empty()) {
      dialog.title = text;
      continue;
    }
    if (!dialog.body.empty()) dialog.body += '\n';
    dialog.body += text;
  }
}

void take(Options options, DialogView& dialog) {
  dialog.options = std::move(options.texts);
  dialog.descriptions = std::move(options.descriptions);
  dialog.ticks = std::move(options.ticks);
  dialog.keys = std::move(options.keys);
  dialog.button = std::move(options.button);
  dialog.cursor = options.cursor;
  dialog.numbered = options.numbered;
  dialog.first = options.first;
}

// Joins the rows of a path that wrapped. The path was broken within a word only if the word fills
// its whole row; otherwise it was broken at a blank, which is not drawn. "" if the rows hold more
// than a path.
std::string unwrapped(std::span<const std::string> rows, int room) {
  std::string path;
  const std::string* before = nullptr;
  for (const std::string& row : rows) {
    if (row.empty() && !path.empty()) return {};
    if (!path.empty()) {
      const std::string_view glyph = std::string_view(row).substr(0, base::decode_utf8(row).length);
      const bool full = static_cast<int>(columns(*before) + columns(glyph)) > room;
      if (!full || before->find(' ') != std::string::npos) path += ' ';
    }
    path += row;
    before = &row;
  }
  return path;
}

std::string joined_path(const DialogPartSpec& spec, std::span<const std::string> rows, int room) {
  // Without a margin it is unknown where the rows end, and so whether they were broken at blanks.
  if (spec.margin > 0) return unwrapped(rows, room);
  std::string path;
  for (const std::string& row : rows) path += base::trim(row);
  return path;
}

// The paths of a part of a dialog, either separated by `between` ("a.py, b.py") or in rows of their
// own.
std::vector<std::string> read_paths(const DialogText& text, const DialogPartSpec& spec) {
  std::vector<std::string> paths;
  std::vector<size_t> ends = text.others;
  ends.push_back(text.rows.size());
  size_t begin = 0;
  for (const size_t end : ends) {
    const std::span rows = std::span(text.rows).subspan(begin, end - begin);
    const std::string all = joined_path(spec, rows, text.room);
    begin = end;
    if (spec.between.empty() || spec.between == "\n") {
      paths.push_back(all);
      continue;
    }
    for (std::string_view rest = all; !rest.empty();) {
      const size_t next = std::min(rest.find(spec.between), rest.size());
      paths.emplace_back(base::trim(rest.substr(0, next)));
      rest.remove_prefix(std::min(next + spec.between.size(), rest.size()));
    }
  }
  return paths;
}

// Whether the path was cut, so that it would name another file.
bool is_cut(const std::string& path) {
  return path.empty() || path.find("…") != std::string::npos ||
         path.find("...") != std::string::npos;
}

std::string read_tool(const Rows& rows, const DialogLayout& layout) {
  const DialogRule& rule = *layout.rule;
  std::string name = rule.spec.tool;
  if (layout.title < 0) return {};
  if (!rule.tool_from) return name;
  for (int row = layout.title; row < layout.body.end; ++row) {
    if (rule.tool_from->capture(inner_text(rows, row, layout), &name)) break;
  }
  return name;
}

// Fills in what the manifest's `dialogs` say about a known dialog.
void read_known(const RuleSet& rules, const Rows& rows, const DialogLayout& layout,
                DialogView& dialog) {
  const DialogRule& rule = *layout.rule;
  dialog.kind = rule.spec.kind;
  dialog.whole = layout.whole && dialog.options.size() >= 2 && !dialog.title.empty();
  dialog.clipped = layout.clipped;
  dialog.tool = read_tool(rows, layout);
  dialog.action = rule.spec.action;
  if (rule.command) dialog.command = find_part(rules.dialogs, *rule.command, rows, layout);
  if (rule.path) {
    const auto path = find_part(rules.dialogs, *rule.path, rows, layout);
    if (path) dialog.paths = read_paths(*path, rule.path->spec);
    if (std::any_of(dialog.paths.begin(), dialog.paths.end(), is_cut)) dialog.paths.clear();
  }
  dialog.clipped = dialog.clipped || (dialog.command && dialog.command->folded);
  const bool unread = (rule.command && (!dialog.command || dialog.command->folded)) ||
                      (rule.path && dialog.paths.empty());
  if (layout.title < 0 || unread) {
    dialog.whole = false;
    dialog.action = DialogAction::kUnknown;
    dialog.command.reset();
  }
  for (const std::string& option : dialog.options) {
    const auto words =
        std::find_if(rules.dialogs.words.begin(), rules.dialogs.words.end(),
                     [&option](const OptionWords& w) { return w.pattern.matches(option); });
    dialog.senses.push_back(words == rules.dialogs.words.end() ? std::nullopt
                                                               : std::optional(words->sense));
  }
}

// The rows between the title and a question that has its options behind it; without a title on the
// screen the rows directly above the question.
RowRange under_title(const Rows& rows, const DialogLayout& layout) {
  if (layout.title >= 0) return layout.body;
  RowRange range{layout.options.begin, layout.options.begin};
  while (range.begin > 0 && !rows[range.begin - 1].blank) --range.begin;
  return range;
}

// `screen` may be null.
DialogView read(const RuleSet& rules, const Rows& rows, const Layout& layout,
                const term::Screen* screen) {
  DialogView dialog;
  int first = layout.choices.begin;
  const bool may_be_beside = !layout.known && !layout.box && layout.choices.empty();
  const RowRange beside = may_be_beside ? find_beside(rows).rows : RowRange{};
  if (layout.known && layout.known->rule->spec.options == OptionForm::kBeside) {
    dialog.beside = true;
    take(read_beside(rows, first, screen), dialog);
  } else if (layout.known && layout.known->rule->spec.options == OptionForm::kKeys) {
    take(read_keys(rows, layout.choices), dialog);
  } else if (layout.known && layout.known->rule->spec.options == OptionForm::kHinted) {
    take(read_hinted(rows, layout.choices), dialog);
  } else if (layout.known && layout.known->rule->spec.options == OptionForm::kLetters) {
    Letters letters = read_letters(rows, layout.choices);
    take(std::move(letters.options), dialog);
    dialog.title = std::move(letters.question);
    read_text(rows, under_title(rows, *layout.known), dialog);
    read_known(rules, rows, *layout.known, dialog);
    return dialog;
  } else if (!layout.choices.empty()) {
    take(read_stacked(rules, rows, {layout.choices, layout.numbered}), dialog);
  } else if (!beside.empty()) {
    dialog.beside = true;
    take(read_beside(rows, beside.begin, screen), dialog);
    first = beside.begin;
  } else {
    first = layout.used;
  }
  const int begin =
      layout.known && layout.known->title >= 0 ? layout.known->title : layout.dialog.begin;
  read_text(rows, {std::min(begin, first), first}, dialog);
  if (layout.known) read_known(rules, rows, *layout.known, dialog);
  return dialog;
}

}  // namespace

bool DialogView::is_set() const {
  return std::any_of(ticks.begin(), ticks.end(), [](const auto& tick) { return tick.has_value(); });
}

DialogView read_dialog(const RuleSet& rules, const Rows& rows, const Layout& layout) {
  return read(rules, rows, layout, nullptr);
}

DialogView read_dialog(const RuleSet& rules, const Rows& rows, const Layout& layout,
                       const term::Screen& screen) {
  return read(rules, rows, layout, &screen);
}

}  // namespace orch::detect
