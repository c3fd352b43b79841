#include "adapters/manifest.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "adapters/dialogs_spec.h"
#include "adapters/pattern_member.h"
#include "base/json_members.h"
#include "base/name.h"
#include "base/text.h"
#include "base/words.h"
#include "detect/dialog_options.h"
#include "detect/motion.h"

namespace orch::adapters {
namespace {

using base::Json;
using base::JsonMembers;
using detect::ConditionSpec;
using detect::Region;
using detect::RegionSpec;

// A manifest is some kilobytes of short lists. Its largest numbers are milliseconds, up to a day.
constexpr base::JsonLimits kLimits{.bytes = 64 << 10, .depth = 32, .number = 86'400'000};

RegionSpec read_region(JsonMembers& in) {
  constexpr std::array<std::pair<std::string_view, Region>, 10> kRegions{{
      {"screen", Region::kScreen},
      {"bottom", Region::kBottom},
      {"box", Region::kBox},
      {"above", Region::kAbove},
      {"below", Region::kBelow},
      {"turn", Region::kTurn},
      {"dialog", Region::kDialog},
      {"title", Region::kTitle},
      {"report", Region::kReport},
      {"progress", Region::kProgress},
  }};
  std::string text;
  in.optional("in", text);
  const size_t colon = text.find(':');
  const std::string_view name = std::string_view(text).substr(0, colon);
  for (const auto& [word, region] : kRegions) {
    if (word != name) continue;
    const bool counted = region == Region::kBottom || region == Region::kAbove;
    if (counted != (colon != std::string::npos)) break;
    if (!counted) return {region, 0};
    int rows = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, rows);
    if (error != std::errc() || rest != end || rows < 1 || rows > 1000) break;
    return {region, rows};
  }
  in.fail(
      "in",
      "\"" + text +
          "\" is not a region (screen, bottom:N, box, above:N, below, turn, dialog, title, report, "
          "progress)");
  return {};
}

ConditionSpec read_condition(const JsonMembers& parent, const Json& json, const std::string& key);

void read_conditions(JsonMembers& in, const std::string& key, std::vector<ConditionSpec>& out) {
  const Json* list = in.find(key);
  if (list == nullptr) return;
  if (!list->is_array() || list->empty()) return in.fail(key, "must be an array of conditions");
  for (size_t i = 0; i < list->size(); ++i) {
    out.push_back(read_condition(in, (*list)[i], key + "[" + std::to_string(i) + "]"));
  }
}

// Reads "words", "sign" or "row". true means "words": it comes from old manifests, which had no
// other kind.
detect::Colored read_colored(JsonMembers& in) {
  const Json* value = in.find("colored");
  if (value == nullptr || *value == false) return detect::Colored::kNo;
  if (*value == "words" || *value == true) return detect::Colored::kWords;
  if (*value == "sign") return detect::Colored::kSign;
  if (*value == "row") return detect::Colored::kRow;
  in.fail("colored", "must be \"words\", \"sign\" or \"row\"");
  return detect::Colored::kNo;
}

std::optional<detect::Paste> paste_named(std::string_view word) {
  using detect::Paste;
  constexpr base::Words<Paste, 3> kWords{
      {{Paste::kOn, "on"}, {Paste::kOff, "off"}, {Paste::kNever, "never"}}};
  return base::value_of(kWords, word);
}

void read_motion(JsonMembers& in, ConditionSpec& condition) {
  const bool moved = in.has("moved");
  condition.kind = moved ? ConditionSpec::Kind::kMoved : ConditionSpec::Kind::kStill;
  in.optional(moved ? "moved" : "still", condition.ms);
  in.optional("digits", condition.digits);
  in.optional("colors", condition.colors);
  if (moved) {
    in.optional("times", condition.times);
  } else {
    in.optional("beat", condition.beat);
  }
  if (condition.ms < 1) in.fail(moved ? "moved" : "still", "must be milliseconds");
  if (condition.times < 1 || condition.times > static_cast<int>(detect::Motion::kKept)) {
    in.fail("times", "must be from 1 to " + std::to_string(detect::Motion::kKept));
  }
  if (detect::is_text(condition.in.region)) in.fail("in", "must be rows of the screen");
}

ConditionSpec read_condition(const JsonMembers& parent, const Json& json, const std::string& key) {
  using Kind = ConditionSpec::Kind;
  ConditionSpec condition;
  JsonMembers in(parent, json, parent.place_of(key));
  bool flag = true;
  if (in.has("box")) {
    in.optional("box", flag);
    condition.kind = flag ? Kind::kBox : Kind::kNoBox;
    return condition;
  }
  for (const auto& [key, kind] : {std::pair{"any", Kind::kAny}, std::pair{"all", Kind::kAll}}) {
    if (!in.has(key)) continue;
    condition.kind = kind;
    read_conditions(in, key, condition.any);
    return condition;
  }
  if (in.has("paste")) {
    condition.kind = Kind::kPaste;
    in.word("paste", paste_named, condition.paste);
    return condition;
  }
  if (in.has("entered")) {
    in.optional("entered", flag);
    condition.kind = flag ? Kind::kEntered : Kind::kNotEntered;
    return condition;
  }
  if (in.has("cursor")) {
    condition.kind = Kind::kCursor;
    read_pattern(in, "cursor", condition.pattern);
    return condition;
  }
  condition.in = read_region(in);
  if (in.has("moved") || in.has("still")) {
    read_motion(in, condition);
    return condition;
  }
  if (in.has("menu")) {
    in.optional("menu", flag);
    condition.kind = flag ? Kind::kMenu : Kind::kNoMenu;
    return condition;
  }
  for (const auto& [key, kind] :
       {std::pair{"match", Kind::kMatch}, std::pair{"no", Kind::kNoMatch},
        std::pair{"joined", Kind::kJoined}, std::pair{"moves", Kind::kMoves},
        std::pair{"seen", Kind::kSeen}}) {
    if (!in.has(key)) continue;
    condition.kind = kind;
    read_pattern(in, key, condition.pattern);
    if (kind == Kind::kMoves && condition.in.region != Region::kTitle) {
      in.fail("in", "must be title where \"moves\" stands");
    }
    const Region region = condition.in.region;
    if (kind == Kind::kSeen && region != Region::kTitle && region != Region::kScreen) {
      in.fail("in", "must be screen or title where \"seen\" stands");
    }
    if (kind == Kind::kMatch) {
      read_pattern(in, "unless_after", condition.unless_after);
      condition.colored = read_colored(in);
    }
    return condition;
  }
  in.fail("",
          "needs one of match, no, joined, moves, seen, moved, still, paste, cursor, entered, "
          "menu, box, any, all");
  return condition;
}

event::Cause read_cause(JsonMembers& in, const std::string& key, const std::string& word,
                        event::AgentStatus status) {
  const auto known = event::cause_named(word);
  if (known && event::allowed(status, *known)) return *known;
  in.fail(key, "\"" + word + "\" is not a cause of " + std::string(event::name(status)));
  return event::Cause::kNone;
}

// Reads the status that a rule finds. Rules are not needed to know that an agent is starting or has
// exited.
std::optional<event::AgentStatus> read_status(JsonMembers& in) {
  std::string word;
  in.optional("status", word);
  const auto known = event::status_named(word);
  if (known && *known != event::AgentStatus::kStarting && *known != event::AgentStatus::kExited) {
    return known;
  }
  in.fail("status", "\"" + word + "\" is none of idle, working, waiting, error");
  return std::nullopt;
}

detect::RuleSpec read_rule(const JsonMembers& parent, const Json& json, size_t index) {
  detect::RuleSpec rule;
  if (json.is_object() && json.contains("id") && json["id"].is_string()) rule.id = json["id"];
  JsonMembers in(
      parent, json,
      rule.id.empty() ? "rules[" + std::to_string(index) + "]:" : "rule " + rule.id + ":");
  in.optional("id", rule.id);
  if (rule.id.empty()) in.fail("id", "is missing");
  std::string cause, about;
  in.optional("about", about);
  in.optional("cause", cause);
  rule.status = read_status(in).value_or(rule.status);
  rule.cause = read_cause(in, "cause", cause, rule.status);
  in.optional("priority", rule.priority);
  in.optional("weak", rule.weak);
  if (in.has("confirm_ms")) in.optional("confirm_ms", rule.confirm_ms.emplace());
  read_conditions(in, "when", rule.when);
  if (rule.when.empty()) in.fail("when", "is missing");
  if (const Json* causes = in.find("causes")) {
    if (!causes->is_object()) {
      in.fail("causes", "must be an object of cause and pattern");
    } else {
      JsonMembers patterns(in, *causes, in.place_of("causes"));
      for (const auto& [word, pattern] : causes->items()) {
        detect::CauseSpec spec{read_cause(patterns, word, word, rule.status), {}};
        read_pattern(patterns, word, spec.pattern);
        rule.causes.push_back(std::move(spec));
      }
    }
  }
  return rule;
}

detect::NoticeSpec read_notice(const JsonMembers& parent, const Json& json, size_t index) {
  detect::NoticeSpec notice;
  JsonMembers in(parent, json, "notices[" + std::to_string(index) + "]");
  std::string cause, about;
  in.optional("id", notice.id);
  if (notice.id.empty()) in.fail("id", "is missing");
  in.optional("about", about);
  read_pattern(in, "match", notice.pattern);
  if (notice.pattern.empty()) in.fail("match", "is missing");
  if (in.has("status")) notice.status = read_status(in);
  in.optional("cause", cause);
  if (notice.status) notice.cause = read_cause(in, "cause", cause, *notice.status);
  return notice;
}

detect::BoxSpec read_box(const JsonMembers& parent, const Json& json, const std::string& place) {
  detect::BoxSpec box;
  JsonMembers in(parent, json, place);
  read_pattern(in, "prompt", box.prompt);
  read_pattern(in, "not_prompt", box.not_prompt);
  read_pattern(in, "top", box.top);
  read_pattern(in, "bottom", box.bottom);
  read_pattern(in, "side", box.side);
  read_pattern(in, "placeholder", box.placeholder);
  read_pattern(in, "footer", box.footer);
  read_pattern(in, "list_end", box.list_end);
  read_pattern(in, "continued", box.continued);
  read_pattern(in, "scrolled", box.scrolled);
  in.optional("within", box.within);
  in.optional("tail_rows", box.tail_rows);
  in.optional("enclosed", box.enclosed);
  in.optional("at_cursor", box.at_cursor);
  const bool enclosed = box.enclosed > 0;
  if (!enclosed && box.prompt.empty() == box.side.empty()) {
    in.fail("", "needs either prompt or side, or enclosed");
  }
  if ((enclosed || !box.side.empty()) && box.bottom.empty()) in.fail("bottom", "is missing");
  if (enclosed && box.top.empty()) in.fail("top", "is missing");
  return box;
}

// Reads one box, or a list of boxes that are looked for in turn.
void read_boxes(JsonMembers& parent, detect::RuleSetSpec& rules) {
  constexpr size_t kMostBoxes = 8;
  const Json* json = parent.find("box");
  if (json == nullptr) return;
  if (!json->is_array()) {
    rules.box = read_box(parent, *json, "box");
    return;
  }
  if (json->empty() || json->size() > kMostBoxes) return parent.fail("box", "must be 1 to 8 boxes");
  for (size_t i = 0; i < json->size() && parent.ok(); ++i) {
    detect::BoxSpec box = read_box(parent, (*json)[i], "box[" + std::to_string(i) + "]");
    if (i == 0) {
      rules.box = std::move(box);
    } else {
      rules.other_boxes.push_back(std::move(box));
    }
  }
}

void read_timing(JsonMembers& parent, detect::DetectTiming& timing) {
  const Json* json = parent.find("timing");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, "timing");
  in.optional("settle_ms", timing.settle_ms);
  in.optional("max_settle_ms", timing.max_settle_ms);
  in.optional("quiet_ms", timing.quiet_ms);
  in.optional("idle_ms", timing.idle_ms);
  in.optional("start_ms", timing.start_ms);
  in.optional("report_wrong_ms", timing.report_wrong_ms);
  in.optional("start_working_ms", timing.start_working_ms);
  in.optional("waiting_ms", timing.waiting_ms);
  in.optional("submitted_ms", timing.submitted_ms);
  in.optional("enter_seen_ms", timing.enter_seen_ms);
  in.optional("answered_ms", timing.answered_ms);
  in.optional("answered_max_ms", timing.answered_max_ms);
  in.optional("notice_quiet_ms", timing.notice_quiet_ms);
  in.optional("notice_rests_ms", timing.notice_rests_ms);
  in.optional("notice_idle_ms", timing.notice_idle_ms);
}

void read_keys(JsonMembers& parent, KeysSpec& keys) {
  const Json* json = parent.find("keys");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, parent.place_of("keys"));
  in.optional("bytes", keys.bytes);
  in.optional("between", keys.between);
  in.optional("tab", keys.tab);
  if (!detect::is_key_name(keys.between)) {
    in.fail("between", "is not the name of a key");
  }
}

void read_input(JsonMembers& parent, InputSpec& input) {
  const Json* json = parent.find("input");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, "input");
  in.optional("start_ms", input.start_ms);
  in.optional("send_ms", input.send_ms);
  in.optional("stability_ms", input.stability_ms);
  in.optional("start_stability_ms", input.start_stability_ms);
  read_pattern(in, "started", input.started);
  in.optional("enter_delay_ms", input.enter_delay_ms);
  in.optional("seen_ms", input.seen_ms);
  in.optional("accepted_ms", input.accepted_ms);
  in.optional("enter_repeats", input.enter_repeats);
  in.optional("command_start", input.command_start);
  in.optional("command_words", input.command_words);
  read_pattern(in, "paste_placeholder", input.paste_placeholder);
  in.optional("scroll_rows", input.scroll_rows);
  read_keys(in, input.keys);
}

void read_patterns(JsonMembers& in, const std::string& key, std::vector<std::string>& patterns) {
  in.optional(key, patterns);
  constexpr size_t kMostOfAKind = 100;  // so that all kinds together stay below base::kMaxPatterns
  if (patterns.size() > kMostOfAKind) in.fail(key, "too many patterns");
  for (const std::string& pattern : patterns) check_pattern(in, key, pattern);
}

void read_transcript(JsonMembers& parent, TranscriptSpec& transcript) {
  const Json* json = parent.find("transcript");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, "transcript");
  read_pattern(in, "agent", transcript.agent);
  read_pattern(in, "tool", transcript.tool);
  read_pattern(in, "grey_tool", transcript.grey_tool);
  read_pattern(in, "colored_tool", transcript.colored_tool);
  read_pattern(in, "colored_user", transcript.colored_user);
  read_pattern(in, "hangs", transcript.hangs);
  read_pattern(in, "words", transcript.words);
  read_pattern(in, "notice", transcript.notice);
  read_pattern(in, "chrome", transcript.chrome);
  read_pattern(in, "user_end", transcript.user_end);
  read_pattern(in, "side", transcript.side);
  read_pattern(in, "busy", transcript.busy);
  read_pattern(in, "margin", transcript.margin);
  in.optional("shaded", transcript.shaded);
  in.optional("smears", transcript.smears);
  in.optional("indent", transcript.indent);
  in.optional("chrome_rows", transcript.chrome_rows);
  read_patterns(in, "drop", transcript.drop);
  read_patterns(in, "frame", transcript.frame);
}

void read_reset(JsonMembers& parent, ResetSpec& reset) {
  const Json* json = parent.find("reset");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, "reset");
  in.optional("keys", reset.keys);
  in.optional("command", reset.command);
}

void read_quit(JsonMembers& parent, QuitSpec& quit) {
  const Json* json = parent.find("quit");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, "quit");
  in.optional("keys", quit.keys);
  in.optional("wait_ms", quit.wait_ms);
}

void read_hooks(JsonMembers& parent, HookSpec& hooks) {
  const Json* json = parent.find("hooks");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, "hooks");
  std::string about;
  in.optional("about", about);
  in.optional("arguments", hooks.arguments);
  if (hooks.arguments.empty()) in.fail("arguments", "is missing");
  if (const Json* settings = in.find("settings")) {
    if (!settings->is_object()) return in.fail("settings", "must be an object");
    hooks.settings = settings->dump(2);
  }
}

void read_mcp(JsonMembers& parent, McpSpec& mcp) {
  const Json* json = parent.find("mcp");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, "mcp");
  std::string about;
  in.optional("about", about);
  in.optional("arguments", mcp.arguments);
  in.optional("env", mcp.env);
  in.optional("settings", mcp.settings);
  if (!mcp.any()) in.fail("arguments", "is missing, and so are env and settings");
  const Json* own = in.find("own");
  if (own == nullptr) return;
  JsonMembers members(in, *own, in.place_of("own"));
  members.optional("arguments", mcp.own_arguments);
  members.optional("env", mcp.own_env);
  mcp.own = true;
}

std::optional<RecordSpec::Line::Kind> line_kind_named(std::string_view word) {
  using Kind = RecordSpec::Line::Kind;
  constexpr base::Words<Kind, 4> kKinds{{{Kind::kNothing, "nothing"},
                                         {Kind::kUser, "user"},
                                         {Kind::kAgent, "agent"},
                                         {Kind::kTool, "tool"}}};
  return base::value_of(kKinds, word);
}

RecordSpec::Line read_line(const JsonMembers& parent, const Json& json, size_t index) {
  RecordSpec::Line line;
  JsonMembers in(parent, json, parent.place_of("lines[" + std::to_string(index) + "]"));
  std::string about;
  in.optional("about", about);
  in.word("is", line_kind_named, line.kind);
  read_ways(in, "content", line.content);
  const bool nothing = line.kind == RecordSpec::Line::Kind::kNothing;
  if (nothing != line.content.empty()) {
    in.fail("content", nothing ? "is not read of a line that is nothing" : "is missing");
  }
  read_line_conditions(in, "when", line.when);
  if (line.when.empty()) in.fail("when", "must be an object of members and values");
  return line;
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

void check_below(JsonMembers& in, const std::string& key, const std::string& path) {
  if (!path.empty() && !is_below(path)) in.fail(key, "must be names below the home");
}

void read_record_usage(JsonMembers& parent, RecordSpec& record) {
  const Json* json = parent.find("usage");
  if (json == nullptr) return;
  RecordSpec::Usage& usage = record.usage;
  JsonMembers in(parent, *json, parent.place_of("usage"));
  std::string about;
  in.optional("about", about);
  read_line_conditions(in, "when", usage.when);
  read_way(in, "id", usage.id);
  read_counts(in, usage.counts);
  in.optional("files", usage.files);
  for (const std::string& file : usage.files) check_below(in, "files", file);
  in.optional("open", usage.open);
  in.optional("process_file", usage.process_file);
  check_below(in, "process_file", usage.process_file);
  read_way(in, "process_session", usage.process_session);
  for (const auto& [key, missing] :
       {std::pair{"when", usage.when.empty()}, std::pair{"id", usage.id.empty()},
        std::pair{"in", !usage.counts.any()},
        std::pair{"files", usage.files.empty() && usage.open.empty()}}) {
    if (missing) in.fail(key, "is missing");
  }
  if (record.time.empty()) in.fail("when", "needs the record's \"time\"");
}

void read_record(JsonMembers& parent, RecordSpec& record) {
  const Json* json = parent.find("record");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, "record");
  std::string about;
  in.optional("about", about);
  in.required("home", record.home);
  for (const std::string& home : record.home) {
    if (!home.starts_with('$')) in.fail("home", "\"" + home + "\" must begin with $VARIABLE");
  }
  in.required("files", record.files);
  if (!is_below(record.files)) in.fail("files", "must be names below the home");
  in.optional("query", record.query);
  read_pattern(in, "aside", record.aside);
  for (const auto& [key, member] :
       {std::pair{"tool", &record.tool}, std::pair{"time", &record.time},
        std::pair{"cwd", &record.cwd}, std::pair{"id", &record.id}, std::pair{"all", &record.all},
        std::pair{"line_id", &record.line_id}, std::pair{"follows", &record.follows},
        std::pair{"session", &record.session}, std::pair{"version", &record.version}}) {
    read_way(in, key, *member);
  }
  read_record_usage(in, record);
  const Json* lines = in.find("lines");
  if (lines == nullptr || !lines->is_array()) return in.fail("lines", "must be an array");
  for (size_t i = 0; i < lines->size() && in.ok(); ++i) {
    record.lines.push_back(read_line(in, (*lines)[i], i));
  }
}

void read_session(JsonMembers& parent, OwnSessionSpec& session) {
  const Json* json = parent.find("session");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, "session");
  for (const auto& [key, words] :
       {std::pair{"begin", &session.begin}, std::pair{"resume", &session.resume}}) {
    in.optional(key, *words);
    const bool has_hole = std::find(words->begin(), words->end(), "{}") != words->end();
    if (!words->empty() && !has_hole) in.fail(key, "has no {} for the session's id");
  }
}

void read_maps(JsonMembers& in, Manifest& manifest) {
  if (const Json* options = in.find("options")) {
    JsonMembers reader(in, *options, "options");
    for (const char* name : {"model", "effort", "system_prompt", "temperature", "max_tokens"}) {
      if (reader.has(name)) reader.optional(name, manifest.options[name]);
    }
  }
  in.optional("env", manifest.env);
}

void read_members(base::JsonDocument& document, Manifest& manifest) {
  JsonMembers in(document);
  int version = 0;
  in.optional("manifest", version);
  if (version != 1) in.fail("manifest", "must be 1, the version of this format");
  in.optional("name", manifest.name);
  if (manifest.name.empty()) in.fail("name", "is missing");
  if (!base::is_name(manifest.name))
    in.fail("name", "must be letters, digits, _ and -, at most 64");
  in.optional("title", manifest.title);
  in.optional("install", manifest.install);
  in.optional("tested", manifest.tested);
  in.optional("verified", manifest.verified);
  in.optional("idle_known", manifest.idle_known);
  in.optional("guessed", manifest.guessed);
  manifest.rules.guessed = manifest.input.guessed = manifest.guessed;
  in.optional("writes_files", manifest.writes_files);
  in.optional("emoji_sequences", manifest.emoji_sequences);
  in.optional("program", manifest.program);
  in.optional("version", manifest.version);
  in.optional("asks", manifest.asks);
  in.optional("bypass", manifest.bypass);
  in.optional("root_bypass", manifest.root_bypass);
  in.optional("models", manifest.models);
  in.optional("includes_files", manifest.includes_files);
  read_maps(in, manifest);
  read_input(in, manifest.input);
  read_quit(in, manifest.quit);
  read_reset(in, manifest.reset);
  in.optional("restart_code", manifest.restart_code);
  read_hooks(in, manifest.hooks);
  read_calls(in, manifest.calls);
  read_mcp(in, manifest.mcp);
  read_transcript(in, manifest.transcript);
  read_record(in, manifest.record);
  read_session(in, manifest.session);
  read_fence(in, manifest.fence);
  read_headless(in, manifest.headless);
  read_acp(in, manifest.acp);
  read_login(in, manifest.login);
  read_gateway(in, manifest.gateway);
  read_task(in, manifest.task);
  read_boxes(in, manifest.rules);
  read_pattern(in, "user_message", manifest.rules.user_message);
  in.optional("report_app", manifest.rules.report_app);
  read_timing(in, manifest.rules.timing);
  read_dialogs(in, manifest.rules.dialogs);
  manifest.rules.agent = manifest.name;
  if (const Json* notices = in.find("notices")) {
    if (!notices->is_array()) return in.fail("notices", "must be an array");
    for (size_t i = 0; i < notices->size() && in.ok(); ++i) {
      manifest.rules.notices.push_back(read_notice(in, (*notices)[i], i));
    }
  }
  const Json* rules = in.find("rules");
  if (rules == nullptr) return;
  if (!rules->is_array()) return in.fail("rules", "must be an array");
  for (size_t i = 0; i < rules->size() && in.ok(); ++i) {
    manifest.rules.rules.push_back(read_rule(in, (*rules)[i], i));
  }
}

}  // namespace

base::Result<Manifest> parse_manifest(std::string_view json, std::string_view file,
                                      base::JsonAuthor author) {
  base::JsonDocument document(file, json, author, kLimits);
  Manifest manifest;
  read_members(document, manifest);
  if (!document.ok()) return document.error();
  if (author == base::JsonAuthor::kProgram) return manifest;
  base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest.rules);
  if (!rules) {
    return base::usage_error(std::string(file) + ": " + base::printable(rules.error().text));
  }
  return manifest;
}

}  // namespace orch::adapters
