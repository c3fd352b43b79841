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

// Keeps the crew's undelivered messages until their agents have taken them: notices of mail, one at
// a time for each agent, and messages that the rules hand over. An agent that does not run, or has
// another program in front on its terminal, gets them later. All of it is on the disk, so it
// survives the host.
class CrewPost {
 public:
  using OnReport = std::function<void(const run::SendReport&)>;
  struct Reach {
    std::function<bool(const std::string& agent)> hears;  // whether the agent can be typed to now
    // Queues a message and returns its name, "RUN/m3", before it is typed.
    std::function<base::Result<std::string>(const std::string& to, const std::string& from,
                                            std::string text, OnReport on_report)>
        queue;
    // Whether an agent of an earlier host has taken the message with this name.
    std::function<bool(const std::string& message)> was_taken;
    std::function<uint64_t(const std::string& agent)> inbox_bytes;
    // Whether the agent's own record has this text as a message of the run, written since
    // `entered`.
    std::function<bool(const std::string& run, const std::string& text, const std::string& entered)>
        was_recorded =
            [](const std::string&, const std::string&, const std::string&) { return false; };
    // Notifies the user of a message that the agent may or may not have got.
    std::function<void(const std::string& agent, const std::string& note)> say =
        [](const std::string&, const std::string&) {};
  };

  explicit CrewPost(Reach reach) : reach_(std::move(reach)) {}

  // Reads from `file` the messages that the crew's last host still had to deliver. `anew`: the crew
  // was taken down since, so hand-overs and spent amounts are forgotten, but not which mail the
  // agents know of.
  void open(std::string file, bool anew);

  void tell_of_mail(const std::string& agent, const std::string& from, std::string notice);
  void hand_over(const crew::Debts::Handover& handover);
  // Enter is about to be typed after the message with this name.
  void on_enter(const std::string& message);
  // Sends the agent the messages that came while it could not be typed to.
  void tell_what_waits(const std::string& agent);
  void try_again();  // sends every agent its waiting messages

  // Spent by the whole crew since it was brought up, including by hosts that have died.
  const crew::Debts::Purse& spent() const { return debts_.spent; }
  void keep_spent(const crew::Debts::Purse& spent, const crew::Debts::Purse& budget);

 private:
  struct Notice {
    std::string from, text;  // "": not known, as after a restart of the host
  };

  void give(const std::string& to);
  void on_given(uint64_t id, bool settled);
  void settle_what_was_on_its_way();
  bool is_done(const crew::Debts::Handover& handover) const;
  bool is_done(const std::string& agent, const crew::Debts::Notice& notice) const;
  std::vector<crew::Debts::Handover>::iterator owed_by(uint64_t id);
  void keep() const;

  Reach reach_;
  std::string file_;
  crew::Debts debts_;
  std::set<std::string> noticed_;  // agents with a notice of mail on its way
  // Agents that do not know of their mail yet, with the newest notice.
  std::map<std::string, Notice> unheard_;
  uint64_t last_handover_ = 0;
};

}  // namespace orch::host
