#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/awaited_session.h"
#include "cli/new_command.h"
#include "cli/standing.h"
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

struct WaitOptions {
  std::vector<std::string> issues;
  std::string until = "idle", timeout;
  bool any = false, no_bell = false, json = false;
  std::optional<std::string> state_dir;
};

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
    const int code = code_of_ended(run);
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
    auto awaited = std::make_unique<AwaitedSession>(loop_, goals_, found.run, [this] {
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
  std::vector<std::unique_ptr<AwaitedSession>> awaited_;
};

int wait(const WaitOptions& options, const client::Place& place) {
  const base::Result<Goals> goals = goals_in(options.until);
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
