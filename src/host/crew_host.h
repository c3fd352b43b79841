#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crew/crew_state.h"
#include "crew/flow.h"
#include "host/agent_runner.h"
#include "host/crew_desk.h"
#include "host/crew_post.h"
#include "host/host.h"
#include "host/member_start.h"
#include "store/crew_folder.h"

namespace orch::host {

struct CrewPlan {
  std::string project_folder;  // absolute; .crew is made in it
  std::string repository;      // as the sessions' keys have it
  std::string state_dir;
  std::string manager;  // of the sessions: native, tmux
  std::string socket_folder;
  crew::FlowSpec flow;
  crew::Debts::Purse budget = {};  // of all agents together
  // Who was up when the last host died: .crew/state.json names them, and what they said, until they
  // are started anew.
  std::vector<crew::Member> before;
  // What a member's session is made of. Its run, where the member names one, is gone on with. Waits
  // for nobody.
  std::function<base::Result<MemberPlan>(const crew::Member& member)> plan_for;
  // What the crew's file says of an agent now; nothing where it says nothing, or cannot be read. It
  // holds for an agent that is started while the crew is up.
  std::function<std::optional<crew::AgentSpec>(const std::string& agent)> spec_now =
      [](const std::string&) { return std::nullopt; };
  // What a person is to know of a start.
  std::function<void(const std::string& agent, const std::string& note)> say =
      [](const std::string&, const std::string&) {};
};

// The one process of a crew: it has a host for the sessions of its agents, takes and gives them up
// while it runs, keeps .crew/state.json, brings nudges and mail from one agent to the other, and
// follows the rules of hand-over. A start that has to wait for other programs (member_start.h)
// holds up nobody, and ends with the crew.
class CrewHost final : public AgentRunner, public CrewDesk, private HostObserver {
 public:
  // Told once whether a member runs; perhaps in the call that begins its start.
  using OnStarted = std::function<void(base::Status started)>;

  // `on_ended` is called once, from the loop or in a call that ends what was left: no agent is
  // left, and none is to come.
  CrewHost(loop::Loop& loop, CrewPlan plan, std::function<void()> on_ended);
  ~CrewHost() override;

  base::Status create_session(const std::string& project) override;
  base::Status destroy_session() override;
  // Ends the crew, and leaves what .crew/state.json says: it can be brought up again.
  base::Status leave();
  base::Status setup_layout(size_t count) override;
  base::Status spawn(const std::string& name, const std::string& role, const std::string& cli,
                     const std::string& model) override;
  // One whose host has died goes on in the conversation of `run`; "": it begins. An error: it was
  // refused, and nobody is told.
  base::Status spawn(const crew::AgentSpec& spec, const std::string& run, OnStarted on_started);
  base::Status stop(const std::string& name) override;
  base::Status stop_all() override;
  base::Status send_nudge(const std::string& name, const std::string& message) override;
  base::Status write_inbox(const std::string& name, const std::string& from,
                           const std::string& message) override;
  base::Status reset_context(const std::string& name) override;
  base::Result<event::AgentStatus> status(const std::string& name) const override;
  std::map<std::string, event::AgentStatus> statuses() const override;
  base::Result<bool> is_active(const std::string& name) const override;

  std::optional<std::string> member_of(pid_t process) const override;
  base::Result<wire::Send> take(const std::string& agent, const std::string& from,
                                const wire::Nudge& nudge) override;
  base::Status take_mail(const std::string& agent, const std::string& from,
                         const std::string& text) override;
  base::Status start_member(const std::string& agent, OnStarted on_started) override;
  void forget_start(const std::string& agent) override;

  void on_stop_signal(int signum);
  bool runs_nobody() const { return sessions_.empty(); }
  std::string first_run_dir() const;  // "": none was started

 private:
  class Ear;

  std::unique_ptr<session::SessionSink> sink_for(const session::SessionSetup& setup) override;
  void on_started(HostedSession& session) override;
  void on_ended(const Ended& ended) override;
  void on_all_ended() override;

  // A start that is under way, and who is to be told of it.
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
  bool is_starting(const std::string& agent) const;
  void let_end();
  base::Result<session::Session*> running(const std::string& name) const;
  base::Status check_active(const std::string& name) const;
  base::Status mail(const std::string& to, const std::string& from, const std::string& text) const;
  using OnReport = CrewPost::OnReport;
  base::Result<std::string> queue(
      const std::string& to, const std::string& from, std::string text,
      OnReport on_report = [](const run::SendReport&) {}) const;
  void hear_person();
  void look_around();
  void on_event(const std::string& agent, const event::Event& event);
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
  std::map<std::string, HostedSession*> sessions_;  // of those that run, by the agent's name
  std::vector<std::string> handing_over_;           // whose turn has ended
  CrewPost post_;
  bool is_silenced_ = false;  // agents have spoken often enough, and that was said
  loop::Timer handover_, look_, purse_;
  crew::Debts::Purse before_;            // spent by hosts and agents that are gone
  std::map<std::string, Start> starts_;  // by the agent's name
  bool open_ = false;                    // its first agent is still to come
  bool told_to_stop_ = false;
  bool open_to_work_ = true;  // its budget is not used up
  loop::Loop& loop_;
  Host host_;
};

}  // namespace orch::host
