#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/pattern.h"
#include "base/result.h"
#include "detect/dialog_rules.h"
#include "event/status.h"

namespace orch::detect {

using base::Pattern;
using base::PatternBits;
using base::PatternSet;

// Where a condition looks. Rows count from the last non-blank row upwards: the agents' interfaces
// are not anchored to the bottom of the terminal.
enum class Region : uint8_t {
  kScreen,    // every row
  kBottom,    // "bottom:N": the last N rows
  kBox,       // the rows of the input box
  kAbove,     // "above:N": the N rows over the input box
  kBelow,     // what stands under the input box: footers, menus
  kTurn,      // from the last message of the user to the input box (the screen's end without a box)
  kDialog,    // the dialog at the end of the screen: its text, choices and footer
  kTitle,     // the window title
  kReport,    // the state an agent reported of itself (OSC 7501)
  kProgress,  // OSC 9;4 as "normal 40", "error 0", ...
};
struct RegionSpec {
  Region region = Region::kScreen;
  int rows = 0;  // of kBottom and kAbove
  bool operator==(const RegionSpec&) const = default;
};

// How much of a row is drawn in a foreground colour other than the default; the last two include
// kWords. An agent draws its own errors in one colour, sign and words, or the sign in a colour of
// its own. A model can have only its code drawn in colour, in one, and that never reaches the sign
// before its message.
enum class Colored : uint8_t {
  kNo,
  kWords,  // every letter and digit (of ASCII), of which there must be one
  kSign,   // the first glyph in one colour, all that follows in another
  kRow,    // all that is visible, in one and the same colour
};

// Whether a row that is coloured so is what a condition wants.
constexpr bool includes(Colored row, Colored wanted) {
  return row == wanted || (wanted <= Colored::kWords && row > wanted);
}

// One thing that has to hold.
struct ConditionSpec {
  enum class Kind : uint8_t {
    kMatch,    // a row of the region matches; unless a later row of it matches `unless_after`
    kNoMatch,  // no row of the region matches
    kJoined,   // the region's rows joined by single spaces match: text that wraps
    kMenu,     // the region holds a list of choices with a cursor on one
    kNoMenu,
    kBox,  // the input box is on the screen
    kNoBox,
    kAny,  // one of `any` holds
    kAll,  // all of `any` hold
  };
  Kind kind = Kind::kMatch;
  RegionSpec in;
  std::string pattern;       // RE2, of kMatch, kNoMatch and kJoined
  std::string unless_after;  // RE2, of kMatch; may be empty
  std::vector<ConditionSpec> any;
  Colored colored = Colored::kNo;  // of kMatch: how much of the row must be in colour
};

// A cause that is read from what the agent itself says in a dialog that its `dialogs` do not know -
// title, question, options and footer, never the body -, for other statuses from the turn's last
// words: from the row on by which the rule holds.
struct CauseSpec {
  event::Cause cause = event::Cause::kNone;
  std::string pattern;  // RE2 over the joined rows
};

// `status` holds when every condition of `when` does. Of the rules that hold, the one with the
// highest priority wins; among equals the first.
struct RuleSpec {
  std::string id;
  event::AgentStatus status = event::AgentStatus::kIdle;
  event::Cause cause = event::Cause::kNone;  // when none of `causes` matches
  int priority = 0;
  // What it sees is also drawn while something else goes on: a notice may know better.
  bool weak = false;
  std::optional<int64_t> confirm_ms;  // instead of the timing of its status
  std::vector<ConditionSpec> when;
  std::vector<CauseSpec> causes;
};

// How the input box is recognised: a row that matches `prompt`, directly under one that matches
// `top` (when given), closed by the first row below that matches `bottom`. With `side`, the box is
// instead the run of rows that match `side` directly above the last row that matches `bottom`.
//
// A row that matches both `prompt` and `not_prompt` is the cursor row of a list of choices. What
// was typed may look the same ("1. first ..."); so where `list_end` is given, such a row is the
// prompt when a blank row and then the lower border close the screen, and that border is none of
// the rows that match `list_end`, with which lists end.
//
// A box that holds more than it can show has no prompt row: its rows are blank or match
// `continued`, from the lower border up to the upper one, which then matches `scrolled`, or up to
// the screen's first row. One without an upper border may go from its prompt row at the screen's
// top to the screen's end.
struct BoxSpec {
  std::string prompt, top, bottom, side;
  std::string not_prompt;
  std::string list_end = {};
  std::string continued = {}, scrolled = {};
  std::string placeholder;  // box text that stands for an empty box
  int within = 40;          // the box ends in the last N rows
  int tail_rows = 0;        // of a `side` box: rows at its end that are not text
};

// Milliseconds. The defaults were measured on the recordings of six agents: DESIGN of the detector
// and the figures are in docs/detection.md.
struct DetectTiming {
  int64_t settle_ms = 30;       // output has settled when it was quiet for this long
  int64_t max_settle_ms = 200;  // and is looked at this often while it never settles
  int64_t quiet_ms = 100;       // the first output after this much quiet is looked at at once
  int64_t idle_ms = 150;        // how long idle and error must hold before they are believed
  int64_t start_ms = 60;        // the same, for the first status after starting
  // An agent that starts flashes busy: before anything was typed, work must hold for this long.
  int64_t start_working_ms = 1000;
  int64_t waiting_ms = 60;      // how long a dialog must hold, if its rule does not say
  int64_t submitted_ms = 2500;  // after Enter the agent is taken to be working for this long
  int64_t enter_seen_ms = 700;  // ... of which the text may still stand in the box for this long
  int64_t answered_ms = 150;    // an answered dialog that does not move counts as over after this
  int64_t answered_max_ms = 1200;  // ... and as open again after this
  // A notice against the screen (notice.h): an interface that says it works yields after it stood
  // still for the first, longer than any agent's spinner pauses on a busy machine; a prompt that is
  // always drawn counts as idle after nothing happened for the second; and where only one of the
  // two says so, idle is believed after the third.
  int64_t notice_quiet_ms = 3000;
  int64_t notice_rests_ms = 10'000;
  int64_t notice_idle_ms = 1000;
};

// What an agent says of itself beside its screen: a hook that it runs, a notification. The first
// whose pattern matches counts; without a status it means nothing.
struct NoticeSpec {
  std::string id;
  std::string pattern;  // RE2 over "hook Stop", "notify agent-turn-complete ...", "osc9 ..."
  std::optional<event::AgentStatus> status;
  event::Cause cause = event::Cause::kNone;
};

struct RuleSetSpec {
  std::string agent;  // prefix of the rules' names in events
  BoxSpec box;
  std::string user_message;  // RE2: a row that begins a message of the user in the transcript
  std::vector<RuleSpec> rules;
  std::vector<NoticeSpec> notices;
  DialogsSpec dialogs;
  DetectTiming timing;
};

// A compiled condition: row patterns are bits of the set, joined ones a Pattern of their own.
struct Condition {
  std::string text;  // for a person: "below matches esc to interrupt"
  ConditionSpec::Kind kind = ConditionSpec::Kind::kMatch;
  RegionSpec in;
  size_t bit = 0;
  std::optional<size_t> unless_after;
  Colored colored = Colored::kNo;
  std::optional<Pattern> joined;
  std::vector<Condition> any;
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
  static base::Result<RuleSet> compile(const RuleSetSpec& spec);

  std::string agent;
  BoxSpec box;  // which of its patterns are given
  std::optional<size_t> box_prompt, box_not_prompt, box_top, box_bottom, box_side;
  std::optional<size_t> box_list_end, box_continued, box_scrolled;
  std::optional<Pattern> placeholder;
  std::optional<size_t> user_message;
  size_t menu_option = 0;   // "2. No"
  size_t menu_cursor = 0;   // "❯ 1. Yes"
  size_t plain_cursor = 0;  // "  ❯ Yes"
  PatternSet rows;
  PatternSet texts;            // of title, report and progress
  size_t single_patterns = 0;  // searched for one by one: joined rows, causes, notices
  std::vector<Rule> rules;     // highest priority first
  std::vector<NoticeRule> notices;
  DialogRules dialogs;
  DetectTiming timing;
};

}  // namespace orch::detect
