#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pattern.h"
#include "base/result.h"
#include "base/time.h"
#include "detect/dialog_rules.h"
#include "event/status.h"

namespace orch::detect {

using base::Compiled;
using base::Pattern;
using base::PatternBits;
using base::PatternSet;
using base::TimeMs;

// Where a condition looks. Rows are counted from the last non-blank row upwards, because the
// interfaces of agents are not anchored to the bottom of the terminal.
enum class Region : uint8_t {
  kScreen,    // every row
  kBottom,    // "bottom:N": the last N rows
  kBox,       // the rows of the input box
  kAbove,     // "above:N": the N rows above the input box
  kBelow,     // the rows under the input box: footers, menus
  kTurn,      // from the last message of the user to the input box (the screen's end without a box)
  kDialog,    // the dialog at the end of the screen: its text, choices and footer
  kTitle,     // the window title
  kReport,    // the state that the agent reported about itself (OSC 7501)
  kProgress,  // the progress (OSC 9;4) as "normal 40", "error 0", ...
};
bool is_text(Region region);  // it has no rows: kTitle, kReport, kProgress
struct RegionSpec {
  Region region = Region::kScreen;
  int rows = 0;  // N, for kBottom and kAbove
  bool operator==(const RegionSpec&) const = default;
};

// How much of a row is drawn in a foreground colour other than the default. kSign and kRow include
// kWords. An agent draws its own errors, sign and words, in one colour, or the sign in another
// colour than the words. A model can only get its code drawn in colour, in a single one, and the
// sign before its message never has that colour.
enum class Colored : uint8_t {
  kNo,
  kWords,  // every ASCII letter and digit; there must be at least one
  kSign,   // the first glyph in one colour, all others in another
  kRow,    // all visible glyphs in the same colour
};

// Whether a condition that wants `wanted` accepts a row that is coloured like `row`.
constexpr bool includes(Colored row, Colored wanted) {
  return row == wanted || (wanted <= Colored::kWords && row > wanted);
}

// Bracketed paste, as the agent has set it. A line-oriented agent switches it on to read a line.
enum class Paste : uint8_t {
  kOn,
  kOff,    // it is off after it was on
  kNever,  // it was never on
};

// One condition of a rule.
struct ConditionSpec {
  enum class Kind : uint8_t {
    kMatch,    // a row of the region matches, and no later row of it matches `unless_after`
    kNoMatch,  // no row of the region matches
    kJoined,   // the rows of the region, joined by single spaces, match (for text that wraps)
    kMenu,     // the region holds a list of choices with a cursor on one of them
    kNoMenu,
    kBox,  // the input box is on the screen
    kNoBox,
    kAny,    // one of `any` holds
    kAll,    // all of `any` hold
    kMoves,  // `in` is the title, which matches and keeps changing: nobody types a spinner
    // The rows of the region changed at `times` moments, or more, of the last `ms` (motion.h).
    kMoved,
    // They have not changed for `ms`. With `beat` only after a steady rhythm, such as a spinner's:
    // the last kBeats pauses between two changes were not longer than `beat`.
    kStill,
    kPaste,    // bracketed paste (mode 2004) is as `paste` says
    kCursor,   // the cursor is shown, and the text of its row before it matches
    kSeen,     // a row of the screen, or the title, has matched since the last Enter
    kEntered,  // Enter was typed at some time
    kNotEntered,
  };
  Kind kind = Kind::kMatch;
  RegionSpec in;
  std::string pattern;             // RE2, for kMatch, kNoMatch, kMoves and kJoined
  std::string unless_after;        // RE2, for kMatch; may be empty
  std::vector<ConditionSpec> any;  // for kAny and kAll
  Colored colored = Colored::kNo;  // for kMatch: how much of the row must be in colour
  int64_t ms = 0;                  // for kMoved and kStill
  int times = 1;                   // for kMoved, at most Motion::kKept
  int64_t beat = 0;                // for kStill, in ms; 0: whatever the rhythm was
  bool digits = false;             // for both: a change of digits counts, too, wherever it is
  bool colors = false;             // for both: a change of colours counts, too
  Paste paste = Paste::kOn;        // for kPaste
};

// A cause that the agent's words name. For the status waiting these are the agent's own words in a
// dialog that the manifest's `dialogs` do not know: title, question, options and footer, never the
// body. For other statuses they are the last words of the turn, from the row where the rule holds.
struct CauseSpec {
  event::Cause cause = event::Cause::kNone;
  std::string pattern;  // RE2 over the joined rows
};

// The agent has this status if every condition of `when` holds. Of the rules that hold, the one
// with the highest priority wins; among equal priorities, the first.
struct RuleSpec {
  std::string id;
  event::AgentStatus status = event::AgentStatus::kIdle;
  event::Cause cause = event::Cause::kNone;  // if none of `causes` matches
  int priority = 0;
  // The agent may also draw this evidence in other statuses, so a notice may know better.
  bool weak = false;
  std::optional<int64_t> confirm_ms;  // used instead of the timing of the status
  std::vector<ConditionSpec> when;
  std::vector<CauseSpec> causes;
};

// How the input box is recognised. The box begins with a row that matches `prompt`, directly under
// a row that matches `top` (if given), and is closed by the first row below that matches `bottom`.
// With `side`, the box consists instead of the consecutive rows that match `side` directly above
// the last row that matches `bottom`.
//
// With `footer` the box has no lower border. It ends with a blank row. Up to three rows, which all
// match `footer`, follow at the end of the screen. Their words do not matter: users and models
// choose them.
//
// A row that matches both `prompt` and `not_prompt` is the cursor row of a list of choices. Typed
// text may look the same ("1. first ..."). So the row still counts as the prompt above a footer
// without a row that matches `list_end`, the end of a list of choices, unless the row is tinted, as
// cursors are.
//
// A box that holds more text than it can show has no prompt row. Its rows are blank or match
// `continued`, from the lower border up to the upper one, which then matches `scrolled`, or up to
// the first row of the screen. A box without an upper border may fill the screen, from its prompt
// row near the top, or a prompt row that matches `scrolled`, to the end.
//
// With `enclosed`, nothing is known about the rows of the box, which may be blank: it is the last N
// rows or fewer between a row that matches `top` and one that matches `bottom`. With `at_cursor` it
// begins with the last row that matches `prompt` up to the cursor's row, and ends with that row; a
// hidden cursor is in no box. Neither holds a row that matches `not_prompt`. With `each` as well,
// every row of the box has the prompt, and it begins with the first of such rows; `each` captures
// the text behind the prompt.
struct BoxSpec {
  std::string prompt, top, bottom, side;
  std::string not_prompt;
  std::string footer = {};
  std::string list_end = {};
  std::string continued = {}, scrolled = {};
  std::string each = {};
  std::string placeholder;  // RE2 over the text in the box: a match means that the box is empty
  int within = 40;          // the box is looked for in the last N rows
  int tail_rows = 0;        // for a box with `side`: rows at its end that hold no text
  int enclosed = 0;         // the most rows between two borders; 0: the box is not found by them
  bool at_cursor = false;
};

// All times are in milliseconds. The defaults were measured on the recordings of six agents;
// docs/internals/detection.md has the figures and the reasons.
struct DetectTiming {
  int64_t settle_ms = 30;       // the screen has settled after this long without output
  int64_t max_settle_ms = 200;  // a screen that never settles is looked at this often
  int64_t quiet_ms = 100;       // the first output after this long without any is looked at at once
  int64_t idle_ms = 150;        // how long idle and error must hold before they are believed
  int64_t start_ms = 60;        // the same for the first status after starting
  // An agent that starts may look busy for a moment. Before anything was typed, working must hold
  // for this long.
  int64_t start_working_ms = 1000;
  int64_t waiting_ms = 60;         // how long a dialog must hold, if its rule does not say so
  int64_t submitted_ms = 2500;     // the agent counts as working for this long after Enter
  int64_t enter_seen_ms = 700;     // but only for this long while the text is still in the box
  int64_t answered_ms = 150;       // a dialog that stays after its answer counts as over after this
  int64_t answered_max_ms = 1200;  // and as open again after this
  // These decide between a notice and the screen (notice.h).
  int64_t notice_quiet_ms = 3000;    // a screen that shows work yields after it stood still for
                                     // this long, longer than any spinner pauses on a busy machine
  int64_t notice_rests_ms = 10'000;  // a prompt that is always drawn means idle after this long
                                     // without output or notice
  int64_t notice_idle_ms = 1000;     // idle is believed after this long if only the screen or only
                                     // the notice says so
  int64_t report_wrong_ms = 1000;    // a report that the agent rests is wrong if the screen goes on
                                     // to show work for this long: it ends 0.1 s after a true one
};

// How to read a notice: an agent's statement about itself apart from its screen, by a hook that it
// runs, by a notification, or by a report of its state (OSC 7501). The first specification whose
// pattern matches counts. If it has no status, the notice is ignored.
struct NoticeSpec {
  std::string id;
  // RE2 over "hook Stop", "notify agent-turn-complete ...", "osc9 ...", "report blocked:permission"
  std::string pattern;
  std::optional<event::AgentStatus> status;
  event::Cause cause = event::Cause::kNone;
};

inline constexpr std::string_view kAnyApp = "*";

struct RuleSetSpec {
  std::string agent;     // prefix of the rules' names in events
  bool guessed = false;  // the rules are not this agent's own, so its statuses are guesses
  BoxSpec box;
  std::vector<BoxSpec> other_boxes;  // looked for in this order if `box` is not on the screen
  std::string user_message;  // RE2 over a row: it begins a message of the user in the transcript
  // The agent's name for itself in its reports; "": it sends none; kAnyApp: the first program that
  // reports before anything was typed is the agent.
  std::string report_app;
  std::vector<RuleSpec> rules;
  std::vector<NoticeSpec> notices;
  DialogsSpec dialogs;
  DetectTiming timing;
};

// A compiled condition. A pattern over rows is a bit in the pattern set; a pattern over joined rows
// is a Pattern of its own.
struct Condition {
  std::string text;  // for the user: "below matches esc to interrupt"
  ConditionSpec::Kind kind = ConditionSpec::Kind::kMatch;
  RegionSpec in;
  size_t bit = 0;
  std::optional<size_t> unless_after;
  Colored colored = Colored::kNo;
  std::optional<Pattern> joined;
  std::vector<Condition> any;
  TimeMs ms = 0;
  size_t times = 1;
  TimeMs beat = 0;
  bool digits = false, colors = false;
  Paste paste = Paste::kOn;
};
// A BoxSpec with its patterns compiled: bits in RuleSet::rows.
struct BoxRules {
  BoxSpec spec;
  std::optional<size_t> prompt, not_prompt, top, bottom, side;
  std::optional<size_t> footer, list_end, continued, scrolled;
  std::optional<Pattern> each, placeholder;
};
struct CauseRule {
  event::Cause cause = event::Cause::kNone;
  Pattern pattern;
};
struct Rule {
  std::string name;  // "claude/permission"
  event::AgentStatus status = event::AgentStatus::kIdle;
  event::Cause cause = event::Cause::kNone;
  int priority = 0;
  bool weak = false;
  std::optional<int64_t> confirm_ms;
  std::vector<Condition> when;
  std::vector<CauseRule> causes;
};
struct NoticeRule {
  std::string name;  // "claude/notice/stop"
  Pattern pattern;
  bool ignored = false;
  event::AgentStatus status = event::AgentStatus::kIdle;
  event::Cause cause = event::Cause::kNone;
};

// The rules of one agent, ready to be evaluated; immutable and shared by its detectors.
struct RuleSet {
  // kWhenSearched is for specifications that were compiled before, so that each pattern is valid:
  // those of the binary, which tests compile, and specifications from parse_manifest().
  static base::Result<RuleSet> compile(const RuleSetSpec& spec, Compiled when = Compiled::kNow);
  // Compiles the patterns that the first look at a screen needs; see PatternSet::prepare().
  void prepare() const;

  Compiled when = Compiled::kNow;
  std::string agent;
  std::string report_app;
  bool guessed = false;
  std::vector<BoxRules> boxes;  // the first one on the screen counts
  std::optional<size_t> user_message;
  size_t menu_option = 0;      // "2. No"
  size_t menu_cursor = 0;      // "❯ 1. Yes"
  size_t plain_cursor = 0;     // "  ❯ Yes"
  PatternSet rows;             // patterns that are matched against rows of the screen
  PatternSet texts;            // patterns that are matched against title, report and progress
  bool moves = false;          // a condition is of the kind kMoves
  bool motion = false;         // a condition is of the kind kMoved or kStill
  bool cursor = false;         // a condition or a box needs the cursor
  size_t single_patterns = 0;  // patterns that are matched one by one: joined rows, causes, notices
  std::vector<Rule> rules;     // highest priority first
  std::vector<NoticeRule> notices;
  DialogRules dialogs;
  DetectTiming timing;
};

}  // namespace orch::detect
