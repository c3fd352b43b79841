#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/pattern.h"
#include "base/result.h"
#include "event/status.h"

namespace orch::detect {

// How an agent sets its dialogs apart from what stands above them.
enum class DialogEdge : uint8_t {
  kNone,   // by its title alone, in bold letters
  kRule,   // a rule stands directly over the title
  kFrame,  // a frame: every row has its side
  kBar,    // a bar beside every row
};

enum class OptionForm : uint8_t {
  kNumbered,  // "❯ 1. Yes", a row each or more
  kListed,    // "❯ Yes", a row each
  kBeside,    // "Allow once   Allow always   Reject", in one row
};

// What is done when the answer is yes.
enum class DialogAction : uint8_t { kUnknown, kCommand, kWrite, kRead, kOther, kBypass };

// In which part of a dialog a command or a path stands.
enum class DialogPlace : uint8_t { kBody, kTitle, kAsks };

enum class OptionSense : uint8_t { kAllowOnce, kAllowAlways, kDeny, kOther };

// Where a command or a path stands in a dialog. Rows are meant without the dialog's frame or bar
// and the one blank behind it. All patterns are RE2 over one row.
struct DialogPartSpec {
  // In the title and in the question it is what `begins` captures.
  DialogPlace in = DialogPlace::kBody;
  bool framed = false;  // it fills the frame that stands `indent` columns from the dialog's side
  std::string after;    // the row before its first; then there must be one
  // Its first row; what the first group captures is the row's share. Without a pattern the part
  // begins with the first row that has text. With `after` the first row with text must match.
  std::string begins;
  std::string ends;      // the row after its last; then there must be one
  std::string strip;     // what is cut off the beginning of each row
  int indent = 0;        // a row whose text begins further left is no part of it
  bool plain = false;    // a row that begins in a colour of its own ends it
  bool upright = false;  // a row that begins in italics does not begin it
  int margin = 0;        // columns that stay empty to its right: where text wraps
  bool cut = false;      // instead of wrapping, what has no room in a row is not shown
  // With so many rows, blank ones under it included, it may go on unseen; 0: it always shows.
  int most_rows = 0;
  std::string breaks;  // characters behind which a word is broken where it wraps
  // Of paths: what stands between several. A line feed: each begins in a row that `begins` matches
  // and that is drawn as the first one's.
  std::string between;
};

// One kind of dialog, known by what the agent itself draws: its title, the question directly above
// the options, and the footer under them. Whatever stands between title and question is the body,
// whose words mean nothing.
struct DialogSpec {
  std::string id;
  event::Cause kind = event::Cause::kNone;
  std::string tool;       // the agent's name for what it wants to use
  std::string tool_from;  // RE2 over the title, then the body's rows: captures that name
  DialogAction action = DialogAction::kOther;
  std::optional<DialogEdge> edge;  // when it is not that of the agent's other dialogs
  OptionForm options = OptionForm::kNumbered;
  std::string title;  // RE2 over the title's row
  bool bold = true;   // of kNone: the title is in bold letters; only where no model writes: false
  std::string subtitle;  // RE2 over the first row with text under the title
  std::string asks;      // RE2 over the question, whose rows are joined by blanks
  std::string footer;    // RE2 over the rows under the options, joined by blanks
  std::string answers;   // RE2 over the first option
  std::optional<DialogPartSpec> command, path;
};

struct OptionWordsSpec {
  std::string pattern;  // RE2 over an option's text
  OptionSense sense = OptionSense::kOther;
};

// The dialogs of one agent.
struct DialogsSpec {
  DialogEdge edge = DialogEdge::kNone;
  std::string top;  // RE2, of kRule: the rule's row
  // RE2 over one row. What is not shown of a body is told by a row in its place: the first or the
  // last of the body or of the part that holds the command. In the middle it is the model's.
  std::string folded;
  std::string scrolled;  // RE2 over the footer: the dialog is longer than what is shown of it
  std::vector<OptionWordsSpec> words;  // where the general words do not tell what an option means
  std::vector<DialogSpec> kinds;       // the first that fits counts
};

// The same, compiled.
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
  static base::Result<DialogRules> compile(const DialogsSpec& spec);

  std::optional<base::Pattern> top, folded, scrolled;
  std::vector<OptionWords> words;
  std::vector<DialogRule> kinds;
};

}  // namespace orch::detect
