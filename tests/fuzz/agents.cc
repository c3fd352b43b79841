#include "agents.h"

#include <array>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "adapters/registry.h"
#include "base/check.h"

namespace {

using orch::adapters::Manifest;
using orch::detect::ConditionSpec;
using orch::detect::RuleSpec;
using orch::event::AgentStatus;
using orch::event::Cause;

constexpr uint8_t kMadeUp = 64;  // how many different rule sets; more would test nothing new

// Add new ones at the end: the corpus refers to them by their place.
constexpr std::array<std::string_view, 9> kEmbedded{
    "claude", "codex", "gemini", "opencode", "copilot", "qwen", "cursor", "demo", "command"};

// Makes up a manifest; the same number gives the same manifest on every platform.
class Inventor {
 public:
  explicit Inventor(uint8_t number) : random_(number + 1U) {}

  Manifest manifest() {
    Manifest m;
    m.name = "made-up";
    m.idle_known = chance(3, 4);
    m.transcript.agent = chance(1, 2) ? "^\\* " : "";
    m.transcript.tool = chance(1, 2) ? "^\\$ " : "";
    m.transcript.user_end = chance(1, 4) ? "\\.$" : "";
    m.transcript.notice = chance(1, 4) ? "^# " : "";
    if (chance(1, 2)) m.transcript.drop.push_back(pattern());
    m.transcript.indent = pick(5);
    m.transcript.chrome_rows = pick(3);
    m.transcript.smears = chance(1, 4);
    m.transcript.chrome = chance(1, 4) ? "^~ " : "";
    m.transcript.side = chance(1, 4) ? "^│" : "";
    m.transcript.busy = chance(1, 4) ? "busy" : "";
    if (chance(1, 4)) m.transcript.frame.emplace_back("^│ (.*?) *│$");
    m.transcript.margin = chance(1, 4) ? "^(.*?) +│$" : "";
    m.rules.agent = m.name;
    m.rules.user_message = chance(1, 2) ? "^> \\S" : "";
    box(m.rules.box);
    timing(m.rules.timing);
    for (int i = 1 + pick(5); i > 0; --i) m.rules.rules.push_back(rule(i));
    for (int i = pick(4); i > 0; --i) m.rules.notices.push_back(notice(i));
    return m;
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool chance(int in, int of) { return pick(of) < in; }

  std::string pattern() {
    constexpr std::array<const char*, 12> kPatterns{
        "^> ", "^>", "^-{4,}$", "^\\* ", "esc", "[0-9]", ".", "", "^\\s*$", "busy", "é|世", "│"};
    return kPatterns[static_cast<size_t>(pick(kPatterns.size()))];
  }

  void box(orch::detect::BoxSpec& box) {
    if (chance(1, 4)) return;
    box.within = 1 + pick(20);
    box.bottom = "^-{4,}$";
    if (chance(1, 3)) {
      box.side = "^│";
      box.tail_rows = pick(3);
      return;
    }
    box.prompt = "^>";
    box.top = chance(1, 2) ? "^-{4,}$" : "";
    box.not_prompt = chance(1, 2) ? "^> \\d" : "";
    box.placeholder = chance(1, 2) ? "^Ask" : "";
    if (chance(1, 3)) box.bottom.clear();
  }

  void timing(orch::detect::DetectTiming& t) {
    for (int64_t* ms :
         {&t.settle_ms, &t.max_settle_ms, &t.quiet_ms, &t.idle_ms, &t.start_ms, &t.start_working_ms,
          &t.waiting_ms, &t.submitted_ms, &t.enter_seen_ms, &t.answered_ms, &t.answered_max_ms,
          &t.notice_quiet_ms, &t.notice_rests_ms, &t.notice_idle_ms}) {
      if (chance(1, 2)) *ms = pick(4) * 50;
    }
  }

  ConditionSpec condition(int depth) {
    using Kind = ConditionSpec::Kind;
    ConditionSpec c;
    c.kind = static_cast<Kind>(pick(depth < 2 ? 9 : 7));
    c.in.region = static_cast<orch::detect::Region>(pick(10));
    if (c.kind == Kind::kMatch && c.in.region == orch::detect::Region::kTitle)
      c.kind = Kind::kMoves;
    c.in.rows = 1 + pick(8);
    c.pattern = pattern();
    if (chance(1, 4)) c.unless_after = pattern();
    c.colored = static_cast<orch::detect::Colored>(chance(1, 4) ? 1 + pick(3) : 0);
    if (c.kind == Kind::kAny || c.kind == Kind::kAll) {
      for (int i = 1 + pick(2); i > 0; --i) c.any.push_back(condition(depth + 1));
    }
    return c;
  }

  std::pair<AgentStatus, Cause> status() {
    constexpr std::array<std::pair<AgentStatus, Cause>, 6> kStatuses{{
        {AgentStatus::kIdle, Cause::kNone},
        {AgentStatus::kWorking, Cause::kNone},
        {AgentStatus::kWorking, Cause::kRetry},
        {AgentStatus::kWaiting, Cause::kNone},
        {AgentStatus::kWaiting, Cause::kPermission},
        {AgentStatus::kError, Cause::kApi},
    }};
    return kStatuses[static_cast<size_t>(pick(kStatuses.size()))];
  }

  orch::detect::NoticeSpec notice(int number) {
    orch::detect::NoticeSpec notice;
    notice.id = std::to_string(number);
    notice.pattern = pattern();
    if (chance(1, 4)) return notice;
    const auto [meant, cause] = status();
    notice.status = meant;
    notice.cause = cause;
    return notice;
  }

  RuleSpec rule(int number) {
    RuleSpec rule;
    rule.id = std::to_string(number);
    std::tie(rule.status, rule.cause) = status();
    rule.weak = chance(1, 3);
    rule.priority = pick(4);
    if (chance(1, 4)) rule.confirm_ms = pick(4) * 100;
    for (int i = 1 + pick(2); i > 0; --i) rule.when.push_back(condition(0));
    if (chance(1, 3)) rule.causes.push_back({rule.cause, pattern()});
    return rule;
  }

  std::minstd_rand random_;
};

std::unique_ptr<FuzzAgent> compiled(Manifest manifest) {
  orch::base::Result<orch::detect::RuleSet> rules = orch::detect::RuleSet::compile(manifest.rules);
  ORCH_CHECK(rules.ok());
  return std::make_unique<FuzzAgent>(FuzzAgent{std::move(manifest), std::move(rules).value()});
}

}  // namespace

const FuzzAgent& fuzz_agent(uint8_t number) {
  static const orch::adapters::Registry registry =
      std::move(orch::adapters::Registry::load({})).value();
  static std::array<std::unique_ptr<FuzzAgent>, kMadeUp + kEmbedded.size()> agents;
  const bool made_up = number < kMadeUp;
  const size_t embedded = (number - kMadeUp) % kEmbedded.size();
  std::unique_ptr<FuzzAgent>& agent = agents[made_up ? number : kMadeUp + embedded];
  if (!agent) {
    agent = compiled(made_up ? Inventor(number).manifest() : *registry.find(kEmbedded[embedded]));
  }
  return *agent;
}
