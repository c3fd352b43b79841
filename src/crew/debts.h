#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::crew {

// What the agents of a crew are still to be told. It is kept where agents may not write, for what
// stands in it is typed into one of them in the name of another.
struct Debts {
  // A rule's hand-over that its agent has not taken yet.
  struct Handover {
    std::string to, from, text;
    uint64_t id = 0;  // of this process, once it is on its way; 0: it is not
    // The message as which it was last on its way, which its run's events tell of: a host may die
    // between the agent's taking it and its own noting that. "": it never was.
    std::string message = {};
    bool operator==(const Handover&) const = default;
  };
  std::vector<Handover> handovers;  // in the order in which they came
  // Of an agent's inbox, how many bytes were there when it last took a notice of mail.
  std::map<std::string, uint64_t, std::less<>> told;
  // A notice of mail that is on its way, and how many bytes it tells of.
  struct Notice {
    std::string message;
    uint64_t bytes = 0;
    bool operator==(const Notice&) const = default;
  };
  std::map<std::string, Notice, std::less<>> notices;
  // What all agents of the crew have taken of their models since it was brought up, and may take.
  struct Purse {
    int64_t tokens = 0;  // in and out together
    double cost_usd = 0;
    bool operator==(const Purse&) const = default;
  };
  Purse spent, budget;  // of a budget 0: there is no such bound
  bool operator==(const Debts&) const = default;
};

std::string to_json(const Debts& debts);  // indented, with a final line feed
base::Result<Debts> debts_from_json(std::string_view text, std::string_view name);

}  // namespace orch::crew
