#include "crew/flow.h"

namespace orch::crew {

void Flow::on_words(std::string_view agent, std::string_view line) {
  for (size_t i = 0; i < spec_.rules.size(); ++i) {
    const FlowRule& rule = spec_.rules[i];
    if (rule.agent != agent || line.find(rule.says) == std::string_view::npos) continue;
    std::vector<bool>& said = said_[rule.agent];
    said.resize(spec_.rules.size());
    said[i] = true;
  }
}

void Flow::on_told(std::string_view agent) {
  if (const auto found = said_.find(agent); found != said_.end()) said_.erase(found);
}

bool Flow::on_message() {
  if (hops_ >= spec_.max_hops) return false;
  ++hops_;
  return true;
}

Flow::Outcome Flow::on_turn_ended(std::string_view agent) {
  Outcome outcome;
  const auto found = said_.find(agent);
  if (found == said_.end()) return outcome;
  const std::vector<bool> said = std::move(found->second);
  said_.erase(found);
  for (size_t i = 0; i < said.size(); ++i) {
    if (!said[i]) continue;
    if (hops_ >= spec_.max_hops) {
      outcome.stopped = hops_ == spec_.max_hops;
      hops_ = spec_.max_hops + 1;
      break;
    }
    ++hops_;
    outcome.nudges.push_back({spec_.rules[i].agent, spec_.rules[i].to, spec_.rules[i].text});
  }
  return outcome;
}

}  // namespace orch::crew
