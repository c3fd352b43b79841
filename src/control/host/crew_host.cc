#include "host/crew_host.h"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/name.h"
#include "base/text.h"
#include "crew/message_text.h"
#include "pty/process_table.h"
#include "store/message_fate.h"
#include "store/queued_session.h"
#include "store/session_file.h"
#include "store/time_text.h"

namespace orch::host {
namespace {

using base::Result;
using base::Status;
using base::usage_error;

constexpr const char* kComponent = "crew";
// How long the loop waits for an inbox that another process is writing to.
constexpr int64_t kInboxPatienceMs = 50;

// The child of this process that `process` descends from; nullopt: it descends from none.
std::optional<pid_t> branch_of(pid_t process) {
  const pid_t own = ::getpid();
  std::optional<pty::ProcessEntry> at = pty::read_process(process);
  for (int steps = 0; at && at->parent > 0 && steps < pty::kMostAncestors; ++steps) {
    if (at->parent == own) return at->pid;
    at = pty::read_process(at->parent);
  }
  return std::nullopt;
}

// Whether keys reach the agent's process group, and not the group of a program that the agent has
// put in front. An agent without a terminal here (in a container) is always in front.
bool is_in_front(pid_t agent) {
  const std::optional<pty::ProcessEntry> process = pty::read_process(agent);
  return process && !process->ended &&
         (process->foreground <= 0 || process->foreground == process->group);
}

void add(crew::Debts::Purse& sum, const event::Usage& usage) {
  event::Usage whole;
  whole.in = sum.tokens;
  event::add(whole, usage);
  sum.tokens = event::tokens(whole);
  sum.cost_usd += usage.cost_usd.value_or(0);
}

base::Error is_being_started(const std::string& name) {
  return usage_error("agent " + name + " is being started; see orch crew status");
}

base::Error no_agent(const std::string& name) {
  return {base::ErrorCode::kNotFound, "no agent of this crew is called " + base::printable(name)};
}

}  // namespace

// Passes the events of one agent on to the crew.
class CrewHost::Ear final : public session::SessionSink {
 public:
  Ear(CrewHost& crew, std::string agent) : crew_(crew), agent_(std::move(agent)) {}
  void on_event(const event::Event& event, std::string_view /*json*/) override {
    crew_.on_event(agent_, event);
  }
  void on_raw(std::string_view /*bytes*/) override {}
  void on_enter(std::string_view message) override { crew_.on_enter(agent_, message); }

 private:
  CrewHost& crew_;
  std::string agent_;
};

CrewHost::CrewHost(loop::Loop& loop, CrewPlan plan, std::function<void()> on_ended)
    : plan_(std::move(plan)),
      on_ended_(std::move(on_ended)),
      flow_(plan_.flow),
      post_(
          {.hears = [this](const std::string& agent) { return check_active(agent).ok(); },
           .queue =
               [this](const std::string& to, const std::string& from, std::string text,
                      OnReport report) {
                 return queue(to, from, std::move(text), std::move(report));
               },
           .was_taken =
               [this](const std::string& message) {
                 const store::Presence taken = store::was_accepted(plan_.state_dir, message);
                 if (taken.is_unknown()) base::log_warn(kComponent, taken.error().text);
                 return taken.is_present();
               },
           .inbox_bytes = [this](const std::string& agent) { return folder_->inbox_bytes(agent); },
           .was_recorded = plan_.was_recorded,
           .say =
               [this](const std::string& agent, const std::string& note) {
                 base::log_warn(kComponent, "agent " + agent + " " + note);
                 plan_.say(agent, note);
               }}),
      handover_(loop),
      look_(loop),
      purse_(loop),
      loop_(loop),
      host_(loop, {.sessions = {}, .jobs = 0, .socket_folder = plan_.socket_folder, .crew = this},
            *this) {}

CrewHost::~CrewHost() = default;

Status CrewHost::open(const std::string& project) {
  if (!base::is_name(project, crew::kMaxProject)) {
    return usage_error("\"" + base::printable(project) + "\" cannot be the name of a project");
  }
  if (folder_) return usage_error("crew " + state_.project + " is there already");
  Result<store::CrewFolder> folder =
      store::CrewFolder::open(plan_.project_folder, store::CrewFolder::Missing::kIsCreated);
  if (!folder) return folder.error();
  if (!std::exchange(open_, true)) host_.hold();
  if (Status s = host_.start(); !s) return s;
  folder_.emplace(std::move(folder).value());
  state_.project = project;
  state_.manager = plan_.manager;
  state_.up = true;
  state_.members = plan_.before;
  state_.flow = plan_.flow;
  post_.open(debts_file(), plan_.before.empty());
  before_ = post_.spent();
  if (Status s = check_budget(); !s) return s;
  look_.start(kLookAroundMs, [this] { look_around(); });
  return folder_->write_state(crew::to_json(state_));
}

Status CrewHost::close() {
  if (!folder_) return usage_error("there is no crew");
  state_.up = false;
  for (crew::Member& member : state_.members) member.run.clear();
  keep_state();
  return leave();
}

Status CrewHost::leave() {
  cancel_starts("not started: the crew was stopped");
  for (const auto& [name, hosted] : std::map(sessions_)) hosted->session().kill(false);
  let_end();
  return base::Ok{};
}

// From now on the crew ends when the last of its agents has.
void CrewHost::let_end() {
  if (std::exchange(open_, false)) host_.release();
}

Status CrewHost::spawn(const crew::AgentSpec& spec, const std::string& run, OnStarted on_started) {
  if (!folder_) return usage_error("there is no crew yet");
  if (!base::is_name(spec.name, crew::kMaxAgent)) {
    return usage_error("\"" + base::printable(spec.name) + "\" cannot be the name of an agent");
  }
  if (sessions_.contains(spec.name)) return usage_error("agent " + spec.name + " runs already");
  if (starts_.contains(spec.name)) return is_being_started(spec.name);
  crew::Member* member = crew::find_member(state_, spec.name);
  if (member == nullptr) {
    if (state_.members.size() >= crew::kMaxAgents) {
      return usage_error("a crew has at most " + std::to_string(crew::kMaxAgents) + " agents");
    }
    member = &state_.members.emplace_back();
  }
  member->spec = spec;
  // Never taken from the file, which agents may change.
  member->session = store::session_key(crew::issue_of(state_.project, spec.name), plan_.repository);
  member->run = run;
  return start(*member, std::move(on_started));
}

Status CrewHost::start(const crew::Member& member, OnStarted on_started) {
  if (told_to_stop_) return usage_error("the crew ends");
  Result<MemberPlan> plan = plan_.plan_for(member);
  if (!plan) return plan.error();
  plan->setup.member = member.spec.name;
  plan->setup.plan.role = member.spec.prompt;
  if (plan->has_to_wait()) {
    return begin(member.spec.name, std::move(plan).value(), std::move(on_started));
  }
  const Result<HostedSession*> started = host_.take(std::move(plan->setup));
  if (!started) return started.error();
  if (on_started) on_started(base::Ok{});
  return base::Ok{};
}

Status CrewHost::begin(const std::string& agent, MemberPlan plan, OnStarted on_started) {
  MemberStart::Callbacks callbacks{
      .on_ready = [this,
                   agent](auto&& setup) { on_ready(agent, std::forward<decltype(setup)>(setup)); },
      .on_over = [this, agent] { on_over(agent); },
      .say = [this, agent](const std::string& note) { plan_.say(agent, note); }};
  auto start = std::make_unique<MemberStart>(loop_, std::move(plan), std::move(callbacks));
  host_.guard_queue(plan_.state_dir);
  if (Status s = start->begin(); !s) return s;
  host_.hold();
  starts_[agent] = {std::move(start), std::move(on_started), false};
  keep_state();  // written at once, so that the crew is found while it starts
  return base::Ok{};
}

void CrewHost::on_ready(const std::string& agent, Result<session::SessionSetup>&& setup) {
  Start& start = starts_.at(agent);
  start.cancelled = !setup;
  Status started = base::Ok{};
  if (!setup) {
    started = base::Error{setup.error().code, "agent " + agent + ": " + setup.error().text};
  } else {
    const std::string state_dir = setup->state_dir;
    const std::string key = store::session_key(setup->issue, setup->repository);
    const Result<HostedSession*> taken = host_.take(std::move(setup).value());
    if (!taken) {
      store::forget_queued(state_dir, key);
      started = taken.error();
    }
  }
  if (!started) base::log_warn(kComponent, started.error().text);
  if (const OnStarted told = std::exchange(start.on_started, nullptr)) told(started);
}

void CrewHost::on_over(const std::string& agent) {
  starts_.erase(agent);
  host_.release();
}

void CrewHost::cancel_starts(const std::string& why) {
  for (const auto& [agent, start] : starts_) start.start->cancel(why);
}

Status CrewHost::start_member(const std::string& agent, OnStarted on_started) {
  crew::Member* member = crew::find_member(state_, agent);
  if (member == nullptr) return no_agent(agent);
  if (starts_.contains(agent)) return is_being_started(agent);
  if (!sessions_.contains(agent)) {
    if (std::optional<crew::AgentSpec> now = plan_.spec_now(agent)) member->spec = std::move(*now);
    return start(*member, std::move(on_started));
  }
  on_started(base::Ok{});
  return base::Ok{};
}

void CrewHost::forget_start(const std::string& agent) {
  if (const auto found = starts_.find(agent); found != starts_.end()) {
    found->second.on_started = nullptr;
  }
}

// Called once for each signal: the first ends the agents politely, the second one kills them.
void CrewHost::on_stop_signal(int signum) {
  const bool again = std::exchange(told_to_stop_, true);
  cancel_starts("not started: interrupted");
  for (const auto& [agent, start] : starts_) {
    if (again) start.start->abandon();
  }
  host_.on_stop_signal(signum);
  let_end();
}

Result<session::Session*> CrewHost::running(const std::string& name) const {
  const auto found = sessions_.find(name);
  if (found != sessions_.end()) return &found->second->session();
  if (crew::find_member(state_, name) == nullptr) return no_agent(name);
  return base::Error{base::ErrorCode::kNotFound, "agent " + name + " does not run"};
}

Result<bool> CrewHost::is_active(const std::string& name) const {
  const Result<session::Session*> session = running(name);
  if (!session && crew::find_member(state_, name) != nullptr) return false;
  if (!session) return session.error();
  const pid_t agent = (*session)->agent_pid();
  return (*session)->driver().status() != event::AgentStatus::kExited &&
         (agent == 0 || is_in_front(agent));
}

Status CrewHost::check_active(const std::string& name) const {
  const Result<session::Session*> session = running(name);
  if (!session) return session.error();
  const Result<bool> active = is_active(name);
  if (!active) return active.error();
  if (*active) return base::Ok{};
  return usage_error("agent " + name + " is not active: " +
                     ((*session)->agent_pid() > 0
                          ? "another program has its terminal; see orch crew attach " + name
                          : "it has ended"));
}

// Returns the message's name, which is unique among all runs: "RUN/m3".
Result<std::string> CrewHost::queue(const std::string& to, const std::string& from,
                                    std::string text, OnReport on_report) const {
  const Result<session::Session*> session = running(to);
  if (!session) return session.error();
  // The sender knows that the message is on its way, so a dialog must not drop it.
  run::SendRequest request{.text = std::move(text), .from = from, .awaited = false};
  const Result<std::string> id = (*session)->send(std::move(request), std::move(on_report));
  if (!id) return id.error();
  return sessions_.at(to)->record().run + "/" + *id;
}

Status CrewHost::mail(const std::string& to, const std::string& from, const std::string& text) {
  const std::string now = store::rfc3339_utc(std::chrono::system_clock::now());
  if (Status s = mend_folder(); !s) return s;
  return folder_->append_to_inbox(to, crew::inbox_entry(now, from, text), crew::kMaxInboxBytes,
                                  kInboxPatienceMs);
}

Status CrewHost::take_mail(const std::string& agent, const std::string& from,
                           const std::string& text) {
  const Result<std::string> plain = crew::plain_text(text, crew::kMaxMailBytes);
  if (!plain) return plain.error();
  if (Status s = mail(agent, from, *plain); !s) return s;
  if (from != event::kFromUser && !flow_.on_message()) {
    if (!std::exchange(is_silenced_, true)) {
      base::log_warn(kComponent,
                     "agents are no longer notified of each other's mail: " +
                         std::to_string(plan_.flow.max_hops) +
                         " messages without a person's word (max_hops); it is in their inboxes");
    }
    return base::Ok{};
  }
  const std::string inbox = store::CrewFolder::inbox_of(agent);
  post_.tell_of_mail(agent, from, crew::mail_notice(from, inbox, *plain));
  if (from != event::kFromUser) return base::Ok{};
  hear_person();
  return base::Ok{};
}

void CrewHost::hear_person() {
  flow_.on_person();
  if (!std::exchange(is_silenced_, false)) return;
  for (const crew::Member& member : state_.members) post_.tell_what_waits(member.spec.name);
}

Result<wire::Send> CrewHost::take(const std::string& agent, const std::string& from,
                                  const wire::Nudge& nudge) {
  const Result<std::string> plain = crew::plain_text(nudge.text, crew::kMaxNudgeBytes);
  if (!plain) return plain.error();
  if (Status s = check_active(agent); !s) return usage_error(s.error().text);
  wire::Send send;
  send.timeout_ms = nudge.timeout_ms;
  const bool by_person = from == event::kFromUser;
  send.text = by_person ? *plain : crew::nudge_from(from, *plain);
  if (by_person) {
    hear_person();
  } else if (!flow_.on_message()) {
    return usage_error("agents have sent each other " + std::to_string(plan_.flow.max_hops) +
                       " messages without a person's word (max_hops); mail waits in the inbox: "
                       "orch crew send");
  }
  return send;
}

std::optional<std::string> CrewHost::member_of(pid_t process) const {
  const std::optional<pid_t> branch = branch_of(process);
  if (!branch) return std::nullopt;
  for (const auto& [name, hosted] : sessions_) {
    const pid_t agent = hosted->session().agent_pid();
    if (agent > 0 && branch_of(agent) == branch) return name;
  }
  return std::nullopt;
}

std::string CrewHost::first_run_dir() const {
  return sessions_.empty() ? "" : sessions_.begin()->second->record().run_dir;
}

std::unique_ptr<session::SessionSink> CrewHost::sink_for(const session::SessionSetup& setup) {
  return std::make_unique<Ear>(*this, setup.member);
}

void CrewHost::on_started(HostedSession& session) {
  const std::string& name = session.session().setup().member;
  sessions_[name] = &session;
  if (crew::Member* member = crew::find_member(state_, name)) {
    member->session = session.record().key;
    member->run = session.record().run;
  }
  keep_state();
  post_.tell_what_waits(name);
  let_end();
}

// The session's own events of its end have come before this.
void CrewHost::on_ended(const Ended& ended) {
  if (ended.result && ended.result->usage) add(before_, *ended.result->usage);
  std::erase_if(sessions_,
                [&ended](const auto& it) { return it.second->record().issue == ended.issue; });
}

void CrewHost::on_all_ended() {
  handover_.stop();
  look_.stop();
  purse_.stop();
  post_.keep_spent(spent(), plan_.budget);
  on_ended_();
}

void CrewHost::on_event(const std::string& agent, const event::Event& event) {
  if (const auto* line = std::get_if<event::Output>(&event)) {
    if (line->speaker == event::Speaker::kAgent && !line->gap) flow_.on_words(agent, line->text);
  } else if (const auto* message = std::get_if<event::Message>(&event)) {
    if (message->phase == event::MessagePhase::kSent) flow_.on_told(agent);
  } else if (const auto* turn = std::get_if<event::Turn>(&event); turn != nullptr && turn->ended) {
    purse_.start(0, [this] { consider_budget(); });
    handing_over_.push_back(agent);
    handover_.start(0, [this] {
      for (const std::string& one : std::exchange(handing_over_, {})) follow_rules(one);
    });
  }
}

void CrewHost::on_enter(const std::string& agent, std::string_view message) {
  const auto session = sessions_.find(agent);
  if (session == sessions_.end()) return;
  post_.on_enter(session->second->record().run + "/" + std::string(message));
}

void CrewHost::follow_rules(const std::string& agent) {
  const crew::Flow::Outcome outcome = flow_.on_turn_ended(agent);
  if (outcome.stopped) {
    base::log_warn(kComponent,
                   "no rule of flow is followed any more: " + std::to_string(plan_.flow.max_hops) +
                       " nudges without a person's word (max_hops)");
  }
  for (const crew::Flow::Handover& nudge : outcome.nudges) {
    post_.hand_over({nudge.to, nudge.from, nudge.text, 0});
  }
}

crew::Debts::Purse CrewHost::spent() const {
  crew::Debts::Purse sum = before_;
  for (const auto& [name, hosted] : sessions_) {
    if (const auto& usage = hosted->session().usage()) add(sum, *usage);
  }
  return sum;
}

Status CrewHost::check_budget() const {
  const crew::Debts::Purse now = spent();
  const auto& [tokens, cost_usd] = plan_.budget;
  if (tokens > 0 && now.tokens >= tokens) {
    return usage_error("--crew-max-tokens " + std::to_string(tokens) + ": the crew has used " +
                       std::to_string(now.tokens) + "; after orch crew down it begins anew");
  }
  if (cost_usd > 0 && now.cost_usd >= cost_usd) {
    return usage_error("--crew-max-cost is used up; after orch crew down the crew begins anew");
  }
  return base::Ok{};
}

// Checked after each turn. When the budget is used up, agents finish their turns, and no new work
// begins.
void CrewHost::consider_budget() {
  post_.keep_spent(spent(), plan_.budget);
  const Status left = check_budget();
  if (left || !open_to_work_) return;
  open_to_work_ = false;
  base::log_warn(kComponent, left.error().text + ": it ends");
  if (Status s = leave(); !s) base::log_warn(kComponent, s.error().text);
}

void CrewHost::look_around() {
  look_.start(kLookAroundMs, [this] { look_around(); });
  if (Status s = mend_folder(); !s) return base::log_warn(kComponent, s.error().text);
  post_.try_again();
}

Status CrewHost::mend_folder() {
  if (folder_->is_there()) return base::Ok{};
  Result<store::CrewFolder> folder =
      store::CrewFolder::open(plan_.project_folder, store::CrewFolder::Missing::kIsCreated);
  if (!folder) return folder.error();
  folder_ = std::move(folder).value();
  keep_state();
  return base::Ok{};
}

// <state dir>/crews/<key>.json, where no agent may write.
std::string CrewHost::debts_file() const {
  return plan_.state_dir + "/crews/" +
         store::session_key(crew::crew_name(state_.project), plan_.repository) + ".json";
}

void CrewHost::keep_state() const {
  if (Status s = folder_->write_state(crew::to_json(state_)); !s) {
    base::log_warn(kComponent, s.error().text);
  }
}

}  // namespace orch::host
