#include "policy/policy.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"

namespace orch::policy {
namespace {

using agent::DialogRequest;
using event::Cause;
using Json = nlohmann::json;

constexpr size_t kMaxBytes = 256 << 10;  // of a policy file
constexpr int kMaxDepth = 8;
constexpr std::string_view kUnreadable = "denylist:unreadable";

std::optional<Answer> answer_named(std::string_view word) {
  if (word == "none") return Answer::kNone;
  if (word == "allow") return Answer::kAllow;
  if (word == "deny") return Answer::kDeny;
  return std::nullopt;
}

// Reads one object of the file and keeps the first error. `where` is "" or "rule #2".
class Members {
 public:
  Members(const Json& object, std::string where, std::string& error)
      : object_(object), where_(std::move(where)), error_(error) {
    if (!object_.is_object()) fail("", "not a JSON object");
  }

  void only(std::initializer_list<std::string_view> known) {
    if (!object_.is_object()) return;
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) fail(key, "unknown field");
    }
  }
  const Json* find(const char* key) const {
    const auto found = object_.is_object() ? object_.find(key) : object_.end();
    return found == object_.end() ? nullptr : &*found;
  }
  std::optional<std::string> text(const char* key) {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (value->is_string()) return value->get<std::string>();
    fail(key, "not a string");
    return std::nullopt;
  }
  std::optional<RulePattern> pattern(const char* key) {
    const std::optional<std::string> expression = text(key);
    if (!expression) return std::nullopt;
    base::Result<base::Pattern> pattern = base::Pattern::compile(*expression);
    if (pattern) return RulePattern(std::move(pattern).value());
    fail(key, pattern.error().text);
    return std::nullopt;
  }
  void fail(std::string_view key, std::string_view what) {
    if (!error_.empty()) return;
    for (const std::string_view part : {std::string_view(where_), key}) {
      if (!part.empty()) error_.append(part).append(": ");
    }
    error_ += what;
  }

 private:
  const Json& object_;
  std::string where_;
  std::string& error_;
};

PolicyRule read_rule(const Json& object, size_t number, std::string& error) {
  PolicyRule rule;
  rule.name = "#" + std::to_string(number);
  Members members(object, "rule " + rule.name, error);
  members.only({"name", "agent", "kind", "command", "path", "text", "answer"});
  if (auto name = members.text("name")) rule.name = *name;
  rule.agent = members.text("agent");
  if (const auto kind = members.text("kind")) {
    rule.kind = event::cause_named(*kind);
    if (!rule.kind || !event::allowed(event::AgentStatus::kWaiting, *rule.kind)) {
      members.fail("kind", "\"" + *kind + "\" is no kind of dialog");
    }
  }
  rule.command = members.pattern("command");
  rule.path = members.pattern("path");
  rule.text = members.pattern("text");
  const std::optional<std::string> answer = members.text("answer");
  const std::optional<Answer> named = answer_named(answer.value_or(""));
  if (!answer) members.fail("answer", "missing");
  if (!named) members.fail("answer", "not allow, deny or none");
  rule.answer = named.value_or(Answer::kNone);
  return rule;
}

// How a rule's patterns fare with a request. A rule that allows must hold for every likely reading
// of a command, any other for one of them.
bool matches(const PolicyRule& rule, const DialogFacts& facts) {
  const DialogRequest& request = facts.request;
  if (rule.agent && *rule.agent != facts.agent) return false;
  if (rule.kind && *rule.kind != request.kind) return false;
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

// What the denylist says of a request.
struct Ruling {
  enum class Kind : uint8_t { kHarmless, kUndecided, kDenied };  // the worse the later
  Kind kind = Kind::kHarmless;
  std::string rule;
};

class Denylist {
 public:
  Denylist(std::string_view work_dir, const std::vector<DenyEntry>& overridden)
      : work_dir_(work_dir), overridden_(overridden) {}

  Ruling on(const DialogRequest& request) const {
    if (!request.complete) return undecided(kUnreadable);
    switch (request.action) {
      case DialogRequest::Action::kCommand:
        return on_command(request);
      case DialogRequest::Action::kWrite:
        return on_write(request.paths);
      case DialogRequest::Action::kOther:
        return on_text(request);
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
    return std::find(overridden_.begin(), overridden_.end(), entry) != overridden_.end();
  }

  Ruling on_reading(std::string_view command) const {
    const CommandVerdict verdict = judge_command(command, work_dir_);
    Ruling ruling;
    for (const Suspicion& suspicion : verdict.found) {
      if (is_overridden(suspicion.entry)) continue;
      const std::string rule = "denylist:" + std::string(name(suspicion.entry));
      if (suspicion.certain) return {Ruling::Kind::kDenied, rule};
      ruling = {Ruling::Kind::kUndecided, rule};
    }
    if (!verdict.readable) return undecided(kUnreadable);
    return ruling;
  }

  // Denied when every likely reading is, harmless when none is and no possible one either. A
  // description read as a command need not be readable.
  Ruling on_command(const DialogRequest& request) const {
    Ruling worst = undecided(kUnreadable);
    bool read = false;
    bool all_denied = true;
    for (const std::string& reading : request.likely) {
      Ruling ruling = on_reading(reading);
      if (ruling.rule == kUnreadable) continue;
      all_denied = all_denied && ruling.kind == Ruling::Kind::kDenied;
      if (!read || ruling.kind > worst.kind) worst = std::move(ruling);
      read = true;
    }
    if (!read || (all_denied && worst.kind == Ruling::Kind::kDenied)) return worst;
    for (const std::string& reading : request.possible) {
      Ruling ruling = on_reading(reading);
      if (ruling.kind == Ruling::Kind::kDenied) worst = std::move(ruling);
    }
    worst.kind = std::min(worst.kind, Ruling::Kind::kUndecided);
    return worst;
  }

  Ruling on_write(const std::vector<std::string>& paths) const {
    Ruling ruling;
    for (const std::string& path : paths) {
      const std::optional<Suspicion> suspicion = judge_write(path, work_dir_);
      if (!suspicion || is_overridden(suspicion->entry)) continue;
      ruling = {suspicion->certain ? Ruling::Kind::kDenied : Ruling::Kind::kUndecided,
                "denylist:" + std::string(name(suspicion->entry))};
    }
    return ruling;
  }

  // A request of another kind may still show a command.
  Ruling on_text(const DialogRequest& request) const {
    for (const std::string_view line : base::split_lines(request.body)) {
      const Ruling ruling = on_reading(line);
      if (ruling.kind == Ruling::Kind::kDenied) return {Ruling::Kind::kUndecided, ruling.rule};
    }
    return {};
  }

  std::string_view work_dir_;
  const std::vector<DenyEntry>& overridden_;
};

}  // namespace

base::Result<Policy> Policy::parse(std::string_view json, std::string_view file) {
  std::string error;
  Policy policy(Default::kNone, /*asks_denylist=*/true);
  bool too_deep = false;
  const auto check_depth = [&too_deep](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  const Json document =
      json.size() > kMaxBytes
          ? Json()
          : Json::parse(json, check_depth, /*allow_exceptions=*/false, /*ignore_comments=*/false);
  Members members(document, "", error);
  members.only({"default", "rules", "override"});
  const std::string fallback = members.text("default").value_or("none");
  if (fallback == "all") {
    policy.default_ = Default::kAll;
  } else if (fallback != "none") {
    members.fail("default", "not none or all");
  }
  if (const Json* rules = members.find("rules"); rules != nullptr && rules->is_array()) {
    for (const Json& rule : *rules) {
      policy.rules_.push_back(read_rule(rule, policy.rules_.size() + 1, error));
    }
  } else if (rules != nullptr) {
    members.fail("rules", "not a list");
  }
  if (const Json* names = members.find("override")) {
    if (!names->is_array()) members.fail("override", "not a list of strings");
    for (const Json& item : *names) {
      const std::string word = item.is_string() ? item.get<std::string>() : "";
      const std::optional<DenyEntry> entry = deny_entry_named(word);
      if (!entry) members.fail("override", "\"" + word + "\" is no entry of the denylist");
      if (entry) policy.overridden_.push_back(*entry);
    }
  }
  if (!error.empty()) return base::usage_error(std::string(file) + ": " + error);
  return policy;
}

Decision Policy::by_default(Cause cause) const {
  if (default_ == Default::kNone) return {Answer::kNone, "policy:none"};
  const auto answer = [cause] {
    switch (cause) {
      case Cause::kPermission:
      case Cause::kPlan:
      case Cause::kTrust:
      case Cause::kLogin:
        return Answer::kAllow;
      case Cause::kUpdate:
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
  const Cause kind = facts.request.kind;
  if (!asks_denylist_) return by_default(kind);
  Ruling ruling;
  if (kind == Cause::kPermission) {
    ruling = Denylist(facts.work_dir, overridden_).on(facts.request);
  }
  if (ruling.kind == Ruling::Kind::kDenied) return {Answer::kDeny, ruling.rule};
  const auto rule = std::find_if(rules_.begin(), rules_.end(), [&](const PolicyRule& candidate) {
    return matches(candidate, facts);
  });
  Decision decision =
      rule != rules_.end() ? Decision{rule->answer, "rule:" + rule->name} : by_default(kind);
  if (decision.answer == Answer::kAllow && ruling.kind == Ruling::Kind::kUndecided) {
    return {Answer::kNone, ruling.rule};
  }
  if (decision.answer == Answer::kAllow && !facts.request.complete) {
    return {Answer::kNone, std::string(kUnreadable)};
  }
  return decision;
}

}  // namespace orch::policy
