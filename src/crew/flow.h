#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "crew/crew_spec.h"

namespace orch::crew {

// The rules of hand-over at work, and how often agents speak to each other. Rules and agents that
// call on each other come to an end: after FlowSpec::max_hops nudges none follows until a person
// speaks to somebody.
class Flow {
 public:
  explicit Flow(FlowSpec spec) : spec_(std::move(spec)) {}

  struct Handover {
    std::string from, to, text;
    bool operator==(const Handover&) const = default;
  };
  struct Outcome {
    std::vector<Handover> nudges;
    bool stopped = false;  // a rule applied and was not followed, for the first time
  };

  // A line that the agent said. What it said before it was told what its turn is about does not
  // count: one that goes on in an old conversation shows that first.
  void on_words(std::string_view agent, std::string_view line);
  void on_told(std::string_view agent);
  Outcome on_turn_ended(std::string_view agent);
  // An agent writes to another one: whether that one may be told so.
  bool on_message();
  void on_person() { hops_ = 0; }

 private:
  // Which rules the agent's present turn has met, by their number.
  std::map<std::string, std::vector<bool>, std::less<>> said_;
  FlowSpec spec_;
  int hops_ = 0;
};

}  // namespace orch::crew
