#include "session/session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "run/limit_reset.h"
#include "session/environment.h"
#include "session/surroundings.h"
#include "store/issue_name.h"
#include "store/session_file.h"
#include "term/keys.h"
#include "term/screen.h"

namespace orch::session {

using base::Status;
using event::AgentStatus;

namespace {

constexpr std::string_view kClearTerminal = "\033c";  // RIS

store::TimePoint wall_clock() { return std::chrono::system_clock::now(); }

}  // namespace

base::Result<std::unique_ptr<Session>> Session::start(loop::Loop& loop, SessionSetup setup,
                                                      SessionSink& sink,
                                                      std::function<void()> on_ended) {
  base::Result<store::RunDir> dir =
      store::RunDir::create(setup.state_dir, wall_clock(), setup.issue);
  if (!dir) return dir.error();
  const store::RunDir made = *dir;
  pty::Guardian* guardian = setup.guardian;
  if (guardian != nullptr) {  // before a file says that it lives
    guardian->watch({.run = made.id(),
                     .run_dir = made.path(),
                     .session_key = store::session_key(setup.issue, setup.repository)});
  }
  std::unique_ptr<Session> session(
      new Session(loop, std::move(setup), std::move(dir).value(), sink, std::move(on_ended)));
  if (Status opened = session->open(); !opened) {
    session.reset();
    made.discard();
    if (guardian != nullptr) guardian->release(made.id());
    return opened.error();
  }
  return session;
}

Session::Session(loop::Loop& loop, SessionSetup setup, store::RunDir dir, SessionSink& sink,
                 std::function<void()> on_ended)
    : loop_(loop),
      setup_(std::move(setup)),
      dir_(std::move(dir)),
      sink_(sink),
      on_ended_(std::move(on_ended)),
      started_ms_(loop.now_ms()),
      started_(wall_clock()),
      driver_(setup_.driver(setup_, 0)),
      machine_(setup_.plan, 0),
      tick_(loop),
      life_timer_(loop),
      keys_(loop, {.is_free = [this] { return !driver_->holds_keyboard(); },
                   .write = [this](std::string key) { type(std::move(key)); },
                   .on_done = [this] { on_tick(); }}),  // a message may have waited
      record_(setup_.manifest->record,
              agent_environment(own_environment(), setup_.launch.env, dir_.id()), setup_.cwd) {}

Session::~Session() = default;

Status Session::open() {
  base::Result<RunLog> log = RunLog::open(dir_, setup_, started_, sink_);
  if (!log) return log.error();
  log_.emplace(std::move(log).value());
  agent_ = std::make_unique<AgentProcess>(loop_, setup_, dir_,
                                          [this](std::string_view notice) { on_notice(notice); });
  if (Status s = agent_->start(*this); !s) return s;
  log_->on_failure([this](std::string what) { fail(std::move(what)); });
  log_->begin(now());
  event::StatusChange start;
  start.status = AgentStatus::kStarting;
  log_->tell(now(), start);
  log_->mark_running();
  soon();
  return base::Ok{};
}

void Session::on_output(std::string_view bytes) {
  const TimeMs at = now();
  log_->output(at, bytes);
  std::string replies = driver_->on_output(at, bytes);
  if (!replies.empty() && !agent_->source().answers_queries()) {
    log_->input(at, replies);
    agent_->source().write(std::move(replies));
  }
  sink_.on_raw(bytes);
  pump();
}

void Session::on_notice(std::string_view notice) {
  log_->notice(now(), notice);
  driver_->on_notice(now(), notice);
  pump();
}

void Session::on_tick() {
  see_surroundings();
  driver_->on_timer(now());
  log_->flush();
  pump();
}

// What was asked for from outside is acted upon from the loop: whoever asks may not expect calls.
void Session::soon() {
  tick_.start(0, [this] { on_tick(); });
}

void Session::see_surroundings() {
  driver_->on_surroundings(now(), {.keyboard_held = keyboard_held_ || keys_.busy(),
                                   .canonical = agent_->source().canonical()});
}

// Carries news to the run's logic and commands to the driver until nobody has anything left to say.
void Session::pump() {
  machine_.on_time(now(), driver_->last_output());
  bool more = true;
  while (more) {
    more = take_writes();
    more = take_news() || more;
    more = take_actions() || more;
  }
  schedule();
}

bool Session::take_writes() {
  std::vector<std::string> writes = driver_->take_writes();
  for (std::string& bytes : writes) write(std::move(bytes));
  return !writes.empty();
}

bool Session::take_news() {
  std::vector<agent::News> news = driver_->take_news();
  std::vector<agent::Line> lines;
  for (agent::News& one : news) {
    if (auto* line = std::get_if<agent::Line>(&one)) {
      machine_.on_news(now(), *line);
      lines.push_back(std::move(*line));
      continue;
    }
    tell(lines);
    hear(one);
  }
  tell(lines);
  if (!news.empty()) machine_.on_time(now(), driver_->last_output());
  return !news.empty();
}

void Session::tell(std::vector<agent::Line>& lines) {
  log_->tell(now(), turn_words_.pass(std::exchange(lines, {})));
}

void Session::hear(const agent::News& news) {
  if (const auto* change = std::get_if<event::StatusChange>(&news)) {
    const bool exited = change->status == AgentStatus::kExited;
    if (stopping_ && !exited) return;
    log_->tell(now(), *change);
    if (!exited) {
      status_at_end_ = change->status;
      cause_at_end_ = change->cause;
    }
  }
  if (std::holds_alternative<agent::MessageTyped>(news)) delivered_.typed = wall_clock();
  if (std::holds_alternative<agent::TurnEnded>(news)) end_turn();
  machine_.on_news(now(), news);
}

// What the agent itself wrote down of the turn that ends: words that it said in a fence look like
// any others on its screen, and some may never have been seen there.
void Session::end_turn() {
  std::optional<driver::RecordedTurn> turn;
  const bool asked = setup_.plan.until == run::Until::kComplete || turn_words_.holds();
  if (asked && !delivered_.text.empty()) {
    turn = record_.read(delivered_.text, delivered_.typed);
  }
  std::vector<std::string> texts;
  agent::Recorded recorded;
  for (driver::RecordedPiece& piece : turn.value_or(driver::RecordedTurn()).pieces) {
    recorded.tool_after = piece.kind == driver::RecordedPiece::Kind::kTool;
    if (recorded.tool_after) continue;
    recorded.last_words = piece.text;
    texts.push_back(std::move(piece.text));
  }
  log_->tell(now(), turn_words_.finish(texts));
  if (turn) machine_.on_news(now(), recorded);
}

bool Session::take_actions() {
  const std::vector<run::Action> actions = machine_.take_actions();
  for (const run::Action& action : actions) {
    std::visit([this](const auto& one) { perform(one); }, action);
  }
  return !actions.empty();
}

void Session::perform(const agent::Command& command) {
  if (const auto* message = std::get_if<agent::Deliver>(&command)) {
    delivered_ = {message->text, wall_clock()};
  }
  driver_->command(now(), command);
}

void Session::write(std::string bytes) {
  if (is_secret()) {
    log_->secret_input(now(), bytes);
  } else {
    log_->input(now(), bytes);
  }
  agent_->source().write(std::move(bytes));
}

// A password, or the key that a login asks for.
bool Session::is_secret() const {
  return agent_->source().asks_secret() ||
         (driver_->status() == AgentStatus::kWaiting && driver_->cause() == event::Cause::kLogin);
}

void Session::perform(const run::StopAgent& stop) {
  using Manner = run::StopAgent::Manner;
  driver_->on_stopping(now());
  stopping_ = true;
  resume_output();
  StopOrder order;
  switch (stop.manner) {
    case Manner::kPolitely:
      order.quit_bytes = driver_->quit_bytes();
      order.quit_ms = setup_.manifest->quit.wait_ms;
      if (!order.quit_bytes.empty()) log_->input(now(), order.quit_bytes);
      break;
    case Manner::kTerminate:
      break;
    case Manner::kNow:
      order.term_ms = 0;
      break;
  }
  agent_->source().stop(std::move(order));
}

void Session::perform(const run::Tell& tell) { log_->tell(now(), tell.event); }

void Session::schedule() {
  const TimeMs next = std::min(driver_->next_deadline(), machine_.next_deadline());
  if (next == base::kNever) {
    tick_.stop();
  } else {
    tick_.start(std::max<TimeMs>(0, next - now()), [this] { on_tick(); });
  }
}

void Session::on_signal(int signum) {
  machine_.on_signal(signum);
  pump();
}

void Session::kill(bool at_once) {
  machine_.on_kill(at_once);
  pump();
}

Status Session::type_keys(const std::vector<std::string>& names) {
  const term::Screen* screen = driver_->screen();
  const bool application = screen != nullptr && screen->modes().application_cursor;
  return keys_.type(names,
                    application ? term::CursorKeys::kApplication : term::CursorKeys::kNormal);
}

void Session::hold_keyboard(bool held) {
  keyboard_held_ = held;
  soon();
}

void Session::type(std::string bytes) {
  if (stopping_) return;
  driver_->on_typed(now(), bytes);
  write(std::move(bytes));
  pump();
}

base::Result<std::string> Session::send(run::SendRequest request, OnReport on_report) {
  if (!setup_.manifest->idle_known) {
    return base::usage_error("agent " + setup_.manifest->name +
                             " takes no messages: when it is ready for one is not known");
  }
  const std::string id = machine_.send(std::move(request), now());
  on_report_.emplace(id, std::move(on_report));
  soon();
  return id;
}

void Session::withdraw(const std::string& id) {
  on_report_.erase(id);
  machine_.withdraw(id, now());
  soon();
}

void Session::perform(const run::Report& report) {
  const auto found = on_report_.find(report.report.id);
  if (found == on_report_.end()) return;
  const OnReport on_report = std::move(found->second);
  on_report_.erase(found);
  on_report(report.report);
}

void Session::perform(const run::FindLimitEnd& /*find*/) {
  machine_.on_limit_end(now(), run::wait_until_reset_s(driver_->text(), local_time()));
}

void Session::perform(const run::FindLifeSigns& find) {
  life_timer_.start(find.for_ms, [this, before = pty::read_life_signs(agent_pid())] {
    const pty::LifeSigns after = pty::read_life_signs(agent_pid());
    result_.evidence = evidence_of(before, after);
    machine_.on_life_signs(now(), pty::shows_life(before, after), result_.evidence);
    pump();
  });
}

Status Session::reset(OnReset on_done) {
  if (Status s = machine_.reset(now()); !s) return s;
  on_reset_ = std::move(on_done);
  soon();
  return base::Ok{};
}

void Session::perform(const run::RestartAgent& /*restart*/) { agent_->end_to_restart(); }

void Session::perform(const run::TellReset& reset) {
  if (on_reset_) std::exchange(on_reset_, nullptr)(reset.how);
}

void Session::fail(std::string why) {
  machine_.on_failure(std::move(why));
  soon();
}

void Session::resize(term::Size size) {
  setup_.size = size;
  driver_->on_resize(now(), size.cols, size.rows);
  log_->resize(now(), size.cols, size.rows);
  agent_->source().resize(size.cols, size.rows);
  pump();
}

void Session::pause_output() {
  if (!stopping_) agent_->source().pause();
}

// In place of the process that has ended another one is started, on a clear screen. False: not now.
bool Session::restart() {
  if (stopping_) return false;
  event::StatusChange start;
  start.status = AgentStatus::kStarting;
  start.from = driver_->status();
  driver_->on_exit(now());
  std::vector<agent::Line> lines;
  for (agent::News& one : driver_->take_news()) {
    auto* line = std::get_if<agent::Line>(&one);
    if (line == nullptr) continue;
    machine_.on_news(now(), one);
    lines.push_back(std::move(*line));
  }
  tell(lines);
  end_turn();
  log_->output(now(), kClearTerminal);
  driver_ = setup_.driver(setup_, now());
  if (Status s = agent_->start_again(*this); !s) {
    machine_.on_failure("the agent cannot be started again: " + s.error().text);
    return false;
  }
  log_->tell(now(), start);
  machine_.on_news(now(), start);
  machine_.on_restart(now());
  pump();
  return true;
}

void Session::on_end(pty::ExitStatus status) {
  tick_.stop();
  keys_.stop();
  life_timer_.stop();
  if (agent_->wants_restart(status) && restart()) return;
  driver_->on_exit(now());
  take_news();
  end_turn();
  if (const AgentFence* fence = agent_->fence()) {
    result_.sandbox = {fence::names(fence->plan().layers), fence::to_text(fence->plan().network),
                       fence->changed()};
  }
  agent_->finish();
  log_->finish_recording(now());
  machine_.on_exit(status.code, status.signal);
  for (const run::Action& action : machine_.take_actions()) {
    if (const auto* tell = std::get_if<run::Tell>(&action)) perform(*tell);
    if (const auto* report = std::get_if<run::Report>(&action)) perform(*report);
  }
  tick_.stop();
  if (on_reset_) on_reset_(base::Error{base::ErrorCode::kNotFound, "the session ended"});
  write_result(status);
  if (setup_.guardian != nullptr) setup_.guardian->release(dir_.id());
  const auto on_ended = std::move(on_ended_);
  on_ended();
}

void Session::write_result(pty::ExitStatus status) {
  const run::Verdict& verdict = machine_.verdict();
  result_.run = dir_.id();
  result_.session = store::session_name(setup_.issue);
  result_.issue = setup_.issue;
  result_.agent = setup_.manifest->name;
  result_.reason = verdict.reason;
  result_.code = run::exit_code(verdict);
  if (status.signal != 0) {
    result_.agent_signal = status.signal;
  } else {
    result_.agent_exit_code = status.code;
  }
  result_.status_at_end = status_at_end_;
  result_.cause = cause_at_end_;
  result_.detail = verdict.detail;
  result_.turns = machine_.turns();
  result_.messages_sent = machine_.messages_sent();
  result_.started = store::rfc3339_utc(started_);
  result_.ended = store::rfc3339_utc(wall_clock());
  result_.duration_ms = now();
  result_.retry_after_s = verdict.retry_after_s;
  if (setup_.record.keep) result_.recording = dir_.recording_file();
  result_.invalid_bytes = log_->invalid_bytes();
  const Status written = log_->finish(result_);
  if (written || result_.reason == event::ExitReason::kInternal) return;
  result_.reason = event::ExitReason::kInternal;
  result_.code = event::exit_code(result_.reason);
  result_.detail = written.error().text;
}

}  // namespace orch::session
