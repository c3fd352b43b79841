#include "detect/rules.h"

#include <algorithm>
#include <tuple>

namespace orch::detect {
namespace {

using base::Result;
using base::Status;
using Kind = ConditionSpec::Kind;

// The lists of choices that all these agents draw: a number, a dot or bracket, and a blank. A
// pointing glyph (angle, arrow, triangle or filled dot) stands before the chosen option, and the
// border of a frame may stand before both.
constexpr std::string_view kMenuOption =
    R"(^[\s│┃|]*(?:[>›●○•←-⇿▲-◅❬-❱➔➘-➯➱-➾]\s?)?\(?\d{1,2}[.)]\s)";
constexpr std::string_view kMenuCursor = R"(^[\s│┃|]*[>›●•←-⇿▲-◅❬-❱➔➘-➯➱-➾]\s?\(?\d{1,2}[.)]\s)";

// The cursor of a list without numbers. It must be indented, because at the margin the same glyph
// begins a message of the user.
constexpr std::string_view kPlainCursor = R"(^[\s│┃|]+[❯›▸▶] +\S)";

base::Error in_field(const base::Error& error, const std::string& where) {
  return {error.code, where + ": " + error.text};
}

Status add_optional(PatternSet& set, const std::string& expression, std::optional<size_t>& bit,
                    const std::string& field) {
  if (expression.empty()) return base::Ok{};
  Result<size_t> added = set.add(expression);
  if (!added) return in_field(added.error(), field);
  bit = *added;
  return base::Ok{};
}

std::string name_of(const RegionSpec& spec) {
  switch (spec.region) {
    case Region::kScreen:
      return "screen";
    case Region::kBottom:
      return "bottom:" + std::to_string(spec.rows);
    case Region::kBox:
      return "box";
    case Region::kAbove:
      return "above:" + std::to_string(spec.rows);
    case Region::kBelow:
      return "below";
    case Region::kTurn:
      return "turn";
    case Region::kDialog:
      return "dialog";
    case Region::kTitle:
      return "title";
    case Region::kReport:
      return "report";
    case Region::kProgress:
      return "progress";
  }
  return {};
}

std::string describe(Colored colored) {
  switch (colored) {
    case Colored::kNo:
      return "";
    case Colored::kWords:
      return " with its words in colour";
    case Colored::kSign:
      return " with its sign in another colour";
    case Colored::kRow:
      return " all in one colour";
  }
  return "";
}

std::string describe(Paste paste) {
  switch (paste) {
    case Paste::kOn:
      return "bracketed paste is on";
    case Paste::kOff:
      return "bracketed paste is off again";
    case Paste::kNever:
      return "bracketed paste was never on";
  }
  return "";
}

std::string describe(const ConditionSpec& spec) {
  const auto all_of = [&spec](const char* between) {
    std::string text;
    for (const ConditionSpec& part : spec.any) {
      text += (text.empty() ? "(" : between) + describe(part);
    }
    return text + ")";
  };
  switch (spec.kind) {
    case Kind::kMatch:
      return name_of(spec.in) + " matches " + spec.pattern + describe(spec.colored);
    case Kind::kNoMatch:
      return name_of(spec.in) + " has no " + spec.pattern;
    case Kind::kMoves:
      return name_of(spec.in) + " keeps changing and matches " + spec.pattern;
    case Kind::kJoined:
      return name_of(spec.in) + " reads " + spec.pattern;
    case Kind::kMenu:
      return name_of(spec.in) + " has a menu";
    case Kind::kNoMenu:
      return name_of(spec.in) + " has no menu";
    case Kind::kMoved:
      return name_of(spec.in) + " moved " + std::to_string(spec.times) + " times in " +
             std::to_string(spec.ms) + " ms" + (spec.digits ? ", digits too" : "") +
             (spec.colors ? ", colours too" : "");
    case Kind::kStill:
      return name_of(spec.in) + " stood still for " + std::to_string(spec.ms) + " ms" +
             (spec.digits ? ", digits too" : "") + (spec.colors ? ", colours too" : "") +
             (spec.beat > 0 ? " after a beat of " + std::to_string(spec.beat) + " ms" : "");
    case Kind::kPaste:
      return describe(spec.paste);
    case Kind::kCursor:
      return "the cursor stands behind " + spec.pattern;
    case Kind::kSeen:
      return name_of(spec.in) + " has matched " + spec.pattern + " since Enter";
    case Kind::kEntered:
      return "Enter was typed";
    case Kind::kNotEntered:
      return "Enter was never typed";
    case Kind::kBox:
      return "an input box";
    case Kind::kNoBox:
      return "no input box";
    case Kind::kAny:
      return all_of(" or ");
    case Kind::kAll:
      return all_of(" and ");
  }
  return {};
}

// Compiles a pattern that is matched on its own. Each has memory of its own, so their number is
// limited like that of the patterns in a set.
Result<Pattern> compile_single(RuleSet& rules, const std::string& expression) {
  if (++rules.single_patterns > base::kMaxPatterns) {
    return base::usage_error("more than " + std::to_string(base::kMaxPatterns) + " patterns");
  }
  return Pattern::compile(expression, rules.when);
}

Result<Condition> compile_condition(RuleSet& rules, const ConditionSpec& spec) {
  Condition condition;
  condition.text = describe(spec);
  condition.kind = spec.kind;
  condition.in = spec.in;
  condition.colored = spec.colored;
  condition.ms = spec.ms;
  condition.times = static_cast<size_t>(spec.times);
  condition.beat = spec.beat;
  condition.digits = spec.digits;
  condition.colors = spec.colors;
  condition.paste = spec.paste;
  rules.moves = rules.moves || spec.kind == Kind::kMoves;
  rules.motion = rules.motion || spec.kind == Kind::kMoved || spec.kind == Kind::kStill;
  rules.cursor = rules.cursor || spec.kind == Kind::kCursor;
  switch (spec.kind) {
    case Kind::kMatch:
    case Kind::kMoves:
    case Kind::kSeen:
    case Kind::kNoMatch: {
      PatternSet& set = is_text(spec.in.region) ? rules.texts : rules.rows;
      Result<size_t> bit = set.add(spec.pattern);
      if (!bit) return bit.error();
      condition.bit = *bit;
      if (Status s = add_optional(set, spec.unless_after, condition.unless_after, "unless_after");
          !s) {
        return s.error();
      }
      break;
    }
    case Kind::kCursor:
    case Kind::kJoined: {
      Result<Pattern> pattern = compile_single(rules, spec.pattern);
      if (!pattern) return pattern.error();
      condition.joined = std::move(pattern).value();
      break;
    }
    case Kind::kAny:
    case Kind::kAll:
      for (const ConditionSpec& part : spec.any) {
        Result<Condition> compiled = compile_condition(rules, part);
        if (!compiled) return compiled.error();
        condition.any.push_back(std::move(compiled).value());
      }
      break;
    case Kind::kMenu:
    case Kind::kNoMenu:
    case Kind::kBox:
    case Kind::kNoBox:
    case Kind::kMoved:
    case Kind::kStill:
    case Kind::kPaste:
    case Kind::kEntered:
    case Kind::kNotEntered:
      break;
  }
  return condition;
}

Result<Rule> compile_rule(RuleSet& rules, const RuleSpec& spec) {
  Rule rule{.name = rules.agent + "/" + spec.id,
            .status = spec.status,
            .cause = spec.cause,
            .priority = spec.priority,
            .weak = spec.weak,
            .confirm_ms = spec.confirm_ms,
            .when = {},
            .causes = {}};
  for (size_t i = 0; i < spec.when.size(); ++i) {
    Result<Condition> condition = compile_condition(rules, spec.when[i]);
    if (!condition) {
      return in_field(condition.error(), "rule " + spec.id + ": when[" + std::to_string(i) + "]");
    }
    rule.when.push_back(std::move(condition).value());
  }
  for (const CauseSpec& cause : spec.causes) {
    Result<Pattern> pattern = compile_single(rules, cause.pattern);
    if (!pattern) {
      return in_field(pattern.error(),
                      "rule " + spec.id + ": cause " + std::string(event::name(cause.cause)));
    }
    rule.causes.push_back({cause.cause, std::move(pattern).value()});
  }
  return rule;
}

Result<BoxRules> compile_box(RuleSet& rules, const BoxSpec& spec) {
  BoxRules box;
  box.spec = spec;
  for (const auto& [expression, bit, field] :
       {std::tuple{&spec.prompt, &box.prompt, "prompt"},
        std::tuple{&spec.not_prompt, &box.not_prompt, "not_prompt"},
        std::tuple{&spec.top, &box.top, "top"}, std::tuple{&spec.bottom, &box.bottom, "bottom"},
        std::tuple{&spec.side, &box.side, "side"}, std::tuple{&spec.footer, &box.footer, "footer"},
        std::tuple{&spec.list_end, &box.list_end, "list_end"},
        std::tuple{&spec.continued, &box.continued, "continued"},
        std::tuple{&spec.scrolled, &box.scrolled, "scrolled"}}) {
    const Status added = add_optional(rules.rows, *expression, *bit, "box: " + std::string(field));
    if (!added) return added.error();
  }
  rules.cursor = rules.cursor || spec.at_cursor;
  for (const auto& [expression, pattern, field] :
       {std::tuple{&spec.each, &box.each, "each"},
        std::tuple{&spec.placeholder, &box.placeholder, "placeholder"}}) {
    if (expression->empty()) continue;
    Result<Pattern> compiled = Pattern::compile(*expression, rules.when);
    if (!compiled) return in_field(compiled.error(), "box: " + std::string(field));
    *pattern = std::move(compiled).value();
  }
  return box;
}

Status compile_boxes(RuleSet& rules, const RuleSetSpec& spec) {
  std::vector<const BoxSpec*> boxes{&spec.box};
  for (const BoxSpec& box : spec.other_boxes) boxes.push_back(&box);
  for (const BoxSpec* box : boxes) {
    Result<BoxRules> compiled = compile_box(rules, *box);
    if (!compiled) return compiled.error();
    rules.boxes.push_back(std::move(compiled).value());
  }
  return base::Ok{};
}

}  // namespace

bool is_text(Region region) {
  switch (region) {
    case Region::kTitle:
    case Region::kReport:
    case Region::kProgress:
      return true;
    case Region::kScreen:
    case Region::kBottom:
    case Region::kBox:
    case Region::kAbove:
    case Region::kBelow:
    case Region::kTurn:
    case Region::kDialog:
      return false;
  }
  return false;
}

Result<RuleSet> RuleSet::compile(const RuleSetSpec& spec, Compiled when) {
  RuleSet rules;
  rules.when = when;
  rules.rows = PatternSet(when);
  rules.texts = PatternSet(when);
  rules.agent = spec.agent;
  rules.report_app = spec.report_app;
  rules.guessed = spec.guessed;
  rules.timing = spec.timing;
  if (Status s = compile_boxes(rules, spec); !s) return s.error();
  if (Status s = add_optional(rules.rows, spec.user_message, rules.user_message, "user_message");
      !s) {
    return s.error();
  }
  rules.menu_option = rules.rows.add(kMenuOption).value();
  rules.menu_cursor = rules.rows.add(kMenuCursor).value();
  rules.plain_cursor = rules.rows.add(kPlainCursor).value();
  for (const RuleSpec& rule : spec.rules) {
    Result<Rule> compiled = compile_rule(rules, rule);
    if (!compiled) return compiled.error();
    rules.rules.push_back(std::move(compiled).value());
  }
  for (const NoticeSpec& notice : spec.notices) {
    Result<Pattern> pattern = compile_single(rules, notice.pattern);
    if (!pattern) return in_field(pattern.error(), "notice " + notice.id);
    rules.notices.push_back({.name = spec.agent + "/notice/" + notice.id,
                             .pattern = std::move(pattern).value(),
                             .ignored = !notice.status,
                             .status = notice.status.value_or(event::AgentStatus::kIdle),
                             .cause = notice.cause});
  }
  std::stable_sort(rules.rules.begin(), rules.rules.end(),
                   [](const Rule& a, const Rule& b) { return a.priority > b.priority; });
  Result<DialogRules> dialogs = DialogRules::compile(spec.dialogs, when);
  if (!dialogs) return dialogs.error();
  rules.dialogs = std::move(dialogs).value();
  if (Status s = rules.rows.compile(); !s) return s.error();
  if (Status s = rules.texts.compile(); !s) return s.error();
  return rules;
}

void RuleSet::prepare() const {
  rows.prepare();
  texts.prepare();
}

}  // namespace orch::detect
