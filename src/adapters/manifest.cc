#include "adapters/manifest.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "adapters/object_reader.h"
#include "base/pattern.h"
#include "base/text.h"

namespace orch::adapters {
namespace {

using base::usage_error;
using detect::ConditionSpec;
using detect::Region;
using detect::RegionSpec;

// A manifest is some kilobytes of short lists. The bounds keep the time, memory and stack that are
// spent on a file small, whatever it holds.
constexpr size_t kMaxBytes = 64 << 10;
constexpr int kMaxDepth = 32;

RegionSpec read_region(ObjectReader& in) {
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
  in.read("in", text);
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
          "\" is no region (screen, bottom:N, box, above:N, below, turn, dialog, title, report, "
          "progress)");
  return {};
}

ConditionSpec read_condition(const Json& json, const std::string& path, std::string& error);

void read_conditions(ObjectReader& in, const std::string& key, std::vector<ConditionSpec>& out) {
  const Json* list = in.find(key);
  if (list == nullptr) return;
  if (!list->is_array() || list->empty()) return in.fail(key, "must be an array of conditions");
  for (size_t i = 0; i < list->size(); ++i) {
    out.push_back(
        read_condition((*list)[i], in.join(key + "[" + std::to_string(i) + "]"), in.error()));
  }
}

ConditionSpec read_condition(const Json& json, const std::string& path, std::string& error) {
  using Kind = ConditionSpec::Kind;
  ConditionSpec condition;
  ObjectReader in(json, path, error);
  bool flag = true;
  if (in.has("box")) {
    in.read("box", flag);
    condition.kind = flag ? Kind::kBox : Kind::kNoBox;
    return condition;
  }
  for (const auto& [key, kind] : {std::pair{"any", Kind::kAny}, std::pair{"all", Kind::kAll}}) {
    if (!in.has(key)) continue;
    condition.kind = kind;
    read_conditions(in, key, condition.any);
    return condition;
  }
  condition.in = read_region(in);
  if (in.has("menu")) {
    in.read("menu", flag);
    condition.kind = flag ? Kind::kMenu : Kind::kNoMenu;
    return condition;
  }
  for (const auto& [key, kind] : {std::pair{"match", Kind::kMatch}, std::pair{"no", Kind::kNoMatch},
                                  std::pair{"joined", Kind::kJoined}}) {
    if (!in.has(key)) continue;
    condition.kind = kind;
    in.read_pattern(key, condition.pattern);
    if (kind == Kind::kMatch) {
      in.read_pattern("unless_after", condition.unless_after);
      in.read("colored", condition.colored);
    }
    return condition;
  }
  in.fail("", "needs one of match, no, joined, menu, box, any, all");
  return condition;
}

event::Cause read_cause(ObjectReader& in, const std::string& key, const std::string& word,
                        event::AgentStatus status) {
  const auto known = event::cause_named(word);
  if (known && event::allowed(status, *known)) return *known;
  in.fail(key, "\"" + word + "\" is no cause of " + std::string(event::name(status)));
  return event::Cause::kNone;
}

// What an agent can be seen to be: that it starts or has exited is known without rules.
std::optional<event::AgentStatus> read_status(ObjectReader& in) {
  std::string word;
  in.read("status", word);
  const auto known = event::status_named(word);
  if (known && *known != event::AgentStatus::kStarting && *known != event::AgentStatus::kExited) {
    return known;
  }
  in.fail("status", "\"" + word + "\" is none of idle, working, waiting, error");
  return std::nullopt;
}

detect::RuleSpec read_rule(const Json& json, size_t index, std::string& error) {
  detect::RuleSpec rule;
  if (json.is_object() && json.contains("id") && json["id"].is_string()) rule.id = json["id"];
  ObjectReader in(
      json, rule.id.empty() ? "rules[" + std::to_string(index) + "]:" : "rule " + rule.id + ":",
      error);
  in.read("id", rule.id);
  if (rule.id.empty()) in.fail("id", "is missing");
  std::string cause, about;
  in.read("about", about);
  in.read("cause", cause);
  rule.status = read_status(in).value_or(rule.status);
  rule.cause = read_cause(in, "cause", cause, rule.status);
  in.read("priority", rule.priority);
  in.read("weak", rule.weak);
  if (in.has("confirm_ms")) in.read("confirm_ms", rule.confirm_ms.emplace());
  read_conditions(in, "when", rule.when);
  if (rule.when.empty()) in.fail("when", "is missing");
  if (const Json* causes = in.find("causes")) {
    if (!causes->is_object()) {
      in.fail("causes", "must be an object of cause and pattern");
    } else {
      for (const auto& [word, pattern] : causes->items()) {
        detect::CauseSpec spec{read_cause(in, "causes." + word, word, rule.status), {}};
        in.check_pattern("causes." + word, pattern, spec.pattern);
        rule.causes.push_back(std::move(spec));
      }
    }
  }
  return rule;
}

detect::NoticeSpec read_notice(const Json& json, size_t index, std::string& error) {
  detect::NoticeSpec notice;
  ObjectReader in(json, "notices[" + std::to_string(index) + "]", error);
  std::string cause, about;
  in.read("id", notice.id);
  if (notice.id.empty()) in.fail("id", "is missing");
  in.read("about", about);
  in.read_pattern("match", notice.pattern);
  if (notice.pattern.empty()) in.fail("match", "is missing");
  if (in.has("status")) notice.status = read_status(in);
  in.read("cause", cause);
  if (notice.status) notice.cause = read_cause(in, "cause", cause, *notice.status);
  return notice;
}

void read_box(ObjectReader& parent, detect::BoxSpec& box) {
  const Json* json = parent.find("box");
  if (json == nullptr) return;
  ObjectReader in(*json, "box", parent.error());
  in.read_pattern("prompt", box.prompt);
  in.read_pattern("not_prompt", box.not_prompt);
  in.read_pattern("top", box.top);
  in.read_pattern("bottom", box.bottom);
  in.read_pattern("side", box.side);
  in.read_pattern("placeholder", box.placeholder);
  in.read_pattern("list_end", box.list_end);
  in.read_pattern("continued", box.continued);
  in.read_pattern("scrolled", box.scrolled);
  in.read("within", box.within);
  in.read("tail_rows", box.tail_rows);
  if (box.prompt.empty() == box.side.empty()) in.fail("", "needs either prompt or side");
  if (!box.side.empty() && box.bottom.empty()) in.fail("bottom", "is missing");
}

void read_timing(ObjectReader& parent, detect::DetectTiming& timing) {
  const Json* json = parent.find("timing");
  if (json == nullptr) return;
  ObjectReader in(*json, "timing", parent.error());
  in.read("settle_ms", timing.settle_ms);
  in.read("max_settle_ms", timing.max_settle_ms);
  in.read("quiet_ms", timing.quiet_ms);
  in.read("idle_ms", timing.idle_ms);
  in.read("start_ms", timing.start_ms);
  in.read("start_working_ms", timing.start_working_ms);
  in.read("waiting_ms", timing.waiting_ms);
  in.read("submitted_ms", timing.submitted_ms);
  in.read("enter_seen_ms", timing.enter_seen_ms);
  in.read("answered_ms", timing.answered_ms);
  in.read("answered_max_ms", timing.answered_max_ms);
  in.read("notice_quiet_ms", timing.notice_quiet_ms);
  in.read("notice_rests_ms", timing.notice_rests_ms);
  in.read("notice_idle_ms", timing.notice_idle_ms);
}

void read_paste(ObjectReader& parent, PasteSpec& paste) {
  const Json* json = parent.find("paste");
  if (json == nullptr) return;
  ObjectReader in(*json, parent.join("paste"), parent.error());
  in.read("lines", paste.lines);
  in.read("bytes", paste.bytes);
}

void read_input(ObjectReader& parent, InputSpec& input) {
  const Json* json = parent.find("input");
  if (json == nullptr) return;
  ObjectReader in(*json, "input", parent.error());
  in.read("start_ms", input.start_ms);
  in.read("send_ms", input.send_ms);
  in.read("stability_ms", input.stability_ms);
  in.read("start_stability_ms", input.start_stability_ms);
  in.read("enter_delay_ms", input.enter_delay_ms);
  in.read("seen_ms", input.seen_ms);
  in.read("accepted_ms", input.accepted_ms);
  in.read("enter_repeats", input.enter_repeats);
  in.read("command_start", input.command_start);
  in.read_pattern("paste_placeholder", input.paste_placeholder);
  read_paste(in, input.paste);
}

void read_transcript(ObjectReader& parent, TranscriptSpec& transcript) {
  const Json* json = parent.find("transcript");
  if (json == nullptr) return;
  ObjectReader in(*json, "transcript", parent.error());
  in.read_pattern("agent", transcript.agent);
  in.read_pattern("tool", transcript.tool);
  in.read_pattern("user_end", transcript.user_end);
  in.read_pattern("notice", transcript.notice);
  in.read("drop", transcript.drop);
  in.read("indent", transcript.indent);
  in.read("chrome_rows", transcript.chrome_rows);
  in.read("settles_early", transcript.settles_early);
  if (transcript.drop.size() > base::kMaxPatterns) in.fail("drop", "too many patterns");
  for (const std::string& pattern : transcript.drop) {
    if (!in.error().empty()) return;
    base::Result<base::Pattern> compiled = base::Pattern::compile(pattern);
    if (!compiled) in.fail("drop", compiled.error().text);
  }
}

void read_reset(ObjectReader& parent, ResetSpec& reset) {
  const Json* json = parent.find("reset");
  if (json == nullptr) return;
  ObjectReader in(*json, "reset", parent.error());
  in.read("keys", reset.keys);
  in.read("command", reset.command);
}

void read_quit(ObjectReader& parent, QuitSpec& quit) {
  const Json* json = parent.find("quit");
  if (json == nullptr) return;
  ObjectReader in(*json, "quit", parent.error());
  in.read("keys", quit.keys);
  in.read("wait_ms", quit.wait_ms);
}

void read_hooks(ObjectReader& parent, HookSpec& hooks) {
  const Json* json = parent.find("hooks");
  if (json == nullptr) return;
  ObjectReader in(*json, "hooks", parent.error());
  std::string about;
  in.read("about", about);
  in.read("arguments", hooks.arguments);
  if (hooks.arguments.empty()) in.fail("arguments", "is missing");
  if (const Json* settings = in.find("settings")) {
    if (!settings->is_object()) return in.fail("settings", "must be an object");
    hooks.settings = settings->dump(2);
  }
}

void read_maps(ObjectReader& in, Manifest& manifest) {
  if (const Json* options = in.find("options")) {
    ObjectReader reader(*options, "options", in.error());
    for (const char* name : {"model", "effort", "system_prompt"}) {
      if (reader.has(name)) reader.read(name, manifest.options[name]);
    }
  }
  if (const Json* env = in.find("env"); env != nullptr && env->is_object()) {
    ObjectReader reader(*env, "env", in.error());
    for (const auto& [key, value] : env->items()) reader.read(key, manifest.env[key]);
  } else if (env != nullptr) {
    in.fail("env", "must be an object of strings");
  }
}

// Agents' names reach paths and other programs' arguments.
bool is_name(const std::string& name) {
  static const base::Pattern kName =
      base::Pattern::compile("^[A-Za-z0-9][A-Za-z0-9_-]{0,63}\\z").value();
  return kName.matches(name);
}

void read_members(const Json& json, Manifest& manifest, std::string& error) {
  ObjectReader in(json, "", error);
  int version = 0;
  in.read("manifest", version);
  if (version != 1) in.fail("manifest", "must be 1, the version of this format");
  in.read("name", manifest.name);
  if (manifest.name.empty()) in.fail("name", "is missing");
  if (!is_name(manifest.name)) in.fail("name", "must be letters, digits, _ and -, at most 64");
  in.read("title", manifest.title);
  in.read("tested", manifest.tested);
  in.read("verified", manifest.verified);
  in.read("idle_known", manifest.idle_known);
  in.read("program", manifest.program);
  in.read("version", manifest.version);
  read_maps(in, manifest);
  read_input(in, manifest.input);
  read_quit(in, manifest.quit);
  read_reset(in, manifest.reset);
  in.read("restart_code", manifest.restart_code);
  read_hooks(in, manifest.hooks);
  read_transcript(in, manifest.transcript);
  read_box(in, manifest.rules.box);
  in.read_pattern("user_message", manifest.rules.user_message);
  read_timing(in, manifest.rules.timing);
  manifest.rules.agent = manifest.name;
  if (const Json* notices = in.find("notices")) {
    if (!notices->is_array()) return in.fail("notices", "must be an array");
    for (size_t i = 0; i < notices->size() && error.empty(); ++i) {
      manifest.rules.notices.push_back(read_notice((*notices)[i], i, error));
    }
  }
  const Json* rules = in.find("rules");
  if (rules == nullptr) return;
  if (!rules->is_array()) return in.fail("rules", "must be an array");
  for (size_t i = 0; i < rules->size() && error.empty(); ++i) {
    manifest.rules.rules.push_back(read_rule((*rules)[i], i, error));
  }
}

}  // namespace

base::Result<Manifest> parse_manifest(std::string_view json, std::string_view file) {
  const std::string where = std::string(file) + ": ";
  if (json.size() > kMaxBytes) {
    return usage_error(where + "more than " + std::to_string(kMaxBytes) + " bytes");
  }
  bool too_deep = false;
  const auto check_depth = [&too_deep](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  const Json parsed = Json::parse(json, check_depth, /*allow_exceptions=*/false);
  if (too_deep) {
    return usage_error(where + "nested more than " + std::to_string(kMaxDepth) + " deep");
  }
  if (parsed.is_discarded()) return usage_error(where + "not valid JSON");
  Manifest manifest;
  std::string error;
  read_members(parsed, manifest, error);
  if (!error.empty()) return usage_error(where + base::printable(error));
  base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest.rules);
  if (!rules) return usage_error(where + base::printable(rules.error().text));
  return manifest;
}

}  // namespace orch::adapters
