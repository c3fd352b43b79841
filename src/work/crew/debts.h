#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::crew {

// The messages that the agents of a crew still have to get. They are kept where agents may not
// write, since their texts are typed into one agent in the name of another.
struct Debts {
  // A nudge by a rule that its agent has not accepted yet.
  struct Handover {
    std::string to, from, text;
    uint64_t id = 0;  // of the message in this process, once it is on its way; 0: it is not
    // The message's id when it was last on its way, as in the run's events: a host may die after
    // the agent has accepted it and before the host has noted that. "": it never was.
    std::string message = {};
    // When Enter was about to be typed after it (RFC 3339, UTC): from then on the agent may have
    // it. "": it was not.
    std::string entered = {};
    bool operator==(const Handover&) const = default;
  };
  std::vector<Handover> handovers;  // in the order of their arrival
  // For each agent, how many bytes its inbox had when the agent last accepted a notice of mail.
  std::map<std::string, uint64_t, std::less<>> told;
  // A notice of mail that is on its way, and the size of the inbox at that time.
  struct Notice {
    std::string message;
    uint64_t bytes = 0;
    std::string entered = {};  // as in a hand-over
    bool operator==(const Notice&) const = default;
  };
  std::map<std::string, Notice, std::less<>> notices;
  // The tokens and the money that all agents of the crew have used since the crew was brought up,
  // and their budget.
  struct Purse {
    int64_t tokens = 0;  // in and out together
    double cost_usd = 0;
    bool operator==(const Purse&) const = default;
  };
  Purse spent, budget;  // 0 in a budget: no limit
  bool operator==(const Debts&) const = default;
};

std::string to_json(const Debts& debts);  // indented, with a final line feed
base::Result<Debts> debts_from_json(std::string_view text, std::string_view name);

}  // namespace orch::crew
