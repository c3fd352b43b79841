#include "adapters/manifest.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "adapters/cause_member.h"
#include "adapters/dialogs_spec.h"
#include "adapters/members.h"
#include "base/json_members.h"
#include "base/name.h"
#include "base/text.h"
#include "base/words.h"
#include "detect/dialog_options.h"
#include "detect/motion.h"

namespace orch::adapters {
namespace {

using base::Json;
using detect::ConditionSpec;
using detect::Region;
using detect::RegionSpec;

// A manifest is some kilobytes of short lists. Its largest numbers are milliseconds, up to a day.
constexpr base::JsonLimits kLimits{.bytes = 64 << 10, .depth = 32, .number = 86'400'000};

// The kinds of text that Members reads.
constexpr const char* kKindsOfText = R"({
  "RE2": {"type": "string"},
  "way": {"type": "string", "pattern": "^/"},
  "conditions": {"type": "object", "additionalProperties": {"type": ["string", "boolean"]}}
})";

constexpr base::Words<Region, 10> kRegions{{
    {Region::kScreen, "screen"},
    {Region::kBottom, "bottom"},
    {Region::kBox, "box"},
    {Region::kAbove, "above"},
    {Region::kBelow, "below"},
    {Region::kTurn, "turn"},
    {Region::kDialog, "dialog"},
    {Region::kTitle, "title"},
    {Region::kReport, "report"},
    {Region::kProgress, "progress"},
}};
constexpr int kMostRows = 1'000;

constexpr bool is_counted(Region region) {
  return region == Region::kBottom || region == Region::kAbove;
}

std::optional<RegionSpec> region_named(std::string_view text) {
  const size_t colon = text.find(':');
  const auto region = base::value_of(kRegions, text.substr(0, colon));
  if (!region || is_counted(*region) != (colon != std::string::npos)) return std::nullopt;
  if (!is_counted(*region)) return RegionSpec{*region, 0};
  int rows = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, rows);
  if (error != std::errc() || rest != end || rows < 1 || rows > kMostRows) return std::nullopt;
  return RegionSpec{*region, rows};
}

// "screen, bottom:N, ...", with `rows` in place of ":N".
std::string regions(std::string_view between, std::string_view rows) {
  std::string all;
  for (const auto& [region, word] : kRegions) {
    all.append(all.empty() ? "" : between).append(word);
    if (is_counted(region)) all.append(rows);
  }
  return all;
}

void read_region(Members& in, RegionSpec& region) {
  if (in.describes()) {
    const std::string pattern = "^(" + regions("|", ":[1-9][0-9]{0,3}") + ")$";
    return in.describe("in", {{"type", "string"}, {"pattern", pattern}}, regions(", ", ":N"));
  }
  std::string text;
  in.optional("in", text, "");
  const std::optional<RegionSpec> known = region_named(text);
  if (!known) in.fail("in", "\"" + text + "\" is not a region (" + regions(", ", ":N") + ")");
  region = known.value_or(region);
}

// Reads "words", "sign" or "row". true means "words": it comes from old manifests, which had no
// other kind.
detect::Colored read_colored(Members& in) {
  const Json* value = in.value("colored", R"({"enum": ["words", "sign", "row", true, false]})",
                               "how much of the row is coloured");
  if (value == nullptr || *value == false) return detect::Colored::kNo;
  if (*value == "words" || *value == true) return detect::Colored::kWords;
  if (*value == "sign") return detect::Colored::kSign;
  if (*value == "row") return detect::Colored::kRow;
  in.fail("colored", "must be \"words\", \"sign\" or \"row\"");
  return detect::Colored::kNo;
}

constexpr base::Words<detect::Paste, 3> kPastes{
    {{detect::Paste::kOn, "on"}, {detect::Paste::kOff, "off"}, {detect::Paste::kNever, "never"}}};

void read_motion(Members& in, const char* key, const char* about, ConditionSpec& condition) {
  std::optional<int64_t> ms;
  in.optional(key, ms, about);
  condition.ms = ms.value_or(0);
  if (condition.ms < 1) in.fail(key, "must be milliseconds");
  in.optional("digits", condition.digits, "digits count, too");
  in.optional("colors", condition.colors, "colours count, too");
  if (detect::is_text(condition.in.region)) in.fail("in", "must be rows of the screen");
}

// Reads a condition that looks at rows by a pattern, and returns false if it is another one.
bool read_pattern_condition(Members& in, ConditionSpec& condition) {
  using Kind = ConditionSpec::Kind;
  struct Row {
    const char* key;
    Kind kind;
    const char* about;
  };
  constexpr std::array<Row, 5> kRows{{
      {"match", Kind::kMatch, "row matches"},
      {"no", Kind::kNoMatch, "no row matches"},
      {"joined", Kind::kJoined, "rows match, joined by blanks"},
      {"moves", Kind::kMoves, "title matches and keeps changing"},
      {"seen", Kind::kSeen, "has matched since the last Enter"},
  }};
  const auto* row = std::ranges::find_if(kRows, [&in](const Row& one) { return in.has(one.key); });
  if (row == kRows.end()) return false;
  const Region region = condition.in.region;
  condition.kind = row->kind;
  in.pattern(row->key, condition.pattern, row->about);
  if (row->kind == Kind::kMoves && region != Region::kTitle) {
    in.fail("in", "must be title where \"moves\" stands");
  }
  if (row->kind == Kind::kSeen && region != Region::kTitle && region != Region::kScreen) {
    in.fail("in", "must be screen or title where \"seen\" stands");
  }
  if (row->kind == Kind::kMatch) {
    in.pattern("unless_after", condition.unless_after, "but no later row matches this");
    condition.colored = read_colored(in);
  }
  return true;
}

void condition_members(Members& in, ConditionSpec& condition);

void read_conditions(Members& in, const char* key, std::vector<ConditionSpec>& conditions,
                     const char* about) {
  in.list(key, conditions, condition_members, about);
  if (conditions.empty() && in.has(key)) in.fail(key, "must be an array of conditions");
}

// The kind of a condition is decided by the first of these members that it has.
void condition_members(Members& in, ConditionSpec& condition) {
  using Kind = ConditionSpec::Kind;
  std::optional<bool> flag;
  if (in.has("box")) {
    in.optional("box", flag, "input box is there, or not");
    condition.kind = flag.value_or(true) ? Kind::kBox : Kind::kNoBox;
  } else if (in.has("any")) {
    condition.kind = Kind::kAny;
    read_conditions(in, "any", condition.any, "one of these holds");
  } else if (in.has("all")) {
    condition.kind = Kind::kAll;
    read_conditions(in, "all", condition.any, "all of these hold");
  } else if (in.has("paste")) {
    condition.kind = Kind::kPaste;
    in.word("paste", kPastes, condition.paste, "bracketed paste");
  } else if (in.has("entered")) {
    in.optional("entered", flag, "Enter was typed before, or not");
    condition.kind = flag.value_or(true) ? Kind::kEntered : Kind::kNotEntered;
  } else if (in.has("cursor")) {
    condition.kind = Kind::kCursor;
    in.pattern("cursor", condition.pattern, "text before the cursor, which is shown");
  } else {
    read_region(in, condition.in);
    if (in.has("moved")) {
      condition.kind = Kind::kMoved;
      read_motion(in, "moved", "whether the rows changed within so many ms", condition);
      in.optional("times", condition.times, "at so many moments");
      if (condition.times < 1 || condition.times > static_cast<int>(detect::Motion::kKept)) {
        in.fail("times", "must be from 1 to " + std::to_string(detect::Motion::kKept));
      }
    } else if (in.has("still")) {
      condition.kind = Kind::kStill;
      read_motion(in, "still", "ms without a change of the rows", condition);
      in.optional("beat", condition.beat, "only after a rhythm of pauses");
    } else if (in.has("menu")) {
      in.optional("menu", flag, "region holds choices with a cursor");
      condition.kind = flag.value_or(true) ? Kind::kMenu : Kind::kNoMenu;
    } else if (!read_pattern_condition(in, condition)) {
      in.fail("",
              "needs one of match, no, joined, moves, seen, moved, still, paste, cursor, entered, "
              "menu, box, any, all");
    }
  }
}

// The statuses that a rule can find. Rules are not needed to know that an agent is starting or has
// exited.
constexpr base::Words<event::AgentStatus, 4> kStatuses{{
    {event::AgentStatus::kIdle, "idle"},
    {event::AgentStatus::kWorking, "working"},
    {event::AgentStatus::kWaiting, "waiting"},
    {event::AgentStatus::kError, "error"},
}};

std::optional<event::AgentStatus> status_of(const Members& in, event::AgentStatus status) {
  if (in.describes()) return std::nullopt;
  return status;
}

void rule_members(Members& in, detect::RuleSpec& rule) {
  in.required("id", rule.id, "name, in events and messages");
  in.required_word("status", kStatuses, rule.status, "status that it finds");
  const auto status = status_of(in, rule.status);
  read_cause(in, "cause", status, rule.cause, "why; each status has its own");
  in.optional("priority", rule.priority, "of rules that hold, the highest counts");
  in.optional("weak", rule.weak, "drawn in other statuses, too: notices count more");
  in.optional("confirm_ms", rule.confirm_ms, "replaces `timing`");
  read_conditions(in, "when", rule.when, "all conditions must hold");
  in.require("when");
  std::vector<std::pair<std::string, std::string>> causes;
  in.named_patterns("causes", event::causes_of(status), causes, "causes, by the agent's own words");
  for (auto& [word, pattern] : causes) {
    rule.causes.push_back({*event::cause_named(word), std::move(pattern)});
  }
}

void notice_members(Members& in, detect::NoticeSpec& notice) {
  in.required("id", notice.id, "name");
  in.required_pattern("match", notice.pattern,
                      "`hook ...`, `notify ...`, `osc9 ...`, `report ...`");
  in.word("status", kStatuses, notice.status, "status; missing: it is ignored");
  if (in.describes() || notice.status) {
    const auto status = status_of(in, notice.status.value_or(event::AgentStatus::kIdle));
    read_cause(in, "cause", status, notice.cause, "cause");
  }
}

void box_members(Members& in, detect::BoxSpec& box) {
  in.pattern("prompt", box.prompt, "box's first row");
  in.pattern("not_prompt", box.not_prompt, "rows like it: choices of a list");
  in.pattern("top", box.top, "row above the box");
  in.pattern("bottom", box.bottom, "closes it");
  in.pattern("side", box.side, "every row, in place of `prompt`");
  in.pattern("placeholder", box.placeholder, "text in an empty box");
  in.pattern("footer", box.footer, "rows under a box without `bottom`");
  in.pattern("list_end", box.list_end, "last row of choices, with `footer`");
  in.pattern("continued", box.continued, "rows of a box that shows no prompt");
  in.pattern("scrolled", box.scrolled, "row above that box");
  in.optional("within", box.within, "among so many last rows");
  in.optional("tail_rows", box.tail_rows, "rows without text at its end");
  in.optional("enclosed", box.enclosed, "most rows between `top` and `bottom`");
  in.optional("at_cursor", box.at_cursor, "it ends with the cursor's row");
  in.pattern("each", box.each, "captures each row's text");
  if (!box.each.empty() && !box.at_cursor) in.fail("each", "needs at_cursor");
  const bool enclosed = box.enclosed > 0;
  if (!enclosed && box.prompt.empty() == box.side.empty()) {
    in.fail("", "needs either prompt or side, or enclosed");
  }
  if ((enclosed || !box.side.empty()) && box.bottom.empty()) in.fail("bottom", "is missing");
  if (enclosed && box.top.empty()) in.fail("top", "is missing");
}

// Reads one box, or a list of boxes that are looked for in turn.
void read_boxes(Members& in, detect::RuleSetSpec& rules) {
  constexpr size_t kMostBoxes = 8;
  std::vector<detect::BoxSpec> boxes;
  in.one_or_list("box", boxes, kMostBoxes, box_members, "how the input box is found");
  if (boxes.empty()) return;
  rules.box = std::move(boxes.front());
  rules.other_boxes.assign(std::make_move_iterator(boxes.begin() + 1),
                           std::make_move_iterator(boxes.end()));
}

void timing_members(Members& in, detect::DetectTiming& timing) {
  in.optional("settle_ms", timing.settle_ms, "silence that settles the screen");
  in.optional("max_settle_ms", timing.max_settle_ms, "longest wait for that");
  in.optional("quiet_ms", timing.quiet_ms, "silence before output that counts at once");
  in.optional("idle_ms", timing.idle_ms, "how long idle and error hold");
  in.optional("start_ms", timing.start_ms, "how long the first status holds");
  in.optional("report_wrong_ms", timing.report_wrong_ms,
              "work on the screen that refutes a report");
  in.optional("start_working_ms", timing.start_working_ms, "how long working holds at the start");
  in.optional("waiting_ms", timing.waiting_ms, "how long a dialog holds");
  in.optional("submitted_ms", timing.submitted_ms, "how long Enter counts as work");
  in.optional("enter_seen_ms", timing.enter_seen_ms, "the same, with text in the box");
  in.optional("answered_ms", timing.answered_ms, "dialog that stays after its answer is over");
  in.optional("answered_max_ms", timing.answered_max_ms, "and then open again");
  in.optional("notice_quiet_ms", timing.notice_quiet_ms, "still work yields to a notice");
  in.optional("notice_rests_ms", timing.notice_rests_ms, "prompt that is always there means idle");
  in.optional("notice_idle_ms", timing.notice_idle_ms, "idle by screen or notice alone");
}

void key_members(Members& in, KeysSpec& keys) {
  in.optional("bytes", keys.bytes, "bytes between two `between` keys; 0: pasted");
  in.optional("between", keys.between, "key without effect");
  in.optional("tab", keys.tab, "typed for a tab");
  in.optional("menus", keys.menus, "first characters of a last word that opens a menu");
  const bool between = keys.bytes > 0 || !keys.between.empty();
  if (between && !detect::is_key_name(keys.between)) {
    in.fail("between", "is not the name of a key");
  }
}

void input_members(Members& in, InputSpec& input) {
  in.optional("start_ms", input.start_ms, "longest wait for the first prompt");
  in.optional("send_ms", input.send_ms, "longest wait for a later one");
  in.optional("stability_ms", input.stability_ms, "prompt stands before orch types");
  in.optional("start_stability_ms", input.start_stability_ms, "the same at the start");
  in.pattern("started", input.started, "row that ends the start");
  in.optional("enter_delay_ms", input.enter_delay_ms, "from there to Enter");
  in.optional("seen_ms", input.seen_ms, "longest wait for typed text in the box");
  in.optional("accepted_ms", input.accepted_ms, "until Enter is repeated");
  in.optional("enter_repeats", input.enter_repeats, "number of repeats");
  in.optional("command_start", input.command_start, "first characters of its commands");
  in.optional("command_words", input.command_words, "messages that are commands: `exit`");
  in.pattern("paste_placeholder", input.paste_placeholder, "text in place of a long paste");
  in.optional("scroll_rows", input.scroll_rows, "box of so many rows may hide text");
  in.object("keys", input.keys, key_members, "text is typed as keys, not pasted");
}

void transcript_members(Members& in, TranscriptSpec& transcript) {
  in.pattern("agent", transcript.agent, "begins the agent's words");
  in.pattern("tool", transcript.tool, "begins a tool call or result");
  in.pattern("grey_tool", transcript.grey_tool, "the same, in grey");
  in.pattern("colored_tool", transcript.colored_tool, "the same, in grey or a colour");
  in.pattern("colored_user", transcript.colored_user, "a user's message, in a colour");
  in.pattern("faint_user", transcript.faint_user, "the same, faint");
  in.pattern("hangs", transcript.hangs, "hangs below a tool's call");
  in.pattern("words", transcript.words, "never a tool's");
  in.pattern("notice", transcript.notice, "begins a notice");
  in.pattern("chrome", transcript.chrome, "begins rows of the interface");
  in.pattern("user_end", transcript.user_end, "ends a user's message");
  in.pattern("side", transcript.side, "has a bar at its side");
  in.pattern("busy", transcript.busy, "shows that a tool still runs");
  in.pattern("margin", transcript.margin, "captures a row's text without a scroll bar");
  in.optional("shaded", transcript.shaded, "messages and tools have a background colour");
  in.optional("smears", transcript.smears, "repaints leave beginnings of rows behind");
  in.optional("indent", transcript.indent, "columns before its words");
  in.optional("chrome_rows", transcript.chrome_rows, "interface rows above the box");
  in.patterns("drop", transcript.drop, "nobody's: spinners, rules");
  in.patterns("frame", transcript.frame, "captures a tool's text without its frame");
}

void reset_members(Members& in, ResetSpec& reset) {
  in.optional("keys", reset.keys, "interrupt it and empty its box");
  in.optional("command", reset.command, "empties the conversation");
}

void quit_members(Members& in, QuitSpec& quit) {
  in.optional("keys", quit.keys, "end the agent");
  in.optional("wait_ms", quit.wait_ms, "how long that takes");
}

void hook_members(Members& in, HookSpec& hooks) {
  in.optional("arguments", hooks.arguments, "`{}`: path of the settings");
  in.optional("env", hooks.env, "variables, the same");
  if (!hooks.any()) in.fail("arguments", "is missing, and so is env");
  in.settings("settings", hooks.settings, "settings that name orch's hook");
}

void own_server_members(Members& in, McpSpec& mcp) {
  in.optional("arguments", mcp.own_arguments, "words");
  in.optional("env", mcp.own_env, "variables");
  mcp.own = !in.describes();
}

void mcp_members(Members& in, McpSpec& mcp) {
  in.optional("arguments", mcp.arguments,
              "with `{name}`, `{command}`, `{args}`, `{words}`, `{settings}`");
  in.optional("env", mcp.env, "variables");
  in.optional("settings", mcp.settings, "settings as text");
  if (!mcp.any()) in.fail("arguments", "is missing, and so are env and settings");
  in.object("own", mcp, own_server_members, "for `orch mcp`, which asks nothing");
}

constexpr base::Words<RecordSpec::Line::Kind, 4> kLineKinds{
    {{RecordSpec::Line::Kind::kNothing, "nothing"},
     {RecordSpec::Line::Kind::kUser, "user"},
     {RecordSpec::Line::Kind::kAgent, "agent"},
     {RecordSpec::Line::Kind::kTool, "tool"}}};

void line_members(Members& in, RecordSpec::Line& line) {
  in.required_word("is", kLineKinds, line.kind, "whose it is");
  in.ways("content", line.content, "texts, or the tool's name");
  const bool nothing = line.kind == RecordSpec::Line::Kind::kNothing;
  if (nothing != line.content.empty()) {
    in.fail("content", nothing ? "is not read of a line that is nothing" : "is missing");
  }
  in.conditions("when", line.when, "its conditions");
  if (line.when.empty()) in.fail("when", "must be an object of members and values");
}

// Whether the relative path leads below its folder, as "a/b" does: it has no "." and no "..".
bool is_below(std::string_view path) {
  while (true) {
    const size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    if (name.empty() || name == "." || name == "..") return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

void check_below(Members& in, const std::string& key, const std::string& path) {
  if (!path.empty() && !is_below(path)) in.fail(key, "must be names below the home");
}

void record_usage_members(Members& in, RecordSpec::Usage& usage) {
  in.conditions("when", usage.when, "conditions of lines");
  in.way("id", usage.id, "request's id");
  usage_members(in, usage.counts);
  in.optional("files", usage.files, "the run's, with `{session}` or `{session8}`");
  for (const std::string& file : usage.files) check_below(in, "files", file);
  in.optional("open", usage.open, "files that the agent holds open");
  in.optional("process_file", usage.process_file, "file of the process `{pid}`");
  check_below(in, "process_file", usage.process_file);
  in.way("process_session", usage.process_session, "session's id in it");
  for (const auto& [key, missing] :
       {std::pair{"when", usage.when.empty()}, std::pair{"id", usage.id.empty()},
        std::pair{"in", !usage.counts.any()},
        std::pair{"files", usage.files.empty() && usage.open.empty()}}) {
    if (missing) in.fail(key, "is missing");
  }
}

void record_members(Members& in, RecordSpec& record) {
  in.required("home", record.home, "candidates for its folder: `$VARIABLE/...`");
  for (const std::string& home : record.home) {
    if (!home.starts_with('$')) in.fail("home", "\"" + home + "\" must begin with $VARIABLE");
  }
  in.required("files", record.files, "its files, with `*`, `{cwd}`, `{.root}`");
  if (!is_below(record.files)) in.fail("files", "must be names below the home");
  in.optional("query", record.query, "SQL for a database: its rows are lines");
  in.pattern("aside", record.aside, "texts that the user did not write");
  in.way("tool", record.tool, "tool's name in a part of a line");
  in.way("time", record.time, "when the line was written");
  in.way("cwd", record.cwd, "work directory");
  in.way("id", record.id, "id; replaces earlier lines with it");
  in.way("all", record.all, "list; replaces all earlier lines");
  in.way("line_id", record.line_id, "line's own id");
  in.way("follows", record.follows, "id of the line before");
  in.way("session", record.session, "session's id");
  in.way("version", record.version, "agent's version");
  in.object("usage", record.usage, record_usage_members, "tokens and cost");
  if (record.usage.any() && record.time.empty()) {
    in.fail("usage.when", "needs the record's \"time\"");
  }
  in.list("lines", record.lines, line_members, "kinds of lines; the first counts");
  in.require("lines");
}

void session_words(Members& in, const char* key, std::vector<std::string>& words,
                   const char* about) {
  in.optional(key, words, about);
  const bool has_hole = std::find(words.begin(), words.end(), "{}") != words.end();
  if (!words.empty() && !has_hole) in.fail(key, "has no {} for the session's id");
}

void session_members(Members& in, OwnSessionSpec& session) {
  session_words(in, "begin", session.begin, "begin a session with id `{}`");
  session_words(in, "resume", session.resume, "resume it");
}

void option_members(Members& in, std::map<std::string, std::vector<std::string>>& options) {
  for (const auto& [name, about] :
       {std::pair{"model", "words for `--model`; `{}`: the value"},
        std::pair{"effort", "for `--effort`"},
        std::pair{"system_prompt", "for `--system-prompt`; `{file}`: its file"},
        std::pair{"temperature", "for `--temperature`"},
        std::pair{"max_tokens", "for `--max-tokens`"}}) {
    if (in.has(name)) in.optional(name, options[name], about);
  }
}

void read_identity(Members& in, Manifest& manifest) {
  int version = 0;
  in.optional("manifest", version, "1, the version of this language");
  if (version != 1) in.fail("manifest", "must be 1, the version of this format");
  in.require("manifest");
  in.required("name", manifest.name, "word for `--agent`");
  if (!base::is_name(manifest.name)) {
    in.fail("name", "must be letters, digits, _ and -, at most 64");
  }
  in.optional("title", manifest.title, "name for people");
  in.optional("install", manifest.install, "installs it");
  in.optional("tested", manifest.tested, "newest version that was measured");
  in.optional("verified", manifest.verified, "false: written from documentation");
  in.optional("idle_known", manifest.idle_known, "false: no status is known");
  in.optional("guessed", manifest.guessed, "rules fit any agent");
  manifest.rules.guessed = manifest.input.guessed = manifest.guessed;
  in.optional("writes_files", manifest.writes_files, "false: it changes no file");
  in.optional("emoji_sequences", manifest.emoji_sequences,
              "false: it counts code points of an emoji");
  manifest.rules.agent = manifest.name;
}

void read_command_line(Members& in, Manifest& manifest) {
  in.optional("program", manifest.program, "program and words before all others");
  in.optional("version", manifest.version, "print its version");
  in.optional("asks", manifest.asks, "make it ask before it acts");
  in.optional("bypass", manifest.bypass, "stop it from asking");
  in.optional("root_bypass", manifest.root_bypass, "variable that root needs for these");
  in.optional("models", manifest.models, "models that it lists");
  in.optional("includes_files", manifest.includes_files, "`@path` in a message includes the file");
  in.object("options", manifest.options, option_members, "words for options of a run");
  in.optional("env", manifest.env, "variables");
  in.optional("restart_code", manifest.restart_code, "exit code for another start");
  in.object("session", manifest.session, session_members, "own sessions, by id");
  in.object("quit", manifest.quit, quit_members, "how it is asked to end");
  in.object("reset", manifest.reset, reset_members, "how its conversation is emptied");
}

void read_screen(Members& in, Manifest& manifest) {
  read_boxes(in, manifest.rules);
  in.pattern("user_message", manifest.rules.user_message, "begins a user's message");
  in.list("rules", manifest.rules.rules, rule_members, "how a status shows on the screen", "rule");
  in.object("dialogs", manifest.rules.dialogs, dialogs_members, "how it draws dialogs");
  in.object("input", manifest.input, input_members, "how messages are typed; times in ms");
  in.object("transcript", manifest.transcript, transcript_members, "whose a row is");
  in.object("timing", manifest.rules.timing, timing_members, "times in ms");
  in.optional("report_app", manifest.rules.report_app, "its name in reports (OSC 7501); `*`: any");
  in.list("notices", manifest.rules.notices, notice_members,
          "meanings of notices; the first counts");
}

void manifest_members(Members& in, Manifest& manifest) {
  read_identity(in, manifest);
  read_command_line(in, manifest);
  read_screen(in, manifest);
  in.object("hooks", manifest.hooks, hook_members, "how it runs orch's hook");
  in.object("calls", manifest.calls, call_members, "how it asks before each call");
  in.object("headless", manifest.headless, headless_members, "how it runs without a terminal");
  in.object("record", manifest.record, record_members, "files of its sessions, in JSON lines");
  in.object("task", manifest.task, task_members, "how it works for `orch task`");
  in.object("login", manifest.login, login_members, "how a login shows");
  in.object("fence", manifest.fence, fence_members, "needs inside of a fence");
  in.object("gateway", manifest.gateway, gateway_members,
            "how requests go through a gateway: `{url}`, `{origin}`, `{secret}`, `{provider}`");
  in.object("mcp", manifest.mcp, mcp_members, "how it is given MCP servers");
  in.object("acp", manifest.acp, acp_members, "how it speaks the Agent Client Protocol");
}

// The way to the rule that an error of RuleSet::compile() is about.
std::string way_to_rule(const detect::RuleSetSpec& spec, std::string_view error) {
  for (size_t i = 0; i < spec.rules.size(); ++i) {
    const std::string begin = "rule " + base::printable(spec.rules[i].id) + ":";
    if (error.starts_with(begin)) return "rules[" + std::to_string(i) + "]";
  }
  return "";
}

}  // namespace

ReadManifest read_manifest(std::string_view json, std::string_view file, base::JsonAuthor author) {
  base::JsonDocument document(file, json, author, kLimits);
  Manifest manifest;
  {
    base::JsonMembers outermost(document);
    Members in(outermost);
    manifest_members(in, manifest);
  }
  if (!document.ok()) return {document.error(), document.way()};
  if (author == base::JsonAuthor::kProgram) return {std::move(manifest), ""};
  const base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest.rules);
  if (rules) return {std::move(manifest), ""};
  const std::string why = base::printable(rules.error().text);
  return {base::usage_error(std::string(file) + ": " + why), way_to_rule(manifest.rules, why)};
}

base::Result<Manifest> parse_manifest(std::string_view json, std::string_view file,
                                      base::JsonAuthor author) {
  return read_manifest(json, file, author).manifest;
}

base::Json manifest_schema() {
  Language language;
  base::Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                    {"title", "A manifest of orch"},
                    {"description", "Describes an agent: docs/manifest.md."}};
  schema.update(language.object_of<Manifest>("", manifest_members));
  schema["$defs"] = base::parse_json(kKindsOfText);
  schema["$defs"].update(language.take_schemas());
  return schema;
}

}  // namespace orch::adapters
