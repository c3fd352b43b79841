#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/pattern.h"
#include "base/result.h"
#include "event/status.h"

namespace orch::detect {

// How an agent sets its dialogs apart from the rows above them.
enum class DialogEdge : uint8_t {
  kNone,   // only by the title, in bold letters
  kRule,   // by a rule directly above the title
  kFrame,  // by a frame, whose side is in every row
  kBar,    // by a bar at the side of every row
};

enum class OptionForm : uint8_t {
  kStacked,  // under each other: "❯ 1. Yes", "❯ Yes", "❯ [✔] Yes"
  kBeside,   // "Allow once   Allow always   Reject", in one row
  kKeys,     // "Enter to stay · Esc to cancel": a key for each, in the last rows
  kHinted,   // under each other, each with its key behind it: "> Continue (tab)", "  No (esc)"
  kLetters,  // "Run it? (Y)es/(N)o [Yes]:": a letter for each, behind the question, at the end
};

// The agent's action if the answer is yes; see agent::DialogRequest::Action.
enum class DialogAction : uint8_t { kUnknown, kCommand, kWrite, kRead, kOther, kBypass };

// The part of a dialog that shows a command or a path.
enum class DialogPlace : uint8_t { kBody, kTitle, kAsks };

enum class OptionSense : uint8_t { kAllowOnce, kAllowAlways, kDeny, kOther };

// The place of the command or the path of a dialog, called the part here. Each row is taken without
// the dialog's frame or bar and the one blank next to it. Each pattern is RE2 and is matched
// against one row.
struct DialogPartSpec {
  // In the title and in the question the part is the text that `begins` captures.
  DialogPlace in = DialogPlace::kBody;
  bool framed = false;  // the part fills a frame `indent` columns from the dialog's side
  std::string after;    // matches the row before the part; without that row the dialog has no part
  // Matches the first row of the part and captures the text in it that belongs to the part. If it
  // is empty, the part begins in the first row that has text. With `after`, the first row with text
  // must match.
  std::string begins;
  std::string ends;      // matches the row after the part; without that row the dialog has no part
  std::string strip;     // captures the text to cut off the beginning of each row
  int indent = 0;        // columns; a row whose text begins further left ends the part
  bool plain = false;    // a row that begins in a foreground colour ends the part
  bool upright = false;  // a row that begins in italics cannot be the first row
  int margin = 0;        // columns to the right of the part that stay empty when its text wraps
  bool cut = false;      // the agent cuts off text that does not fit a row instead of wrapping it
  // If the part has this many rows, counting blank rows below it, more of it may be hidden. 0: the
  // agent always shows all of it.
  int most_rows = 0;
  std::string breaks;  // a word that wraps may be broken after each of these characters
  // The text between several paths. If it is a line feed, each path begins in a row that `begins`
  // matches and that has the same attributes as the row of the first path.
  std::string between;
};

// One kind of dialog, recognised by the parts that the agent itself draws: the title, the question
// directly above the options and the footer under them. The rows between title and question are the
// body. The model writes it, so its words decide nothing.
struct DialogSpec {
  std::string id;
  event::Cause kind = event::Cause::kNone;
  std::string tool;       // the agent's name for the tool that it wants to use
  std::string tool_from;  // RE2 over the title, then over each row of the body: captures that name
  DialogAction action = DialogAction::kOther;
  std::optional<DialogEdge> edge;  // if it differs from the agent's other dialogs
  OptionForm options = OptionForm::kStacked;
  std::string title;  // RE2 over the row of the title
  // The title is in bold letters, where the edge is kNone. False is safe only while no model can
  // write on the screen. With kLetters the title is plain, and the model's words under it
  // are bold or in reverse.
  bool bold = true;
  std::string subtitle;  // RE2 over the first row with text under the title
  // RE2 over the question, whose rows are joined by blanks; for kLetters with its options
  std::string asks;
  std::string footer;   // RE2 over the rows under the options, joined by blanks
  std::string answers;  // RE2 over a row of the options; at least one must match
  std::optional<DialogPartSpec> command, path;
};

struct OptionWordsSpec {
  std::string pattern;  // RE2 over an option's text
  OptionSense sense = OptionSense::kOther;
};

// The dialogs of one agent.
struct DialogsSpec {
  DialogEdge edge = DialogEdge::kNone;
  std::string top;  // RE2 over the row of the rule, for kRule
  // RE2 over the row that the agent draws in place of rows that it does not show. It is the first
  // or last row of the body or of the part with the command; elsewhere the model wrote the row.
  std::string folded;
  std::string scrolled;  // RE2 over the footer: the dialog is longer than the part that is shown
  std::vector<OptionWordsSpec> words;  // for options that the words common to agents do not cover
  std::vector<DialogSpec> kinds;       // the first kind that fits counts
};

// The same specifications with their patterns compiled.
struct DialogPart {
  DialogPartSpec spec;
  std::optional<base::Pattern> after, begins, ends, strip;
};
struct DialogRule {
  DialogSpec spec;
  DialogEdge edge = DialogEdge::kNone;
  std::optional<base::Pattern> tool_from, title, subtitle, asks, footer, answers;
  std::optional<DialogPart> command, path;
};
struct OptionWords {
  base::Pattern pattern;
  OptionSense sense = OptionSense::kOther;
};
struct DialogRules {
  // An error names the kind and the field.
  static base::Result<DialogRules> compile(const DialogsSpec& spec, base::Compiled when);

  std::optional<base::Pattern> top, folded, scrolled;
  std::vector<OptionWords> words;
  std::vector<DialogRule> kinds;
};

}  // namespace orch::detect
