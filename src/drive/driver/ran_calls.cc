#include "driver/ran_calls.h"

#include <algorithm>
#include <utility>

namespace orch::driver {
namespace {

constexpr size_t kMostRemembered = 4096;

std::string text_at(const AgentJson& json, const std::string& way) {
  const std::string* text = text_of(json, way);
  return text != nullptr ? *text : "";
}

}  // namespace

RanCalls::RanCalls(const adapters::Manifest& manifest, std::string since)
    : manifest_(manifest), since_(std::move(since)) {
  const std::string& tools = manifest.calls.record_tools;
  // The pattern was checked when the manifest was read.
  if (!tools.empty()) {
    tools_ = base::Pattern::compile(tools, base::Compiled::kWhenSearched).value();
  }
}

bool RanCalls::has_run(const event::Tool& tool) const {
  if (tool.phase != event::ToolPhase::kEnded || !tools_ || !tools_->matches(tool.name))
    return false;
  const auto& rules = manifest_.calls.record;
  return !tool.failed || std::any_of(rules.begin(), rules.end(), [&tool](const Line& rule) {
    return !rule.begins.empty() && tool.text.starts_with(rule.begins);
  });
}

std::vector<RanCalls::Call> RanCalls::take(std::string_view line) {
  std::vector<Call> ran;
  if (!tools_) return ran;
  const AgentJson json = parse_agent_json(line);
  if (!json.is_object()) return ran;
  const AgentJson* all = member_of(json, manifest_.record.all);
  if (all == nullptr || !all->is_array()) {
    take_object(json, ran);
  } else {
    for (const AgentJson& one : *all) take_object(one, ran);
  }
  return ran;
}

void RanCalls::take_object(const AgentJson& line, std::vector<Call>& ran) {
  const std::string* time = text_of(line, manifest_.record.time);
  if (time == nullptr || *time < since_) return;
  for (const Line& rule : manifest_.calls.record) {
    if (!holds(rule.when, line)) continue;
    if (rule.each.empty()) {
      take_part(rule, line, ran);
      continue;
    }
    const AgentJson* parts = member_of(line, rule.each);
    if (parts == nullptr || !parts->is_array()) continue;
    for (const AgentJson& part : *parts) {
      if (holds(rule.part, part)) take_part(rule, part, ran);
    }
  }
}

void RanCalls::take_part(const Line& rule, const AgentJson& part, std::vector<Call>& ran) {
  const std::string id = text_at(part, rule.id);
  std::string tool = text_at(part, rule.tool);
  if (id.empty()) return;
  if (!rule.ran) {
    if (called_.size() >= kMostRemembered) called_.clear();
    called_.insert_or_assign(id, std::move(tool));
    return;
  }
  const bool says_so = !rule.begins.empty() && text_at(part, rule.text).starts_with(rule.begins);
  const bool succeeded =
      rule.failed.empty() ? rule.begins.empty() : !has_value(part, rule.failed, "true");
  if (!says_so && !succeeded) return;
  if (const auto called = called_.find(id); tool.empty() && called != called_.end()) {
    tool = called->second;
  }
  if (tools_->matches(tool)) ran.push_back({id, std::move(tool)});
}

}  // namespace orch::driver
