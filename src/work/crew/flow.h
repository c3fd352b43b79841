#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "crew/crew_spec.h"

namespace orch::crew {

// Applies the rules of a crew's flow, and counts how often agents speak to each other. Rules and
// agents that call on each other come to an end: after FlowSpec::max_hops nudges and messages none
// follows until a user speaks to somebody.
class Flow {
 public:
  explicit Flow(FlowSpec spec) : spec_(std::move(spec)) {}

  struct Handover {
    std::string from, to, text;
    bool operator==(const Handover&) const = default;
  };
  struct Outcome {
    std::vector<Handover> nudges;
    // A rule applied and was not followed, for the first time since a user spoke.
    bool stopped = false;
  };

  // Takes a line that the agent said. Lines before on_told(), which begins the agent's turn, do not
  // count: an agent that resumes an old conversation shows that first.
  void on_words(std::string_view agent, std::string_view line);
  void on_told(std::string_view agent);
  Outcome on_turn_ended(std::string_view agent);
  // An agent writes to another one; returns whether the other may get a notice.
  bool on_message();
  void on_person() { hops_ = 0; }

 private:
  // For each agent, which rules its current turn has met, by index.
  std::map<std::string, std::vector<bool>, std::less<>> said_;
  FlowSpec spec_;
  int hops_ = 0;
};

}  // namespace orch::crew
