#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "base/json.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/new_command.h"
#include "cli/standing.h"
#include "client/client.h"
#include "client/find.h"
#include "event/event.h"
#include "event/exit_reason.h"
#include "loop/timer.h"
#include "store/issue_name.h"
#include "store/run_record.h"
#include "store/runs.h"
#include "store/session_file.h"
#include "store/state_file.h"
#include "ui/attention.h"
#include "ui/output_stream.h"

namespace orch::cli {
namespace {

constexpr int64_t kTurnLookMs = 200;
constexpr int64_t kUnreadMs = 3000;  // a dialog still unread after this time is reported as it is

// The goal of waiting: one of the agent's statuses, or an end of the run.
enum class Goal : uint8_t { kIdle, kWorking, kWaiting, kError, kExited, kComplete };
constexpr base::Words<Goal, 6> kGoals{{{Goal::kIdle, "idle"},
                                       {Goal::kWorking, "working"},
                                       {Goal::kWaiting, "waiting"},
                                       {Goal::kError, "error"},
                                       {Goal::kExited, "exited"},
                                       {Goal::kComplete, "complete"}}};
using Goals = std::set<Goal>;  // any of them

struct WaitOptions {
  std::vector<std::string> issues;
  std::string until = "idle", timeout;
  bool any = false, no_bell = false, json = false;
  std::optional<std::string> state_dir;
};

// The exit code of a run that has ended. If its host died without a result, or the result cannot be
// read (which is reported), orch's own failure.
int code_of(const store::RunFolder& run) {
  const store::Found<store::RunResult> result = store::result_of(run);
  if (result.is_unknown()) (void)report(result.error());
  return result.is_present() ? result->code : event::exit_code(event::ExitReason::kInternal);
}

// A run that ended well satisfies every goal: it needs nobody any more.
bool is_reached_by_end(const Goals& goals, int code) {
  return goals.contains(Goal::kExited) || code == 0;
}

// Waits for one session. It subscribes to the session's events before it asks for the status, so
// that no change is missed. Only the status decides, not the event that made it ask: an agent at
// its prompt is not idle while a message is pending. If the host is silent (stopped, a closed
// laptop, load), that is reported and the wait goes on; if it dies, the session is lost.
class Awaited final : public client::Follower {
 public:
  Awaited(loop::Loop& loop, Goals goals, store::RunFolder run, std::function<void()> on_decided)
      : loop_(loop),
        goals_(std::move(goals)),
        run_(std::move(run)),
        on_decided_(std::move(on_decided)),
        silence_(loop),
        coming_(loop),
        unread_(loop) {}

  base::Status begin(const std::string& state_dir, const store::SessionRecord& session) {
    name_ = session.name;
    state_dir_ = state_dir;
    session_ = session;
    auto client = client::Client::connect(loop_, state_dir, session);
    if (!client) return client.error();
    client_ = std::move(client).value();
    client_->follow({.events = true, .raw = false}, *this, client::kNoDeadline);
    ask();
    return base::Ok{};
  }

  bool reached() const { return state_ == State::kReached; }
  bool decided() const { return state_ != State::kOpen; }
  const std::string& name() const { return name_; }
  // The exit code of waiting for this session: the run's if it has ended; 0 if the goal was reached
  // otherwise.
  int exit_code() const { return exit_code_; }
  // The state of the session when its wait was decided, for people: "waiting/permission",
  // "complete".
  const std::string& state_text() const { return state_text_; }
  const store::RunFolder& run() const { return run_; }
  // The host's last report; empty before it has answered.
  const std::optional<wire::StatusReport>& report() const { return report_; }

 private:
  enum class State : uint8_t { kOpen, kReached, kMissed };

  void on_started(uint64_t) override {}
  void on_lagged(const client::Gap&) override { ask(); }
  void on_event(std::string_view json) override {
    const std::optional<event::Record> record = event::parse_record(json);
    if (!record || !std::holds_alternative<event::Output>(record->event)) ask();
  }
  void on_end(std::string_view result) override {
    const base::Result<store::RunResult> ended = store::run_result_from_json(result);
    const int code = ended ? ended->code : kNoSuchSession;
    state_text_ = ended ? event::name(ended->reason) : "ended";
    decide(is_reached_by_end(goals_, code) ? State::kReached : State::kMissed, code);
  }
  void on_lost(const base::Error& error) override {
    // The session may be just beginning, or have ended while we connected, before the host could
    // report it.
    const store::Presence runs = still_runs();
    if (runs.is_unknown()) return decide(State::kMissed, decided() ? 0 : ui::report(runs.error()));
    if (error.code == base::ErrorCode::kNotFound && runs.is_present() &&
        store::result_of(run_).is_absent()) {
      return coming_.start(kTurnLookMs, [this] { come_again(); });
    }
    if (goals_.contains(Goal::kExited) && runs.is_absent()) {
      state_text_ = "ended";
      return decide(State::kReached, code_of(run_));
    }
    decide(State::kMissed, decided() ? 0 : report_no_session(error));
  }

  store::Presence still_runs() const {
    const store::Found<store::SessionRecord> now = store::session_of(state_dir_, session_.key);
    if (now.is_unknown()) return now.error();
    const bool runs = now.is_present() && now->status == store::SessionStatus::kRunning &&
                      now->run == session_.run;
    return runs ? store::Presence(base::Ok{}) : store::Presence::absent();
  }
  void come_again() {
    asking_ = again_ = false;
    if (begin(state_dir_, session_)) return;
    on_lost(
        {base::ErrorCode::kNotFound, "session " + session_.name + " has ended: its host is gone"});
  }

  // Asks for the status. There is one request at a time; events before its answer make it ask
  // again.
  void ask() {
    if (decided()) return;
    if (asking_) {
      again_ = true;
      return;
    }
    asking_ = true;
    silence_.start(client::kAnswerMs, [this] { tell_of_silence(); });
    const auto on_answer = [this](const base::Result<wire::Answer>& answer) {
      asking_ = false;
      silence_.stop();
      if (!answer) return;  // on_lost() is called
      if (const auto* report = std::get_if<wire::StatusReport>(&answer->result)) {
        consider(*report);
      }
      if (std::exchange(again_, false)) ask();
    };
    client_->request(wire::AskStatus{}, on_answer, client::kNoDeadline);
  }
  void tell_of_silence() {
    std::fprintf(stderr, "orch: %s; orch waits on\n",
                 base::printable(client_->no_answer(client::kAnswerMs).text).c_str());
  }
  void consider(const wire::StatusReport& report) {
    report_ = report;
    const bool reached = std::any_of(goals_.begin(), goals_.end(),
                                     [&](Goal goal) { return is_there(goal, report); });
    if (!reached) {
      const bool is_unread =
          goals_.contains(Goal::kWaiting) && report.status == event::AgentStatus::kWaiting;
      if (is_unread) unread_.start(kTurnLookMs, [this] { ask(); });
      return;
    }
    state_text_ = event::status_text(report.status, report.cause);
    decide(State::kReached, 0);
  }
  static bool is_there(Goal goal, const wire::StatusReport& report) {
    using event::AgentStatus;
    // After an interruption by hand the agent is at its prompt, but waits for the user to go on.
    // That counts as idle.
    const bool interrupted = report.status == AgentStatus::kWaiting &&
                             report.cause == event::Cause::kNone && !report.dialog;
    const bool rests = (event::accepts_input(report.status) || interrupted) && report.pending == 0;
    switch (goal) {
      case Goal::kIdle:
        return rests;
      case Goal::kWorking:
        return report.status == AgentStatus::kWorking;
      case Goal::kWaiting:
        // A caller that waits for a dialog wants to answer it, so the dialog has to be read first.
        // One that cannot be read is reported after a while.
        return report.status == AgentStatus::kWaiting &&
               (report.dialog || interrupted || report.ms - report.since_ms >= kUnreadMs);
      case Goal::kError:
        return report.status == AgentStatus::kError;
      case Goal::kExited:
      case Goal::kComplete:
        return false;  // on_end() decides that
    }
    return false;
  }
  void decide(State state, int exit_code) {
    if (decided()) return;
    state_ = state;
    exit_code_ = exit_code;
    on_decided_();
  }

  loop::Loop& loop_;
  Goals goals_;
  store::RunFolder run_;
  std::optional<wire::StatusReport> report_;
  std::string state_dir_;
  store::SessionRecord session_;
  std::function<void()> on_decided_;
  std::string name_, state_text_;
  std::unique_ptr<client::Client> client_;
  loop::Timer silence_;  // runs while a request is unanswered
  loop::Timer coming_;   // runs until the next look for the host
  loop::Timer unread_;   // runs until the next check whether a dialog has been read
  State state_ = State::kOpen;
  int exit_code_ = kNoSuchSession;
  bool asking_ = false, again_ = false;
};

// Parses a list like "waiting,error".
base::Result<Goals> parse_goals(const std::string& text) {
  Goals goals;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    // `orch run --until exit` uses that word for a whole run.
    const std::string given = text.substr(at, end - at);
    const auto goal = base::value_of(kGoals, given == "exit" ? std::string_view("exited") : given);
    if (!goal) {
      return base::usage_error("--until " + base::printable(text) + ": there is no \"" +
                               base::printable(given) +
                               "\"; write idle, working, waiting, error, exited or complete, or "
                               "several of them with commas");
    }
    goals.insert(*goal);
    at = end + 1;
  }
  return goals;
}

// Waits for all sessions of one command.
class Wait {
 public:
  Wait(client::Place place, Goals goals, bool any)
      : place_(std::move(place)),
        goals_(std::move(goals)),
        any_(any),
        terminal_(loop_, STDERR_FILENO) {}

  // An error if the session does not exist, or several match.
  base::Status add(const std::string& issue) {
    ++wanted_;
    const base::Result<store::SessionRecord> session =
        client::find_session(place_, issue, client::Reach::kEverywhere);
    if (session) return add_found(*session, issue);
    const bool is_unknown = session.error().code != base::ErrorCode::kNotFound &&
                            session.error().code != base::ErrorCode::kUsage;
    return is_unknown ? base::Status(session.error()) : add_run(issue);
  }

 private:
  base::Status add_found(const store::SessionRecord& session, const std::string& issue) {
    if (session.status != store::SessionStatus::kQueued) return add_run(issue);
    const base::Result<std::string> before = greatest_id();
    if (!before) return before.error();
    const store::Found<store::SessionRecord> now = store::session_of(place_.state_dir, session.key);
    if (now.is_unknown()) return now.error();
    if (now.is_absent() || now->status != store::SessionStatus::kQueued) return add_run(issue);
    await_turn(*now, *before);
    return base::Ok{};
  }

  // The id of the newest run; a run that begins later has a greater one. "" if there is none.
  base::Result<std::string> greatest_id() const {
    const base::Result<std::vector<store::RunFolder>> runs = store::run_folders(place_.state_dir);
    if (!runs) return runs.error();
    return runs->empty() ? std::string() : runs->back().id;
  }

  base::Status add_run(const std::string& issue) {
    const base::Result<client::Found> found =
        client::find_run(place_, issue, client::Reach::kEverywhere);
    if (!found) return found.error();
    const bool runs = found->session && found->session->status == store::SessionStatus::kRunning;
    if (runs) {
      base::Status begun = begin(*found);
      if (begun || begun.error().code != base::ErrorCode::kNotFound) return begun;
    }
    const store::Presence beginning = host_beginning(found->run);
    if (beginning.is_unknown()) return beginning.error();
    if (beginning.is_present()) {
      await_beginning(issue);
    } else {
      add_ended(found->run);
    }
    return base::Ok{};
  }

  // Whether the run is just beginning: its folder is made before the session file says that it
  // runs, but its host already holds the session's lock.
  store::Presence host_beginning(const store::RunFolder& run) const {
    const store::Found<store::RunRecord> record = store::record_of(run);
    if (record.is_unknown() && store::is_refused(record.error())) return record.error();
    if (!record.is_present() || !store::result_of(run).is_absent()) {
      return store::Presence::absent();
    }
    return store::host_of(place_.state_dir, store::session_key(run.issue, record->repository));
  }

  void await_beginning(const std::string& issue) {
    turns_.push_back(std::make_unique<loop::Timer>(loop_));
    ++queued_;
    turns_.back()->start(kTurnLookMs, [this, issue] {
      --queued_;
      conclude_turn(add_run(issue));
    });
  }

  void conclude_turn(const base::Status& begun) {
    if (!begun) {
      report(begun.error());
      codes_missed_.push_back(kNoSuchSession);
    }
    if (is_decided()) loop_.stop();
  }

  // Counts a run that has ended already, with the same result as for a command that was waiting for
  // it.
  void add_ended(const store::RunFolder& run) {
    const int code = code_of(run);
    const bool reached = is_reached_by_end(goals_, code);
    add_told(run, std::nullopt, reached);
    if (!reached) return codes_missed_.push_back(code);
    reached_.push_back(store::session_name(run.issue));
    codes_.push_back(code);
  }

  // Keeps the state of a run for print().
  void add_told(const store::RunFolder& run, const std::optional<wire::StatusReport>& report,
                bool reached) {
    const client::RunView view = client::view_any_run(place_.state_dir, run);
    base::Json json = standing_json(report ? standing_of(view, *report) : standing_of(view));
    json["reached"] = reached;
    told_.push_back(std::move(json));
  }

  // Waits until a queued session begins or is taken out of the queue. Its host has no socket for it
  // yet, so this looks at the session file.
  void await_turn(const store::SessionRecord& session, const std::string& before) {
    auto look = std::make_unique<loop::Timer>(loop_);
    loop::Timer& timer = *look;
    turns_.push_back(std::move(look));
    ++queued_;
    look_at_turn(session, before, timer);
  }

  void look_at_turn(const store::SessionRecord& session, const std::string& before,
                    loop::Timer& timer) {
    timer.start(kTurnLookMs, [this, session, before, &timer] {
      const store::Found<store::SessionRecord> now =
          store::session_of(place_.state_dir, session.key);
      if (now.is_present() && now->status == store::SessionStatus::kQueued) {
        return look_at_turn(session, before, timer);
      }
      --queued_;
      conclude_turn(now.is_unknown() ? base::Status(now.error()) : add_begun(session, before));
    });
  }

  // Goes on when a session has left the queue. By then it may have begun and ended; but a run from
  // before it was queued is another one.
  base::Status add_begun(const store::SessionRecord& session, const std::string& before) {
    const base::Result<client::Found> newest =
        client::find_run(place_, session.key, client::Reach::kEverywhere);
    if (!newest && newest.error().code != base::ErrorCode::kNotFound) return newest.error();
    if (newest && (newest->run.id > before || began_after(newest->run, session))) {
      return add_run(session.key);
    }
    return base::Error{base::ErrorCode::kNotFound, session.name + " was not started"};
  }

  // A run gets its folder before the session file says that the session is not queued any more.
  static bool began_after(const store::RunFolder& run, const store::SessionRecord& queued) {
    const store::Found<store::RunRecord> record = store::record_of(run);
    return record.is_present() && !queued.started.empty() && record->started >= queued.started;
  }

 public:
  // Rings and notifies the user at the terminal when the wait is over.
  void call_at_end() { calls_ = terminal_.is_terminal(); }
  // Prints JSON instead of names.
  void print_json() { json_ = true; }

  // Waits until it is decided or `timeout_ms` are over (0: no limit), prints the outcome and
  // returns the exit code.
  int run(int64_t timeout_ms) {
    loop::Timer deadline(loop_);
    bool late = false;
    if (timeout_ms > 0) {
      deadline.start(timeout_ms, [this, &late] {
        late = true;
        loop_.stop();
      });
    }
    const bool waited = !is_decided();
    if (waited) loop_.run();
    if (calls_ && waited) call(late);
    std::vector<int> missed = codes_missed_;
    for (const auto& session : awaited_) {
      add_told(session->run(), session->report(), session->reached());
      if (!session->reached()) {
        missed.push_back(session->exit_code());
        continue;
      }
      reached_.push_back(session->name());
      codes_.push_back(session->exit_code());
    }
    print();
    if (any_ ? !reached_.empty() : reached_.size() == wanted_) {
      return goals_.contains(Goal::kExited) ? event::combined_exit_code(codes_) : 0;
    }
    if (late) return event::exit_code(event::ExitReason::kTimeout);
    return event::combined_exit_code(missed);
  }

 private:
  // Prints the names of the sessions that have reached the goal, or the state of all as JSON.
  void print() const {
    if (json_) return void(std::fputs(base::json_text(told_).c_str(), stdout));
    for (const std::string& name : reached_) {
      std::printf("%s\n", base::printable(name).c_str());
    }
  }

  // Rings, and notifies. The terminal's title is restored at once, because nobody will restore it
  // later.
  void call(bool late) {
    std::string text = late ? "orch wait: timeout" : "";
    for (const auto& session : awaited_) {
      if (!session->decided() || late) continue;
      text += (text.empty() ? "" : ", ") + session->name() + ": " + session->state_text();
    }
    ui::Attention attention(terminal_);
    attention.call(text);
    attention.relieve();
    terminal_.flush();
  }

  base::Status begin(const client::Found& found) {
    auto awaited = std::make_unique<Awaited>(loop_, goals_, found.run, [this] {
      if (is_decided()) loop_.stop();
    });
    if (base::Status s = awaited->begin(place_.state_dir, *found.session); !s) return s;
    awaited_.push_back(std::move(awaited));
    return base::Ok{};
  }

  bool is_decided() const {
    const auto there = [](const auto& session) { return session->reached(); };
    const auto decided = [](const auto& session) { return session->decided(); };
    const bool one = !reached_.empty() || std::any_of(awaited_.begin(), awaited_.end(), there);
    return (any_ && one) ||
           (queued_ == 0 && std::all_of(awaited_.begin(), awaited_.end(), decided));
  }

  client::Place place_;
  Goals goals_;
  bool any_;
  loop::Loop loop_;
  ui::OutputStream terminal_;
  bool calls_ = false;
  bool json_ = false;
  base::Json told_ = base::Json::array();  // the states of the runs
  size_t wanted_ = 0;
  // Names of the sessions that have reached the goal; those of awaited_ are added at the end.
  std::vector<std::string> reached_;
  std::vector<int> codes_;         // their exit codes
  std::vector<int> codes_missed_;  // of sessions that never started, or had ended badly already
  size_t queued_ = 0;              // how many wait for their turn, or are just beginning
  std::vector<std::unique_ptr<loop::Timer>> turns_;
  std::vector<std::unique_ptr<Awaited>> awaited_;
};

int wait(const WaitOptions& options, const client::Place& place) {
  const base::Result<Goals> goals = parse_goals(options.until);
  if (!goals) return report(goals.error());
  base::Result<int64_t> timeout =
      options.timeout.empty() ? 0 : base::parse_duration(options.timeout);
  if (!timeout) return report(timeout.error());
  Wait wait(place, *goals, options.any);
  if (options.json) wait.print_json();
  if (!options.no_bell) wait.call_at_end();
  for (const std::string& issue : options.issues) {
    if (base::Status s = wait.add(issue); !s) return report_no_session(s.error());
  }
  return wait.run(*timeout);
}

}  // namespace

void add_wait_command(CLI::App& app, Chosen& chosen) {
  CommandWith<WaitOptions> command(
      app, chosen, "wait", "wait until sessions are idle, ask something or have ended", wait);
  command.option("issue", command->issues, "issues or sessions' names").required();
  command
      .option("--until", command->until,
              "idle (or at an error), working, waiting (at a dialog), error, exited, or complete "
              "(its run has ended well); of several with commas any")
      .show_default();
  command.flag("--any", command->any, "until one of them is");
  command.option("--timeout", command->timeout,
                 "give up after this long: 90s, 10m, 2h (default: never)");
  command.flag("--no-bell", command->no_bell,
               "do not ring nor notify on a terminal when it is over");
  command.flag("--json", command->json, "how they stand as JSON, those that are not so too");
  command.state_dir();
  command.footer(
      "An agent is idle at its prompt, once no message waits for it. Prints the names of the "
      "sessions that have. Exit codes: 0 they are, or their run has ended well; 124 it took too "
      "long; 4\n"
      "there is neither a session nor a run, or it was never started; else the code of a run that\n"
      "ended first, perhaps before this command came. --until exited ends with the run's own code\n"
      "(0 to 255); of several, with the one that matters most, as orch run --help has them; with "
      "--any, of the ones that have ended.\n\n"
      "Examples:\n  orch wait 42 && orch logs -n 5 42\n"
      "  orch wait 42 --until exited; echo \"it ended with $?\"\n"
      "  orch wait --any --until waiting 1 2 3");
}

}  // namespace orch::cli
