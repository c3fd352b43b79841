#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace orch::event {

// What a turn, a run took of the model, as the agent told it.
struct Usage {
  int64_t in = 0, out = 0;  // tokens
  int64_t cached = 0;       // of `in`
  std::optional<double> cost_usd;
  // Who says so: "stream", what a headless agent tells; "record", the session files of one on a
  // terminal; the name of a meta-agent's provider.
  std::string source;
  bool operator==(const Usage&) const = default;
};

std::string usage_text(const Usage& usage);   // "1200 tokens in (200 cached), 4 out, $0.5000"
std::string tokens_text(int64_t tokens);      // "17", "1.2k", "3.4M"
std::string tokens_text(const Usage& usage);  // the same of in and out together
int64_t tokens(const Usage& usage);           // in and out together
// A cost that one of them does not know counts as nothing. What is more than fits stays the most
// that does: an agent may tell anything, and a budget has to hold.
void add(Usage& sum, const Usage& more);

// Its fields, wherever it stands (base/json_writer.h).
inline constexpr auto kUsageFields = [](auto& in, auto& usage) {
  in.required("in", usage.in);
  in.required("out", usage.out);
  in.required("cached", usage.cached);
  in.nullable("cost_usd", usage.cost_usd);
  in.optional("source", usage.source);
};

}  // namespace orch::event
