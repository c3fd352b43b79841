#include "adapters/headless_spec.h"

#include "adapters/pattern_member.h"
#include "base/json.h"
#include "base/json_members.h"
#include "base/words.h"

namespace orch::adapters {
namespace {

using base::Json;
using base::JsonMembers;
using Rule = HeadlessSpec::Rule;
using Tool = HeadlessSpec::Tool;
using ErrorRow = HeadlessSpec::ErrorRow;

std::optional<Rule::Kind> rule_kind_named(std::string_view word) {
  using Kind = Rule::Kind;
  constexpr base::Words<Kind, 13> kKinds{{{Kind::kNothing, "nothing"},
                                          {Kind::kSession, "session"},
                                          {Kind::kTaken, "taken"},
                                          {Kind::kWords, "words"},
                                          {Kind::kTool, "tool"},
                                          {Kind::kToolEnd, "tool_end"},
                                          {Kind::kToolFailed, "tool_failed"},
                                          {Kind::kRetry, "retry"},
                                          {Kind::kRequest, "request"},
                                          {Kind::kRequestGone, "request_gone"},
                                          {Kind::kNotice, "notice"},
                                          {Kind::kFailure, "failure"},
                                          {Kind::kEnd, "end"}}};
  return base::value_of(kKinds, word);
}

std::optional<Tool::Kind> tool_kind_named(std::string_view word) {
  using Kind = Tool::Kind;
  constexpr base::Words<Kind, 6> kKinds{{{Kind::kCommand, "command"},
                                         {Kind::kWrite, "write"},
                                         {Kind::kPatch, "patch"},
                                         {Kind::kRead, "read"},
                                         {Kind::kQuestion, "question"},
                                         {Kind::kPlan, "plan"}}};
  return base::value_of(kKinds, word);
}

std::optional<ErrorRow::Kind> row_kind_named(std::string_view word) {
  using Kind = ErrorRow::Kind;
  constexpr base::Words<Kind, 3> kKinds{
      {{Kind::kRetry, "retry"}, {Kind::kDenied, "denied"}, {Kind::kFailure, "failure"}}};
  return base::value_of(kKinds, word);
}

void read_usage(JsonMembers& parent, UsageSpec& usage) {
  const Json* json = parent.find("usage");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, parent.place_of("usage"));
  read_counts(in, usage);
}

Rule read_rule(const JsonMembers& parent, const Json& json, size_t index) {
  Rule rule;
  JsonMembers in(parent, json, parent.place_of("lines[" + std::to_string(index) + "]"));
  std::string about;
  in.optional("about", about);
  in.word("is", rule_kind_named, rule.kind);
  read_line_conditions(in, "when", rule.when);
  if (rule.when.empty()) in.fail("when", "is missing");
  read_way(in, "each", rule.each);
  read_line_conditions(in, "part", rule.part);
  for (const auto& [key, way] :
       {std::pair{"id", &rule.id}, std::pair{"name", &rule.name}, std::pair{"text", &rule.text},
        std::pair{"input", &rule.input}, std::pair{"code", &rule.code}}) {
    read_way(in, key, *way);
  }
  in.optional("delta", rule.delta);
  read_usage(in, rule.usage);
  return rule;
}

Tool read_tool(const JsonMembers& parent, const Json& json, size_t index) {
  Tool tool;
  JsonMembers in(parent, json, parent.place_of("tools[" + std::to_string(index) + "]"));
  read_pattern(in, "name", tool.name);
  in.word("is", tool_kind_named, tool.kind);
  read_ways(in, "at", tool.ways);
  return tool;
}

ErrorRow read_error_row(const JsonMembers& parent, const Json& json, size_t index) {
  ErrorRow row;
  JsonMembers in(parent, json, parent.place_of("error_rows[" + std::to_string(index) + "]"));
  read_pattern(in, "match", row.match);
  in.word("is", row_kind_named, row.kind);
  in.word("cause", event::cause_named, row.cause);
  return row;
}

template <typename One>
void read_list(JsonMembers& in, const std::string& key, std::vector<One>& out,
               One (*read)(const JsonMembers&, const Json&, size_t)) {
  const Json* list = in.find(key);
  if (list == nullptr) return;
  if (!list->is_array()) return in.fail(key, "must be an array");
  for (size_t i = 0; i < list->size() && in.ok(); ++i) out.push_back(read(in, (*list)[i], i));
}

std::pair<std::string, event::Cause> read_cause(const JsonMembers& parent, const Json& json,
                                                size_t index) {
  std::pair<std::string, event::Cause> cause;
  JsonMembers in(parent, json, parent.place_of("causes[" + std::to_string(index) + "]"));
  read_pattern(in, "match", cause.first);
  in.word("cause", event::cause_named, cause.second);
  return cause;
}

}  // namespace

void read_headless(JsonMembers& parent, HeadlessSpec& spec) {
  const Json* json = parent.find("headless");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, "headless");
  std::string about;
  in.optional("about", about);
  in.required("arguments", spec.arguments);
  in.optional("resume", spec.resume);
  in.optional("asks", spec.asks);
  in.optional("bypass", spec.bypass);
  in.optional("message", spec.message);
  in.optional("allow", spec.allow);
  in.optional("deny", spec.deny);
  if (spec.allow.empty() != spec.deny.empty()) in.fail("allow", "goes with deny");
  in.optional("command_start", spec.command_start);
  in.optional("silence_ms", spec.silence_ms);
  in.optional("retry_ms", spec.retry_ms);
  read_list(in, "lines", spec.rules, read_rule);
  read_tools(in, spec.tools);
  read_list(in, "error_rows", spec.error_rows, read_error_row);
  read_list(in, "causes", spec.causes, read_cause);
  read_pattern(in, "denied", spec.denied);
}

void read_tools(JsonMembers& parent, std::vector<HeadlessSpec::Tool>& tools) {
  read_list(parent, "tools", tools, read_tool);
}

}  // namespace orch::adapters
