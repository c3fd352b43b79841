#include "setup/run_budget.h"

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/capabilities.h"
#include "setup/container_options.h"
#include "setup/gateway_options.h"

namespace orch::setup {

using base::Result;
using base::Status;
using base::usage_error;

Result<int64_t> parse_tokens(const std::string& option, const std::string& text) {
  int64_t tokens = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, tokens);
  if (error == std::errc() && rest == end && tokens >= 1) return tokens;
  return usage_error(option + " " + text + ": write a number from 1 on");
}

Result<double> parse_dollars(const std::string& option, const std::string& text) {
  double dollars = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, dollars, std::chars_format::fixed);
  if (error == std::errc() && rest == end && dollars > 0) return dollars;
  return usage_error(option + " " + text + ": write US dollars, as in 2.50");
}

Result<Budget> parse_budget(const options::RunRequest& request, const adapters::Manifest& agent,
                            session::Mode mode) {
  Budget budget;
  const auto place =
      mode == session::Mode::kHeadless ? adapters::Place::kHeadless : adapters::Place::kTerminal;
  for (const auto& [option, text] : {std::pair{"--max-tokens", &request.max_tokens},
                                     std::pair{"--max-cost", &request.max_cost}}) {
    if (text->empty() || wants_gateway(request)) continue;
    if (Status s = adapters::require(agent, adapters::Capability::kUsage); !s) return s.error();
    if (mode != session::Mode::kHeadless && wants_container(request)) {
      return usage_error(std::string(option) +
                         " in a container goes with --mode headless: the session files that report "
                         "tokens are inside");
    }
    if (adapters::tells_usage(agent, place)) continue;
    return usage_error(
        std::string(option) + ": agent " + agent.name + " reports what its turns use " +
        (mode == session::Mode::kHeadless ? "only on a terminal: leave out --mode headless"
                                          : "only with --mode headless"));
  }
  if (!request.max_tokens.empty()) {
    constexpr std::string_view kUncached = "uncached:";
    const bool uncached = request.max_tokens.starts_with(kUncached);
    const Result<int64_t> tokens =
        parse_tokens(uncached ? "--max-tokens uncached" : "--max-tokens",
                     uncached ? request.max_tokens.substr(kUncached.size()) : request.max_tokens);
    if (!tokens) return tokens.error();
    (uncached ? budget.uncached : budget.tokens) = *tokens;
  }
  if (!request.max_cost.empty()) {
    if (!wants_gateway(request) && !adapters::tells_cost(agent, place)) {
      return usage_error("--max-cost: agent " + agent.name +
                         " does not report what its turns cost" +
                         (adapters::tells_cost(agent, adapters::Place::kHeadless)
                              ? " on a terminal: add --mode headless, or write --max-tokens"
                              : "; write --max-tokens"));
    }
    const Result<double> cost = parse_dollars("--max-cost", request.max_cost);
    if (!cost) return cost.error();
    budget.cost_usd = *cost;
  }
  return budget;
}

}  // namespace orch::setup
