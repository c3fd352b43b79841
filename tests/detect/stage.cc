#include "stage.h"

#include <utility>

namespace orch::detect {

using event::AgentStatus;
using event::Cause;
using Kind = ConditionSpec::Kind;

namespace {

const std::string kRule = "────────────────────────────────────────";

ConditionSpec match(RegionSpec in, std::string pattern, std::string unless_after = "") {
  return {Kind::kMatch, in, std::move(pattern), std::move(unless_after), {}};
}
ConditionSpec of_kind(Kind kind, RegionSpec in = {}) { return {kind, in, "", "", {}}; }

RuleSpec rule(std::string id, AgentStatus status, int priority, std::vector<ConditionSpec> when) {
  RuleSpec spec;
  spec.id = std::move(id);
  spec.status = status;
  spec.priority = priority;
  spec.when = std::move(when);
  return spec;
}

}  // namespace

const Lines kPermission{"● I need a file.", "",         kRule, " Run touch out.txt?",
                        " ❯ 1. Yes",        "   2. No", "",    " Enter to confirm"};
const Lines kUnknownDialog{"A riddle", " ❯ 1. This", "   2. That"};

RuleSetSpec sample_rules() {
  RuleSetSpec spec;
  spec.agent = "sample";
  spec.box = {.prompt = "^> ?",
              .top = "^─{10}",
              .bottom = "^─{10}",
              .side = "",
              .not_prompt = "",
              .placeholder = "^Type here"};
  spec.user_message = "^> \\S";
  const RegionSpec bottom{Region::kBottom, 20};
  RuleSpec dialog = rule("dialog", AgentStatus::kWaiting, 100,
                         {of_kind(Kind::kMenu, bottom), of_kind(Kind::kNoBox),
                          match({Region::kBottom, 2}, "Enter to confirm")});
  dialog.causes = {{Cause::kTrust, "trust"}, {Cause::kPermission, "Run "}};
  RuleSpec unknown = rule("unknown-dialog", AgentStatus::kWaiting, 95,
                          {of_kind(Kind::kMenu, bottom), of_kind(Kind::kNoBox)});
  unknown.confirm_ms = 600;
  RuleSpec error = rule("error", AgentStatus::kError, 50,
                        {match({Region::kTurn, 0}, "^● Error", "^● "), of_kind(Kind::kBox)});
  error.cause = Cause::kApi;
  error.causes = {{Cause::kAuth, "\\b401\\b"}};
  spec.rules = {
      rule("prompt", AgentStatus::kIdle, 10, {of_kind(Kind::kBox)}),
      rule("title", AgentStatus::kWorking, 80, {match({Region::kTitle, 0}, "^\\* ")}),
      std::move(dialog),
      std::move(unknown),
      std::move(error),
  };
  return spec;
}

RuleSet compiled(const RuleSetSpec& spec) {
  base::Result<RuleSet> rules = RuleSet::compile(spec);
  return std::move(rules).value();
}

std::string frame(const Lines& rows) {
  std::string bytes = "\x1b[H\x1b[2J";
  for (size_t i = 0; i < rows.size(); ++i) bytes += (i == 0 ? "" : "\r\n") + rows[i];
  return bytes;
}

std::string titled(std::string_view title) { return "\x1b]2;" + std::string(title) + "\a"; }

Lines with_box(Lines transcript, const std::string& text) {
  for (const std::string& row : {kRule, "> " + text, kRule}) transcript.push_back(row);
  return transcript;
}

Picture::Picture(const RuleSet& rules, const Lines& lines) : screen({60, 24}) {
  screen.feed(frame(lines));
  rows.refresh(screen, rules.rows);
  layout = find_layout(rules, rows);
}

Stage::Stage(const RuleSetSpec& spec) : rules_(compiled(spec)) {}

void Stage::draw(std::string_view bytes) {
  screen_.feed(bytes);
  detector_.on_output(now_, screen_);
}

void Stage::resize(term::Size size) {
  screen_.resize(size);
  detector_.on_resize(now_);
}

void Stage::wait(TimeMs ms) {
  const TimeMs until = now_ + ms;
  for (TimeMs due = detector_.next_deadline(); due <= until; due = detector_.next_deadline()) {
    now_ = due;
    if (auto change = detector_.on_timer(due, screen_)) {
      std::string text = std::to_string(due) + " " + std::string(event::name(change->status));
      if (change->cause != Cause::kNone) text.append("/").append(event::name(change->cause));
      changes_.push_back(std::move(text));
      last_change_ = *change;
    }
  }
  now_ = until;
}

void Stage::settle_idle() {
  type("x");  // before the first key a short flash of work is not believed
  draw(titled("sample") + frame(with_box({})));
  wait(1000);
  changes_.clear();
}

Lines Stage::changes() { return std::exchange(changes_, {}); }

}  // namespace orch::detect
