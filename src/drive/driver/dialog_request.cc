#include "driver/dialog_request.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "detect/row_text.h"
#include "driver/option_meaning.h"

namespace orch::driver {

using agent::DialogRequest;
using agent::Meaning;
using detect::columns;
using detect::DialogAction;

namespace {

using Action = DialogRequest::Action;
using Lines = std::vector<std::string>;

// How two rows of a command belong together.
enum class Joint : uint8_t {
  kLine,   // the command has a line end between them
  kBlank,  // the screen wrapped the command at a blank, which it does not show
  kWord,   // the screen wrapped the command within a word
};

bool is_of_rules(std::string_view text) {
  while (!text.empty()) {
    const base::Decoded c = base::decode_utf8(text);
    if (c.code_point < 0x2500 || c.code_point > 0x259F) return false;  // box drawing, blocks
    text.remove_prefix(c.length);
  }
  return true;
}

// The likeliest joint between a row and the next one. A row is wrapped only if it had no room for
// the first word of the next row. A word is broken only if it would not fit into a row of its own,
// or after one of the characters in `breaks`.
Joint joint(std::string_view row, std::string_view next, size_t room, std::string_view breaks) {
  const bool set_in = next.starts_with(' ');
  const std::string_view word = next.substr(0, next.find(' '));
  if (row.empty() || next.empty() || set_in) return Joint::kLine;
  // A rule (a row of box-drawing glyphs) is a line of its own and no word of another line.
  if (is_of_rules(row) || is_of_rules(next)) {
    return is_of_rules(row) && is_of_rules(next) && columns(row) >= room ? Joint::kWord
                                                                         : Joint::kLine;
  }
  const std::string_view last = row.substr(row.rfind(' ') + 1);
  if (columns(row) >= room && columns(last) + columns(word) > room) return Joint::kWord;
  if (columns(row) + 1 + columns(word) <= room) return Joint::kLine;
  return breaks.find(row.back()) != std::string_view::npos ? Joint::kWord : Joint::kBlank;
}

std::string joined(const detect::DialogText& command, size_t room, auto&& glue) {
  const Lines& rows = command.rows;
  std::string text;
  const size_t first_room = room - std::min(room, static_cast<size_t>(command.lead));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) {
      text += glue(joint(rows[i - 1], rows[i], i == 1 ? first_room : room, command.breaks));
    }
    text += rows[i];
  }
  return text;
}

// Reads the command. A command on a screen may be read in several ways, because it is only likely,
// not certain, where the screen wrapped it.
void read_command(const detect::DialogText& command, DialogRequest& request) {
  const size_t room = static_cast<size_t>(std::max(command.room, 1));
  size_t longest = 0;
  for (const std::string& row : command.rows) longest = std::max(longest, columns(row));
  constexpr size_t kSlack = 4;  // columns; an agent may wrap so much earlier than its manifest says
  const size_t narrow = std::min(room, longest - std::min(longest, kSlack));
  const auto likely = [](Joint joint) {
    return joint == Joint::kLine ? "\n" : joint == Joint::kBlank ? " " : "";
  };
  const auto with = [](std::string_view wrapped) {
    return [wrapped](Joint joint) { return joint == Joint::kLine ? "\n" : wrapped; };
  };
  request.likely.push_back(joined(command, room, likely));
  for (std::string reading : {joined(command, room, with("\n")), joined(command, room, with("")),
                              joined(command, room, with(" ")), joined(command, narrow, with(" ")),
                              joined(command, narrow, with(""))}) {
    const auto known = [&reading](const Lines& readings) {
      return std::find(readings.begin(), readings.end(), reading) != readings.end();
    };
    if (known(request.likely) || known(request.possible)) continue;
    request.possible.push_back(std::move(reading));
  }
}

Action action_of(const detect::DialogView& dialog) {
  switch (dialog.action) {
    case DialogAction::kCommand:
      return dialog.command ? Action::kCommand : Action::kUnknown;
    case DialogAction::kWrite:
      return dialog.paths.empty() ? Action::kUnknown : Action::kWrite;
    case DialogAction::kRead:
      return Action::kRead;
    case DialogAction::kOther:
      return Action::kOther;
    case DialogAction::kBypass:
      return Action::kBypass;
    case DialogAction::kUnknown:
      break;
  }
  return Action::kUnknown;
}

Meaning meaning_at(const detect::DialogView& dialog, event::Cause kind, size_t option) {
  if (kind == event::Cause::kLimit) return meaning_at_limit(dialog.options[option]);
  if (option >= dialog.senses.size() || !dialog.senses[option]) {
    return meaning_of(dialog.options[option]);
  }
  switch (*dialog.senses[option]) {
    case detect::OptionSense::kAllowOnce:
      return Meaning::kAllowOnce;
    case detect::OptionSense::kAllowAlways:
      return Meaning::kAllowAlways;
    case detect::OptionSense::kDeny:
      return Meaning::kDeny;
    case detect::OptionSense::kOther:
      break;
  }
  return Meaning::kOther;
}

}  // namespace

DialogRequest request_of(const detect::DialogView& dialog, event::Cause kind) {
  DialogRequest request;
  request.kind = dialog.kind != event::Cause::kNone ? dialog.kind : kind;
  request.tool = dialog.tool;
  request.complete = dialog.whole && (!dialog.is_set() || dialog.button);
  request.action = action_of(dialog);
  if (request.action == Action::kCommand) read_command(*dialog.command, request);
  if (request.action == Action::kWrite) request.paths = dialog.paths;
  request.title = dialog.title;
  request.body = dialog.body;
  request.first = dialog.first;
  for (size_t i = 0; i < dialog.options.size(); ++i) {
    request.options.push_back(
        {.text = dialog.options[i],
         .meaning = meaning_at(dialog, request.kind, i),
         .wants_words = wants_words(dialog.options[i]),
         .description = i < dialog.descriptions.size() ? dialog.descriptions[i] : "",
         .ticked = i < dialog.ticks.size() ? dialog.ticks[i] : std::nullopt});
  }
  if (dialog.cursor >= 0) request.cursor = static_cast<size_t>(dialog.cursor);
  return request;
}

}  // namespace orch::driver
