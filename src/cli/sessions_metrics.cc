#include "cli/sessions_metrics.h"

#include <algorithm>
#include <cstdint>
#include <iomanip>
#include <map>
#include <sstream>
#include <utility>

#include "event/usage.h"

namespace orch::cli {
namespace {

constexpr double kMsPerSecond = 1000;

// The value of a label: agents' names and states have neither quotes nor line feeds, but a name of
// a manifest is not trusted with that.
std::string label_value(const std::string& text) {
  std::string value;
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') value += '\\';
    value += byte == '\n' ? ' ' : byte;
  }
  return value;
}

void add_head(std::ostream& out, const char* name, const char* help) {
  out << "# HELP " << name << ' ' << help << "\n# TYPE " << name << " gauge\n";
}

}  // namespace

std::string metrics_of(const std::vector<client::SessionView>& sessions) {
  std::map<std::pair<std::string, std::string>, int> counts;
  std::map<std::string, event::Usage> used;
  int64_t oldest_ms = 0;
  for (const client::SessionView& session : sessions) {
    const std::string agent = label_value(session.record.agent);
    const std::string state = client::state_text(session);
    ++counts[{agent, label_value(state.substr(0, state.find('/')))}];
    if (!session.report) continue;
    if (session.report->status == event::AgentStatus::kWaiting) {
      oldest_ms = std::max(oldest_ms, session.report->ms - session.report->since_ms);
    }
    if (session.report->usage) event::add(used[agent], *session.report->usage);
  }
  std::ostringstream out;
  out << std::setprecision(15);
  add_head(out, "orch_sessions", "Sessions by agent and state.");
  for (const auto& [key, count] : counts) {
    out << "orch_sessions{agent=\"" << key.first << "\",state=\"" << key.second << "\"} " << count
        << '\n';
  }
  add_head(out, "orch_oldest_wait_seconds", "The longest present wait at a dialog.");
  out << "orch_oldest_wait_seconds " << static_cast<double>(oldest_ms) / kMsPerSecond << '\n';
  add_head(out, "orch_tokens", "Tokens of the present runs.");
  for (const auto& [agent, usage] : used) {
    for (const auto& [kind, tokens] : {std::pair("in", usage.in), std::pair("out", usage.out)}) {
      out << "orch_tokens{agent=\"" << agent << "\",kind=\"" << kind << "\"} " << tokens << '\n';
    }
  }
  add_head(out, "orch_cost_dollars", "What the present runs have cost, where agents report it.");
  for (const auto& [agent, usage] : used) {
    if (usage.cost_usd) {
      out << "orch_cost_dollars{agent=\"" << agent << "\"} " << *usage.cost_usd << '\n';
    }
  }
  return out.str();
}

}  // namespace orch::cli
