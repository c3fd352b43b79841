#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace orch::event {

// The tokens and the money that a turn or a run used, as the agent reported them.
struct Usage {
  int64_t in = 0, out = 0;  // tokens
  int64_t cached = 0;       // tokens, a part of `in`
  std::optional<double> cost_usd;
  // Where the numbers come from: "stream" is the output of a headless agent, "record" the session
  // files of an agent on a terminal; otherwise it is the name of a meta-agent's provider.
  std::string source;
  bool operator==(const Usage&) const = default;
};

std::string usage_text(const Usage& usage);   // "1200 tokens in (200 cached), 4 out, $0.5000"
std::string tokens_text(int64_t tokens);      // "17", "1.2k", "3.4M"
std::string tokens_text(const Usage& usage);  // the same for the sum of `in` and `out`
int64_t tokens(const Usage& usage);           // the sum of `in` and `out`
// Adds `more` to `sum`. An unknown cost counts as zero. A sum that would overflow saturates: an
// agent may report any number, and a budget must hold all the same.
void add(Usage& sum, const Usage& more);

// The fields of a Usage, in every JSON object that has one (base/json_writer.h).
inline constexpr auto kUsageFields = [](auto& in, auto& usage) {
  in.required("in", usage.in);
  in.required("out", usage.out);
  in.required("cached", usage.cached);
  in.nullable("cost_usd", usage.cost_usd);
  in.optional("source", usage.source);
};

}  // namespace orch::event
