#include "adapters/headless_spec.h"

#include <optional>

#include "adapters/cause_member.h"
#include "adapters/members.h"
#include "base/words.h"

namespace orch::adapters {
namespace {

using Rule = HeadlessSpec::Rule;
using Tool = HeadlessSpec::Tool;
using ErrorRow = HeadlessSpec::ErrorRow;
using FailureCause = std::pair<std::string, event::Cause>;

constexpr base::Words<Rule::Kind, 13> kRuleKinds{{{Rule::Kind::kNothing, "nothing"},
                                                  {Rule::Kind::kSession, "session"},
                                                  {Rule::Kind::kTaken, "taken"},
                                                  {Rule::Kind::kWords, "words"},
                                                  {Rule::Kind::kTool, "tool"},
                                                  {Rule::Kind::kToolEnd, "tool_end"},
                                                  {Rule::Kind::kToolFailed, "tool_failed"},
                                                  {Rule::Kind::kRetry, "retry"},
                                                  {Rule::Kind::kRequest, "request"},
                                                  {Rule::Kind::kRequestGone, "request_gone"},
                                                  {Rule::Kind::kNotice, "notice"},
                                                  {Rule::Kind::kFailure, "failure"},
                                                  {Rule::Kind::kEnd, "end"}}};

constexpr base::Words<Tool::Kind, 6> kToolKinds{{{Tool::Kind::kCommand, "command"},
                                                 {Tool::Kind::kWrite, "write"},
                                                 {Tool::Kind::kPatch, "patch"},
                                                 {Tool::Kind::kRead, "read"},
                                                 {Tool::Kind::kQuestion, "question"},
                                                 {Tool::Kind::kPlan, "plan"}}};

constexpr base::Words<ErrorRow::Kind, 3> kRowKinds{{{ErrorRow::Kind::kRetry, "retry"},
                                                    {ErrorRow::Kind::kDenied, "denied"},
                                                    {ErrorRow::Kind::kFailure, "failure"}}};

void line_members(Members& in, Rule& rule) {
  in.required_word("is", kRuleKinds, rule.kind, "meaning");
  in.conditions("when", rule.when, "its conditions");
  if (rule.when.empty()) in.fail("when", "is missing");
  in.way("each", rule.each, "list whose parts count instead");
  in.conditions("part", rule.part, "a part's conditions");
  in.way("id", rule.id, "session's, tool's or request's id");
  in.way("name", rule.name, "tool's name");
  in.way("text", rule.text, "words, result or error");
  in.way("input", rule.input, "tool's input");
  in.way("code", rule.code, "HTTP status");
  in.optional("delta", rule.delta, "words continue those before");
  in.object("usage", rule.usage, usage_members, "tokens and cost in the line");
}

void error_row_members(Members& in, ErrorRow& row) {
  in.required_pattern("match", row.match, "row");
  in.required_word("is", kRowKinds, row.kind, "meaning");
  read_cause(in, "cause", std::nullopt, row.cause, "cause of a failure");
}

void failure_cause_members(Members& in, FailureCause& cause) {
  in.required_pattern("match", cause.first, "text of a failure");
  read_cause(in, "cause", std::nullopt, cause.second, "cause");
}

}  // namespace

void tool_members(Members& in, Tool& tool) {
  in.required_pattern("name", tool.name, "name");
  in.required_word("is", kToolKinds, tool.kind, "effect");
  in.ways("at", tool.ways, "command, paths or patch in its input");
}

void headless_members(Members& in, HeadlessSpec& spec) {
  in.required("arguments", spec.arguments, "with `{options}` and `{resume}`");
  in.optional("resume", spec.resume, "continue the conversation `{}`");
  in.optional("asks", spec.asks, "unless everything is allowed");
  in.optional("bypass", spec.bypass, "if everything is allowed");
  in.optional("message", spec.message, "input with `{text}`; missing: plain text");
  in.optional("allow", spec.allow, "allows a request: `{id}`, `{input}`");
  in.optional("deny", spec.deny, "denies one: `{id}`, `{text}`");
  if (spec.allow.empty() != spec.deny.empty()) in.fail("allow", "goes with deny");
  in.optional("command_start", spec.command_start, "first characters of its commands");
  in.optional("silence_ms", spec.silence_ms, "longest silence while the model is asked");
  in.optional("retry_ms", spec.retry_ms, "longest time with retries alone");
  in.list("lines", spec.rules, line_members, "meanings of JSON lines; the first counts");
  in.list("tools", spec.tools, tool_members, "effects of tools, for policies");
  in.list("error_rows", spec.error_rows, error_row_members, "rows of standard error");
  in.list("causes", spec.causes, failure_cause_members, "causes of failures");
  in.pattern("denied", spec.denied, "a tool that the agent denied");
}

}  // namespace orch::adapters
