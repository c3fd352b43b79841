#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "propose/moments.h"
#include "propose/traits.h"

namespace orch::propose {

// The user's word about each moment that rests; nullopt: none.
using Answers = std::vector<std::optional<event::AgentStatus>>;

// The examples in the moments of a session. Between Enter and the next rest that is answered, the
// agent works.
std::vector<Example> examples_of(const std::vector<Moment>& moments, const Answers& answers);

struct Subject {
  std::string name;                  // the agent's
  std::vector<std::string> program;  // and its command line
};

// A status that a replay says from `ms` on.
struct Said {
  int64_t ms = 0;
  event::AgentStatus status = event::AgentStatus::kStarting;
};
// How many examples of one session have the status that was said at their time. `said` is in order.
size_t agreed(const std::vector<Said>& said, const std::vector<Example>& examples);

// How many examples a manifest, given as text, is right about.
using Measure = std::function<size_t(const std::string& manifest)>;

// The text of a manifest for an agent: the rules for any agent (`generic`, the text of that
// manifest), and before them one for each status whose examples have a trait, if `measure` says
// that more examples are right with it. Each says how many examples it rests on.
std::string manifest_text(const std::string& generic, const Subject& subject,
                          const std::vector<Example>& examples, const Measure& measure);

}  // namespace orch::propose
