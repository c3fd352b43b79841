#include "adapters/dialogs_spec.h"

#include <string>

#include "adapters/cause_member.h"
#include "adapters/members.h"
#include "base/words.h"

namespace orch::adapters {
namespace {

using detect::DialogAction;
using detect::DialogEdge;
using detect::DialogPartSpec;
using detect::DialogPlace;
using detect::DialogSpec;
using detect::OptionForm;
using detect::OptionSense;

constexpr base::Words<DialogEdge, 4> kEdges{{{DialogEdge::kNone, "none"},
                                             {DialogEdge::kRule, "rule"},
                                             {DialogEdge::kFrame, "frame"},
                                             {DialogEdge::kBar, "bar"}}};
constexpr base::Words<DialogPlace, 3> kPlaces{
    {{DialogPlace::kBody, "body"}, {DialogPlace::kTitle, "title"}, {DialogPlace::kAsks, "asks"}}};
constexpr base::Words<OptionForm, 5> kForms{{{OptionForm::kStacked, "stacked"},
                                             {OptionForm::kBeside, "beside"},
                                             {OptionForm::kKeys, "keys"},
                                             {OptionForm::kHinted, "hinted"},
                                             {OptionForm::kLetters, "letters"}}};
constexpr base::Words<DialogAction, 4> kActions{{{DialogAction::kRead, "read"},
                                                 {DialogAction::kOther, "other"},
                                                 {DialogAction::kBypass, "bypass"},
                                                 {DialogAction::kUnknown, "unknown"}}};
constexpr base::Words<OptionSense, 4> kSenses{{{OptionSense::kAllowOnce, "once"},
                                               {OptionSense::kAllowAlways, "always"},
                                               {OptionSense::kDeny, "deny"},
                                               {OptionSense::kOther, "other"}}};

void part_members(Members& in, DialogPartSpec& part) {
  in.word("in", kPlaces, part.in, "where in the dialog (body)");
  in.optional("framed", part.framed, "fills its own frame, `indent` columns in");
  in.pattern("after", part.after, "row before it");
  in.pattern("begins", part.begins, "first row; captures its text");
  in.pattern("ends", part.ends, "row after it");
  in.pattern("strip", part.strip, "captures text to cut off rows");
  in.optional("indent", part.indent, "columns; rows further left end it");
  in.optional("plain", part.plain, "coloured row ends it");
  in.optional("upright", part.upright, "first row is not in italics");
  in.optional("margin", part.margin, "columns that stay empty to its right");
  in.optional("cut", part.cut, "long rows are cut off, not wrapped");
  in.optional("most_rows", part.most_rows, "at so many rows more may be hidden");
  in.optional("breaks", part.breaks, "characters that may end a line");
  in.optional("between", part.between, "text between several paths");
  if (part.in != DialogPlace::kBody && part.begins.empty()) in.fail("begins", "is missing");
}

void kind_of_dialog_members(Members& in, DialogSpec& kind) {
  in.required("id", kind.id, "name");
  read_cause(in, "kind", event::AgentStatus::kWaiting, kind.kind, "cause that it stands for");
  in.require("kind");
  in.optional("tool", kind.tool, "tool that asks");
  in.pattern("tool_from", kind.tool_from, "captures its name in title or body");
  in.word("edge", kEdges, kind.edge, "edge, if it differs");
  in.word("options", kForms, kind.options, "layout of options (stacked)");
  in.pattern("title", kind.title, "title's row");
  in.optional("bold", kind.bold, "title is bold, where `edge` is none");
  in.pattern("subtitle", kind.subtitle, "first row with text under the title");
  in.pattern("asks", kind.asks, "question above the options, in one row");
  in.pattern("footer", kind.footer, "rows under the options, in one row");
  in.pattern("answers", kind.answers, "row of an option, one at least");
  in.object("command", kind.command, part_members, "where the command stands");
  in.object("path", kind.path, part_members, "where the path stands");
  if (kind.command && kind.path) in.fail("path", "stands beside a command");
  std::optional<DialogAction> action;
  in.word("action", kActions, action, "action without `command` or `path`");
  kind.action = kind.command ? DialogAction::kCommand
                : kind.path  ? DialogAction::kWrite
                             : action.value_or(DialogAction::kUnknown);
  if (kind.title.empty() && kind.asks.empty() && kind.footer.empty()) {
    in.fail("", "needs a title, asks or footer");
  }
}

void option_words_members(Members& in, detect::OptionWordsSpec& words) {
  in.required_pattern("match", words.pattern, "option's text");
  in.required_word("means", kSenses, words.sense, "meaning");
}

}  // namespace

void dialogs_members(Members& in, detect::DialogsSpec& dialogs) {
  constexpr size_t kMostKinds = 64;
  in.word("edge", kEdges, dialogs.edge, "how dialogs are set apart (none: bold title)");
  in.pattern("top", dialogs.top, "row of the rule");
  if (dialogs.edge == DialogEdge::kRule && dialogs.top.empty()) in.fail("top", "is missing");
  in.pattern("folded", dialogs.folded, "stands for rows not shown");
  in.pattern("scrolled", dialogs.scrolled, "footer of a dialog that scrolls");
  in.list("options", dialogs.words, option_words_members, "meanings of options");
  in.list("kinds", dialogs.kinds, kind_of_dialog_members, "kinds; policies allow no other",
          "dialog");
  if (dialogs.kinds.size() > kMostKinds) in.fail("kinds", "too many");
}

}  // namespace orch::adapters
