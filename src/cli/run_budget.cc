#include "cli/run_budget.h"

#include <charconv>
#include <string>
#include <utility>

#include "adapters/capabilities.h"
#include "cli/container_options.h"

namespace orch::cli {

using base::Result;
using base::Status;
using base::usage_error;

Result<Budget> parse_budget(const RunOptions& options, const adapters::Manifest& agent,
                            session::Mode mode) {
  Budget budget;
  const auto place =
      mode == session::Mode::kHeadless ? adapters::Place::kHeadless : adapters::Place::kTerminal;
  for (const auto& [option, text] : {std::pair{"--max-tokens", &options.max_tokens},
                                     std::pair{"--max-cost", &options.max_cost}}) {
    if (text->empty()) continue;
    if (Status s = adapters::require(agent, adapters::Capability::kUsage); !s) return s.error();
    if (mode != session::Mode::kHeadless && wants_container(options.sandbox)) {
      return usage_error(std::string(option) +
                         " in a container goes with --mode headless: the session files that tell "
                         "tokens are inside");
    }
    if (adapters::tells_usage(agent, place)) continue;
    return usage_error(
        std::string(option) + ": agent " + agent.name + " tells what its turns take " +
        (mode == session::Mode::kHeadless ? "only on a terminal: leave out --mode headless"
                                          : "only with --mode headless"));
  }
  if (!options.max_tokens.empty()) {
    const char* end = options.max_tokens.data() + options.max_tokens.size();
    const auto [rest, error] = std::from_chars(options.max_tokens.data(), end, budget.tokens);
    if (error != std::errc() || rest != end || budget.tokens < 1) {
      return usage_error("--max-tokens " + options.max_tokens + ": write a number from 1 on");
    }
  }
  if (!options.max_cost.empty()) {
    if (!adapters::tells_cost(agent, place)) {
      return usage_error("--max-cost: agent " + agent.name + " does not tell what its turns cost" +
                         (adapters::tells_cost(agent, adapters::Place::kHeadless)
                              ? " on a terminal: add --mode headless, or write --max-tokens"
                              : "; write --max-tokens"));
    }
    const char* end = options.max_cost.data() + options.max_cost.size();
    const auto [rest, error] =
        std::from_chars(options.max_cost.data(), end, budget.cost_usd, std::chars_format::fixed);
    if (error != std::errc() || rest != end || !(budget.cost_usd > 0)) {
      return usage_error("--max-cost " + options.max_cost + ": write US dollars, as in 2.50");
    }
  }
  return budget;
}

}  // namespace orch::cli
