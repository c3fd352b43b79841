#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "crew/crew_state.h"
#include "crew/flow.h"
#include "host/crew_desk.h"
#include "host/crew_post.h"
#include "host/host.h"
#include "host/member_start.h"
#include "store/crew_folder.h"

namespace orch::host {

struct CrewPlan {
  std::string project_folder;  // absolute; .crew is created in it
  std::string repository;      // as the keys of sessions have it
  std::string state_dir;
  std::string manager;  // of the agents' sessions: native, tmux
  std::string socket_folder;
  crew::FlowSpec flow;
  crew::Debts::Purse budget = {};  // the budget of all agents together
  // The agents that were up when the crew's last host died. .crew/state.json keeps them, with their
  // runs, until they are started again.
  std::vector<crew::Member> before;
  // Returns a member's setup and preparations. If the member names a run, the session continues
  // that. Must not block.
  std::function<base::Result<MemberPlan>(const crew::Member& member)> plan_for;
  // The agent's entry in the crew's file now; nullopt if the file does not name the agent or cannot
  // be read. Used when an agent is started while the crew is up.
  std::function<std::optional<crew::AgentSpec>(const std::string& agent)> spec_now =
      [](const std::string&) { return std::nullopt; };
  // Reports something about an agent's start to the user.
  std::function<void(const std::string& agent, const std::string& note)> say =
      [](const std::string&, const std::string&) {};
  // CrewPost::Reach::was_recorded.
  std::function<bool(const std::string& run, const std::string& text, const std::string& entered)>
      was_recorded =
          [](const std::string&, const std::string&, const std::string&) { return false; };
};

// The one process of a crew: owns the host of its agents' sessions, starts and ends them while it
// runs, writes .crew/state.json, brings nudges and mail from one agent to the other, and follows
// the rules of hand-over. A start that has to wait for other programs (member_start.h) never blocks
// the loop, and is cancelled when the crew ends.
class CrewHost final : public CrewDesk, private HostObserver {
 public:
  // How often a host looks whether files of the crew's folder were removed from outside.
  static constexpr int64_t kLookAroundMs = 2'000;

  // Called once with whether the member runs; perhaps inside the call that begins its start.
  using OnStarted = std::function<void(base::Status started)>;

  // `on_ended` is called once, from the loop or from inside a call that ends the last agent: no
  // agent is left, and none is still to come.
  CrewHost(loop::Loop& loop, CrewPlan plan, std::function<void()> on_ended);
  ~CrewHost() override;

  // Opens the crew's folder `.crew` in the project's folder. Agents can be spawned after this. The
  // project's name is checked.
  base::Status open(const std::string& project);
  // Ends all agents that still run, and with them the crew.
  base::Status close();
  // Ends the crew but leaves .crew/state.json as it is, so that the crew can be brought up again.
  base::Status leave();
  // Starts an agent, whose name is checked; with a `run`, whose host has died, in the conversation
  // of that run. After an error (kUsage if the agent runs already) on_started is not called.
  base::Status spawn(const crew::AgentSpec& spec, const std::string& run, OnStarted on_started);
  // Whether the agent's process lives and is in front on its terminal, so that keys reach it and
  // nobody else.
  base::Result<bool> is_active(const std::string& name) const;

  std::optional<std::string> member_of(pid_t process) const override;
  base::Result<wire::Send> take(const std::string& agent, const std::string& from,
                                const wire::Nudge& nudge) override;
  base::Status take_mail(const std::string& agent, const std::string& from,
                         const std::string& text) override;
  base::Status start_member(const std::string& agent, OnStarted on_started) override;
  void forget_start(const std::string& agent) override;

  void on_stop_signal(int signum);
  bool runs_nobody() const { return sessions_.empty(); }
  std::string first_run_dir() const;  // "": no agent was started

 private:
  class Ear;

  std::unique_ptr<session::SessionSink> sink_for(const session::SessionSetup& setup) override;
  void on_started(HostedSession& session) override;
  void on_ended(const Ended& ended) override;
  void on_all_ended() override;

  // A start that is under way, and the callback for its result.
  struct Start {
    std::unique_ptr<MemberStart> start;
    OnStarted on_started;
    bool cancelled = false;
  };
  base::Status start(const crew::Member& member, OnStarted on_started);
  base::Status begin(const std::string& agent, MemberPlan plan, OnStarted on_started);
  void on_ready(const std::string& agent, base::Result<session::SessionSetup>&& setup);
  void on_over(const std::string& agent);
  void cancel_starts(const std::string& why);
  void let_end();
  base::Result<session::Session*> running(const std::string& name) const;
  base::Status check_active(const std::string& name) const;
  base::Status mail(const std::string& to, const std::string& from, const std::string& text);
  using OnReport = CrewPost::OnReport;
  base::Result<std::string> queue(
      const std::string& to, const std::string& from, std::string text,
      OnReport on_report = [](const run::SendReport&) {}) const;
  void hear_person();
  void look_around();
  // The crew's folder may have been removed by anybody who works in the project, for example by git
  // clean. It is made again, with the state in it.
  base::Status mend_folder();
  void on_event(const std::string& agent, const event::Event& event);
  void on_enter(const std::string& agent, std::string_view message);
  void follow_rules(const std::string& agent);
  crew::Debts::Purse spent() const;
  base::Status check_budget() const;
  void consider_budget();
  void keep_state() const;
  std::string debts_file() const;

  CrewPlan plan_;
  std::function<void()> on_ended_;
  crew::CrewState state_;
  crew::Flow flow_;
  std::optional<store::CrewFolder> folder_;
  std::map<std::string, HostedSession*> sessions_;  // of the agents that run, by name
  // Agents whose turn has ended since the rules were followed last.
  std::vector<std::string> handing_over_;
  CrewPost post_;
  bool is_silenced_ = false;  // too many messages between agents, which was logged
  loop::Timer handover_, look_, purse_;
  crew::Debts::Purse before_;  // by earlier hosts of the crew and by agents that have ended
  std::map<std::string, Start> starts_;  // by the agent's name
  bool open_ = false;                    // the crew does not end before its first agent has started
  bool told_to_stop_ = false;
  bool open_to_work_ = true;  // the budget is not used up
  loop::Loop& loop_;
  Host host_;
};

}  // namespace orch::host
