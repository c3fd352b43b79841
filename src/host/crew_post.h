#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "crew/debts.h"
#include "run/machine.h"

namespace orch::host {

// What the agents of a crew are to be told, until they have taken it: notices of mail, of which one
// waits for an agent at a time, and what rules hand over. An agent that does not run, or has given
// its terminal to another program, is told when it can hear; a host that dies forgets nothing, for
// what is owed is on the disk.
class CrewPost {
 public:
  using OnReport = std::function<void(const run::SendReport&)>;
  struct Reach {
    std::function<bool(const std::string& agent)> hears;  // whether it can be typed to now
    // Gives the message's name, "RUN/m3", before it is typed.
    std::function<base::Result<std::string>(const std::string& to, const std::string& from,
                                            std::string text, OnReport on_report)>
        queue;
    // Whether an agent has taken the message of that name, of a host that is gone.
    std::function<bool(const std::string& message)> was_taken;
    std::function<uint64_t(const std::string& agent)> inbox_bytes;
  };

  explicit CrewPost(Reach reach) : reach_(std::move(reach)) {}

  // Takes up what the last host of the crew owed, in this file. `anew`: the crew was down since, so
  // that nothing is handed over; what was told of the inboxes holds on.
  void open(std::string file, bool anew);

  void tell_of_mail(const std::string& agent, const std::string& from, std::string notice);
  void hand_over(const crew::Debts::Handover& handover);
  // What came while the agent could not hear it.
  void tell_what_waits(const std::string& agent);
  void try_again();  // whoever is owed something

  // Of the whole crew, since it was brought up, hosts that died counted.
  const crew::Debts::Purse& spent() const { return debts_.spent; }
  void keep_spent(const crew::Debts::Purse& spent, const crew::Debts::Purse& budget);

 private:
  struct Notice {
    std::string from, text;  // "": nobody remembers it
  };

  void give(const std::string& to);
  void on_given(uint64_t id, bool settled);
  void settle_what_was_on_its_way();
  std::vector<crew::Debts::Handover>::iterator owed_by(uint64_t id);
  void keep() const;

  Reach reach_;
  std::string file_;
  crew::Debts debts_;
  std::set<std::string> noticed_;          // for whom a notice of mail is on its way
  std::map<std::string, Notice> unheard_;  // who is still to be told of mail: the newest notice
  uint64_t last_handover_ = 0;
};

}  // namespace orch::host
