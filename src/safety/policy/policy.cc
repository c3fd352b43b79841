#include "policy/policy.h"

#include <algorithm>
#include <optional>

#include "base/json_members.h"
#include "base/path.h"
#include "base/text.h"

namespace orch::policy {
namespace {

using agent::DialogRequest;
using base::Json;
using base::JsonMembers;
using event::Cause;

constexpr base::JsonLimits kLimits{.bytes = 256 << 10, .depth = 8};  // for a policy file
constexpr std::string_view kBypass = "bypass";  // the kind of a rule that has no event::Cause
constexpr std::string_view kUnreadable = "denylist:unreadable";

std::optional<Answer> answer_named(std::string_view word) {
  if (word == "none") return Answer::kNone;
  if (word == "allow") return Answer::kAllow;
  if (word == "deny") return Answer::kDeny;
  return std::nullopt;
}

std::optional<RulePattern> read_pattern(JsonMembers& in, const std::string& key) {
  std::optional<std::string> expression;
  in.optional(key, expression);
  if (!expression) return std::nullopt;
  base::Result<base::Pattern> pattern = base::Pattern::compile(*expression);
  if (pattern) return RulePattern(std::move(pattern).value());
  in.fail(key, pattern.error().text);
  return std::nullopt;
}

PolicyRule read_rule(const JsonMembers& file, const Json& object, size_t number) {
  PolicyRule rule;
  rule.name = "#" + std::to_string(number);
  JsonMembers in(file, object, "rule " + rule.name + ":");
  in.optional("name", rule.name);
  in.optional("agent", rule.agent);
  std::optional<std::string> kind;
  in.optional("kind", kind);
  rule.bypass = kind == kBypass;
  if (kind && !rule.bypass) {
    rule.kind = event::cause_named(*kind);
    if (!rule.kind || !event::allowed(event::AgentStatus::kWaiting, *rule.kind)) {
      in.fail("kind", "\"" + *kind + "\" is not a kind of dialog");
    }
  }
  rule.command = read_pattern(in, "command");
  rule.path = read_pattern(in, "path");
  rule.text = read_pattern(in, "text");
  std::string answer;
  in.required("answer", answer);
  const std::optional<Answer> named = answer_named(answer);
  if (!named) in.fail("answer", "must be allow, deny or none");
  rule.answer = named.value_or(Answer::kNone);
  return rule;
}

void read_rules(JsonMembers& in, std::vector<PolicyRule>& out) {
  const Json* rules = in.find("rules");
  if (rules == nullptr) return;
  if (!rules->is_array()) return in.fail("rules", "must be an array");
  for (const Json& rule : *rules) out.push_back(read_rule(in, rule, out.size() + 1));
}

void read_overridden(JsonMembers& in, std::vector<DenyEntry>& out) {
  std::vector<std::string> words;
  in.optional("override", words);
  for (const std::string& word : words) {
    const std::optional<DenyEntry> entry = deny_entry_named(word);
    if (!entry) return in.fail("override", "\"" + word + "\" is not an entry of the denylist");
    out.push_back(*entry);
  }
}

// Whether the dialog would switch the agent to a mode where it does not ask for permission. For a
// dialog that the manifest does not know, its words decide.
bool asks_for_bypass(const DialogRequest& request) {
  if (request.action == DialogRequest::Action::kBypass) return true;
  std::string said = request.title;
  for (const agent::DialogOption& option : request.options) said += "\n" + option.text;
  said = base::lower(said);
  return said.find("bypass") != std::string::npos || said.find("yolo") != std::string::npos ||
         said.find("skip-permissions") != std::string::npos;
}

// Whether the rule applies to the request. The patterns of a rule that allows must match every
// likely reading of a command; those of any other rule must match one of them.
bool matches(const PolicyRule& rule, const DialogFacts& facts) {
  const DialogRequest& request = facts.request;
  if (rule.agent && *rule.agent != facts.agent) return false;
  if (rule.kind && *rule.kind != request.kind) return false;
  const bool bypass = asks_for_bypass(request);
  if (rule.bypass ? !bypass : bypass && rule.answer == Answer::kAllow) return false;
  if (rule.text && !rule.text->matches(agent::describe(facts.request))) return false;
  const auto holds = [&rule](const std::optional<RulePattern>& pattern,
                             const std::vector<std::string>& texts) {
    if (!pattern) return true;
    const auto found = [&pattern](const std::string& text) { return pattern->matches(text); };
    if (rule.answer != Answer::kAllow) return std::any_of(texts.begin(), texts.end(), found);
    return !texts.empty() && std::all_of(texts.begin(), texts.end(), found);
  };
  return holds(rule.command, request.likely) && holds(rule.path, request.paths);
}

// The verdict of the denylist on a request.
struct Ruling {
  enum class Kind : uint8_t { kHarmless, kUndecided, kDenied };  // from good to bad
  Kind kind = Kind::kHarmless;
  std::string rule;
  bool fence_answers = false;  // for kUndecided: a fence would prevent all possible harm
};

class Denylist {
 public:
  Denylist(const DialogFacts& facts, const std::vector<DenyEntry>& overridden)
      : work_dir_(facts.work_dir), held_(facts.held), overridden_(overridden) {}

  Ruling on(const DialogRequest& request) const {
    if (!request.complete) return undecided(kUnreadable);
    switch (request.action) {
      case DialogRequest::Action::kCommand:
        return on_command(request);
      case DialogRequest::Action::kWrite:
        return on_write(request.paths);
      case DialogRequest::Action::kRead:
      case DialogRequest::Action::kOther:
        return on_text(request);
      case DialogRequest::Action::kBypass:
      case DialogRequest::Action::kUnknown:
        break;
    }
    return undecided(kUnreadable);
  }

 private:
  static Ruling undecided(std::string_view rule) {
    return {Ruling::Kind::kUndecided, std::string(rule)};
  }
  bool is_overridden(DenyEntry entry) const {
    return (held_ == Held::kExternal && stays_inside(entry)) ||
           std::find(overridden_.begin(), overridden_.end(), entry) != overridden_.end();
  }

  Ruling on_reading(std::string_view command) const {
    const CommandVerdict verdict = judge_command(command, work_dir_);
    Ruling ruling;
    bool held = true;
    for (const Suspicion& suspicion : verdict.found) {
      if (is_overridden(suspicion.entry)) continue;
      const std::string rule = "denylist:" + std::string(name(suspicion.entry));
      if (suspicion.certain) return {Ruling::Kind::kDenied, rule};
      held = held && held_by_fence(suspicion.entry);
      ruling = {Ruling::Kind::kUndecided, rule};
    }
    if (!verdict.readable) ruling = undecided(kUnreadable);
    ruling.fence_answers = held;
    const bool asks = ruling.kind == Ruling::Kind::kUndecided;
    return asks && held && held_ != Held::kNot && is_usually_harmless(command) ? Ruling{} : ruling;
  }

  // Whether the command is harmless in the usual environment and, in any other environment, does
  // only things that a fence prevents. For the latter, only the program's name is taken from the
  // usual environment.
  bool is_usually_harmless(std::string_view command) const {
    const auto all_found = [this](const CommandVerdict& verdict, auto holds) {
      return std::all_of(verdict.found.begin(), verdict.found.end(), [&](const Suspicion& found) {
        return is_overridden(found.entry) || holds(found);
      });
    };
    const CommandVerdict usual = judge_command(command, work_dir_, Environment::kUsual);
    if (!usual.readable || !all_found(usual, [](const Suspicion&) { return false; })) return false;
    const CommandVerdict program = judge_command(command, work_dir_, Environment::kUsualPrograms);
    return program.readable &&
           all_found(program, [](const Suspicion& found) { return held_by_fence(found.entry); });
  }

  // A command is denied if every likely reading is denied, and harmless if every likely reading
  // that can be read is harmless and no possible reading is denied. Readings that cannot be read
  // are skipped, because one may be a description instead of a command.
  Ruling on_command(const DialogRequest& request) const {
    Ruling worst = undecided(kUnreadable);
    worst.fence_answers = true;
    bool read = false;
    bool all_denied = true;
    bool fence_answers = !request.likely.empty();
    for (const std::string& reading : request.likely) {
      Ruling ruling = on_reading(reading);
      const bool harmless = ruling.kind == Ruling::Kind::kHarmless;
      fence_answers = fence_answers && (harmless || ruling.fence_answers);
      if (ruling.rule == kUnreadable) continue;
      all_denied = all_denied && ruling.kind == Ruling::Kind::kDenied;
      if (!read || ruling.kind > worst.kind) worst = std::move(ruling);
      read = true;
    }
    worst.fence_answers = fence_answers;
    if (!read || (all_denied && worst.kind == Ruling::Kind::kDenied)) return worst;
    for (const std::string& reading : request.possible) {
      Ruling ruling = on_reading(reading);
      if (ruling.kind == Ruling::Kind::kDenied) worst = std::move(ruling);
    }
    if (worst.kind == Ruling::Kind::kDenied) worst.fence_answers = false;
    worst.kind = std::min(worst.kind, Ruling::Kind::kUndecided);
    return worst;
  }

  Ruling on_write(const std::vector<std::string>& paths) const {
    Ruling ruling = paths.empty() ? undecided(kUnreadable) : Ruling{};
    for (const std::string& path : paths) {
      const std::optional<Suspicion> suspicion = judge_write(path, work_dir_);
      if (!suspicion || is_overridden(suspicion->entry)) continue;
      if (ruling.kind == Ruling::Kind::kDenied) break;
      ruling = {suspicion->certain ? Ruling::Kind::kDenied : Ruling::Kind::kUndecided,
                "denylist:" + std::string(name(suspicion->entry))};
    }
    return ruling;
  }

  // A request of another kind may still show a command in its text.
  Ruling on_text(const DialogRequest& request) const {
    for (const std::string_view line : base::split_lines(request.body)) {
      const Ruling ruling = on_reading(line);
      if (ruling.kind == Ruling::Kind::kDenied) return {Ruling::Kind::kUndecided, ruling.rule};
    }
    return {};
  }

  std::string_view work_dir_;
  Held held_;
  const std::vector<DenyEntry>& overridden_;
};

}  // namespace

base::Result<Policy> Policy::parse(std::string_view json, std::string_view file) {
  Policy policy(Default::kNone, /*asks_denylist=*/true);
  base::JsonDocument document(file, json, base::JsonAuthor::kPerson, kLimits);
  {
    JsonMembers in(document);
    std::string fallback = "none";
    in.optional("default", fallback);
    if (fallback == "all") {
      policy.default_ = Default::kAll;
    } else if (fallback != "none") {
      in.fail("default", "must be none or all");
    }
    std::string unreadable = "none";
    in.optional("unreadable", unreadable);
    if (unreadable == "allow") {
      policy.fence_answers_ = true;
    } else if (unreadable != "none") {
      in.fail("unreadable", "must be none or allow");
    }
    read_rules(in, policy.rules_);
    read_overridden(in, policy.overridden_);
  }  // the destructor of `in` reports members that were not read
  return document.finish(std::move(policy));
}

Decision Policy::by_default(const DialogFacts& facts) const {
  const DialogRequest& request = facts.request;
  if (default_ == Default::kNone) return {Answer::kNone, "policy:none"};
  const auto answer = [&] {
    switch (request.kind) {
      case Cause::kPermission:
        return request.action == DialogRequest::Action::kOther && facts.held != Held::kExternal
                   ? Answer::kNone
                   : Answer::kAllow;
      case Cause::kTrust:
        return asks_for_bypass(request) ? Answer::kNone : Answer::kAllow;
      case Cause::kPlan:
      case Cause::kLogin:
        return Answer::kAllow;
      case Cause::kUpdate:
      case Cause::kMode:
      case Cause::kHooks:
      case Cause::kServers:
      case Cause::kImports:
      case Cause::kResume:
        return Answer::kDeny;
      case Cause::kQuestion:
      case Cause::kOnboarding:
      case Cause::kLimit:
      case Cause::kNone:
      case Cause::kAuth:
      case Cause::kRateLimit:
      case Cause::kOverloaded:
      case Cause::kApi:
      case Cause::kModel:
      case Cause::kContext:
      case Cause::kTool:
      case Cause::kRetry:
      case Cause::kBackground:
      case Cause::kSubmitted:
      case Cause::kMenu:
      case Cause::kDraft:
        break;
    }
    return Answer::kNone;
  };
  return {answer(), "policy:all"};
}

Decision Policy::decide(const DialogFacts& facts) const {
  using Action = DialogRequest::Action;
  const DialogRequest& request = facts.request;
  if (!asks_denylist_) return by_default(facts);
  Ruling ruling;
  const bool acts = request.action == Action::kCommand || request.action == Action::kWrite;
  if (request.kind == Cause::kPermission || acts) {
    ruling = Denylist(facts, overridden_).on(facts.request);
  }
  if (ruling.kind == Ruling::Kind::kDenied) return {Answer::kDeny, ruling.rule};
  const auto rule = std::find_if(rules_.begin(), rules_.end(), [&](const PolicyRule& candidate) {
    return matches(candidate, facts);
  });
  Decision decision =
      rule != rules_.end() ? Decision{rule->answer, "rule:" + rule->name} : by_default(facts);
  const bool fence_answers =
      facts.held == Held::kExternal || (fence_answers_ && facts.held == Held::kByFence);
  const bool left_to_fence = fence_answers && ruling.fence_answers;
  if (decision.answer == Answer::kAllow && ruling.kind == Ruling::Kind::kUndecided &&
      !left_to_fence) {
    return {Answer::kNone, ruling.rule};
  }
  if (decision.answer == Answer::kAllow && !facts.request.complete) {
    return {Answer::kNone, std::string(kUnreadable)};
  }
  return decision;
}

Decision Policy::decide_call(const DialogFacts& facts) const {
  using Action = DialogRequest::Action;
  const DialogRequest& request = facts.request;
  Decision decision = decide(facts);
  if (decision.answer != Answer::kNone || decision.rule.starts_with("rule:")) return decision;
  const auto stays = [&facts](const std::string& path) {
    std::string parts = "/" + path + "/";
    std::replace_if(
        parts.begin(), parts.end(), [](char c) { return c == '{' || c == ',' || c == '}'; }, '/');
    const bool goes_up = parts.find("/../") != std::string::npos;
    const bool elsewhere = path.starts_with('/') || path.starts_with('~');
    return !goes_up && (!elsewhere || base::is_within(path, facts.work_dir));
  };
  const bool reads = request.action == Action::kRead && request.reads &&
                     std::all_of(request.reads->begin(), request.reads->end(), stays);
  return reads ? Decision{Answer::kAllow, "kind:read"} : decision;
}

}  // namespace orch::policy
