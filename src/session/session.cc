#include "session/session.h"

#include <algorithm>

#include "run/limit_reset.h"
#include "session/environment.h"
#include "session/surroundings.h"
#include "store/issue_name.h"
#include "store/json_text.h"
#include "store/session_file.h"
#include "store/time_text.h"
#include "term/keys.h"
#include "term/render.h"

namespace orch::session {

using base::Status;
using event::AgentStatus;

namespace {

constexpr int kMostRestarts = 3;                      // that an agent may ask for
constexpr std::string_view kClearTerminal = "\033c";  // RIS

store::TimePoint wall_clock() { return std::chrono::system_clock::now(); }

term::CursorKeys cursor_keys_of(const term::Modes& modes) {
  return modes.application_cursor ? term::CursorKeys::kApplication : term::CursorKeys::kNormal;
}

std::string key_bytes_of(const std::vector<std::string>& names, const term::Modes& modes) {
  std::string bytes;
  for (const std::string& name : names) {
    bytes += term::key_bytes(name, cursor_keys_of(modes)).value_or("");
  }
  return bytes;
}

// Each printable byte as a star; a key (the beginning of a paste is longer) stays what it is.
std::string masked(std::string bytes) {
  constexpr size_t kLongestKey = 5;
  if (bytes.starts_with('\x1b') && bytes.size() <= kLongestKey) return bytes;
  for (char& byte : bytes) {
    if (static_cast<unsigned char>(byte) > ' ' && byte != '\x7f') byte = '*';
  }
  return bytes;
}

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
  Status started = session->open_files();
  if (started) started = session->spawn();
  if (!started) {
    session.reset();
    made.discard();
    if (guardian != nullptr) guardian->release(made.id());
    return started.error();
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
      containment_(dir_.id(), pty::Cgroup::create(pty::own_cgroup(), dir_.id())),
      started_ms_(loop.now_ms()),
      started_(wall_clock()),
      view_(std::in_place, *setup_.manifest, *setup_.rules, setup_.size, 0),
      machine_(setup_.plan, *setup_.manifest, 0),
      tick_(loop),
      life_timer_(loop),
      keys_(loop, {.is_free = [this] { return !machine_.holds_keyboard(); },
                   .write = [this](std::string key) { type(std::move(key)); },
                   .on_done = [this] { on_tick(); }}) {}  // a message may have waited

Session::~Session() = default;

Status Session::open_files() {
  base::Result<RunFiles> files = RunFiles::open(dir_, setup_, started_);
  if (!files) return files.error();
  files_.emplace(std::move(files).value());
  open_hooks();
  return base::Ok{};
}

// Hooks are a second source: where there can be no pipe, the screen has to do.
void Session::open_hooks() {
  const adapters::HookSpec& spec = setup_.manifest->hooks;
  if (spec.arguments.empty() || setup_.hook_program.empty()) return;
  base::Result<std::unique_ptr<HookChannel>> hooks =
      HookChannel::open(loop_, dir_, spec, setup_.hook_program,
                        [this](std::string_view notice) { on_notice(notice); });
  if (!hooks) return;
  hooks_ = std::move(hooks).value();
  adapters::LaunchPlan& launch = setup_.launch;
  launch.argv.insert(launch.argv.end(), hooks_->arguments().begin(), hooks_->arguments().end());
  launch.env.insert(hooks_->environment().begin(), hooks_->environment().end());
}

Status Session::spawn_agent() {
  const pty::SpawnPlan plan{
      .argv = setup_.launch.argv,
      .cwd = setup_.cwd,
      .env = agent_environment(own_environment(), setup_.launch.env, dir_.id()),
      .cols = setup_.size.cols,
      .rows = setup_.size.rows,
      .run = &containment_};
  base::Result<std::unique_ptr<pty::Pty>> spawned = pty::Pty::spawn(loop_, plan, *this);
  if (!spawned) return spawned.error();
  pty_ = std::move(spawned).value();
  return base::Ok{};
}

Status Session::spawn() {
  if (Status s = spawn_agent(); !s) return s;
  publish(files_->head());
  event::StatusChange start;
  start.status = AgentStatus::kStarting;
  publish(start);
  check(files_->mark_running());
  act();
  schedule();
  return base::Ok{};
}

void Session::on_output(std::string_view bytes) {
  const TimeMs at = now();
  const bool late = catch_up(at);
  check(files_->recording().output(at, bytes));
  std::string replies = view_->on_output(at, bytes);
  if (!replies.empty()) {
    check(files_->recording().input(at, replies));
    pty_->write(std::move(replies));
  }
  sink_.on_raw(bytes);
  tell(view_->take_flood());
  if (late) machine_.on_look(at, input_view(), view_->detector(), view_->screen());
  act();
  schedule();
}

void Session::on_notice(std::string_view notice) {
  catch_up(now());
  check(files_->recording().marker(now(), "notice=" + std::string(notice)));
  view_->on_notice(now(), notice);
  schedule();
}

void Session::on_tick() {
  look();
  check(files_->recording().flush());
  act();
  schedule();
}

void Session::look() {
  const TimeMs at = now();
  catch_up(at + 1);
  machine_.on_look(at, input_view(), view_->detector(), view_->screen());
}

// What was due before `until`. The loop may come to a timer late, inside a flood or on a busy
// machine; each look is then made as of when it was due, and before any newer output, as a replay
// does. Returns whether there was any.
bool Session::catch_up(TimeMs until) {
  bool any = false;
  for (TimeMs due = view_->next_deadline(); due < until; due = view_->next_deadline()) {
    take(view_->on_timer(due));
    any = true;
  }
  return any;
}

driver::InputView Session::input_view() const {
  driver::InputView view = driver::view_of(view_->detector(), view_->screen());
  view.canonical = pty_->canonical();
  view.keyboard_busy = keyboard_held_ || keys_.busy();
  return view;
}

// Lines were settled before the status changed: they belong to the turn that it ends.
void Session::take(Sighting sighting) {
  tell(std::move(sighting.lines));
  for (const event::StatusChange& change : sighting.changes) {
    if (stopping_ && change.status != AgentStatus::kExited) continue;
    publish(change);
    machine_.on_status(now(), change);
  }
}

// There may be many: their records differ in the text alone, and are written together.
void Session::tell(std::vector<agent::Line> lines) {
  if (lines.empty()) return;
  std::string json = event::to_json(now(), event::Output{});
  const size_t text_at = json.size() - 2;  // the empty text's place: ..."text":""}
  for (agent::Line& line : lines) {
    machine_.on_line(line);
    json.resize(text_at);
    store::append_json_text(json, line.text);
    json += "\"}";
    check(files_->words(line.text, json));
    sink_.on_event(event::Output{std::move(line.text)}, json);
  }
  check(files_->flush_words());
}

void Session::act() {
  for (const run::Action& action : machine_.take_actions()) {
    std::visit([this](const auto& a) { perform(a); }, action);
  }
}

void Session::perform(const run::Write& write) {
  const TimeMs at = now();
  check(files_->recording().input(at, is_secret() ? masked(write.bytes) : write.bytes));
  view_->on_input(at, write.bytes);
  pty_->write(write.bytes);
}

// A password, or the key that a login asks for.
bool Session::is_secret() const {
  const detect::Detector& detector = view_->detector();
  return pty_->asks_secret() ||
         (detector.status() == AgentStatus::kWaiting && detector.cause() == event::Cause::kLogin);
}

void Session::perform(const run::StopAgent& stop) {
  using Manner = run::StopAgent::Manner;
  const adapters::QuitSpec& quit = setup_.manifest->quit;
  view_->close_transcript();
  stopping_ = true;
  resume_output();
  switch (stop.manner) {
    case Manner::kPolitely:
      pty_->stop(key_bytes_of(quit.keys, view_->screen().modes()), quit.wait_ms);
      break;
    case Manner::kTerminate:
      pty_->stop("", 0);
      break;
    case Manner::kNow:
      pty_->stop("", 0, 0);
      break;
  }
}

void Session::perform(const run::Tell& tell) { publish(tell.event); }

void Session::publish(const event::Event& event) {
  const TimeMs at = now();
  const std::string json = event::to_json(at, event);
  check(files_->event(json));
  if (const auto* change = std::get_if<event::StatusChange>(&event)) {
    check(files_->recording().marker(
        at, "status=" + event::status_text(change->status, change->cause)));
    if (change->status != AgentStatus::kExited) {
      status_at_end_ = change->status;
      cause_at_end_ = change->cause;
    }
  }
  sink_.on_event(event, json);
}

void Session::schedule() {
  const TimeMs next = std::min(view_->next_deadline(), machine_.next_deadline());
  if (next == base::kNever) {
    tick_.stop();
  } else {
    tick_.start(next - now(), [this] { on_tick(); });
  }
}

// A file of the run cannot be written: the run ends as orch's own failure.
void Session::check(const Status& status) {
  if (status || failed_) return;
  failed_ = true;
  machine_.on_failure(status.error().text);
}

void Session::on_signal(int signum) {
  machine_.on_signal(signum);
  act();
}

void Session::kill(bool at_once) {
  machine_.on_kill(at_once);
  act();
}

Status Session::type_keys(const std::vector<std::string>& names) {
  return keys_.type(names, cursor_keys_of(view_->screen().modes()));
}

void Session::hold_keyboard(bool held) {
  keyboard_held_ = held;
  tick_.start(0, [this] { on_tick(); });
}

void Session::type(std::string bytes) {
  if (stopping_) return;
  catch_up(now());
  perform(run::Write{std::move(bytes)});
  schedule();
}

base::Result<std::string> Session::send(run::SendRequest request, OnReport on_report) {
  if (!setup_.manifest->idle_known) {
    return base::usage_error("agent " + setup_.manifest->name +
                             " takes no messages: when it is ready for one is not known");
  }
  const std::string id = machine_.send(std::move(request), now());
  on_report_.emplace(id, std::move(on_report));
  tick_.start(0, [this] { on_tick(); });
  return id;
}

void Session::withdraw(const std::string& id) {
  on_report_.erase(id);
  machine_.withdraw(id, now());
  tick_.start(0, [this] { on_tick(); });
}

void Session::perform(const run::Report& report) {
  const auto found = on_report_.find(report.report.id);
  if (found == on_report_.end()) return;
  const OnReport on_report = std::move(found->second);
  on_report_.erase(found);
  on_report(report.report);
}

void Session::perform(const run::FindLimitEnd&) {
  machine_.on_limit_end(now(), run::wait_until_reset_s(term::render_text(screen()), local_time()));
  tick_.start(0, [this] { on_tick(); });
}

void Session::perform(const run::FindLifeSigns& find) {
  life_timer_.start(find.for_ms, [this, before = pty::read_life_signs(pty_->pid())] {
    const pty::LifeSigns after = pty::read_life_signs(pty_->pid());
    result_.evidence = evidence_of(before, after);
    machine_.on_life_signs(now(), pty::shows_life(before, after), result_.evidence);
    act();
    schedule();
  });
}

Status Session::reset(OnReset on_done) {
  if (Status s = machine_.reset(now()); !s) return s;
  on_reset_ = std::move(on_done);
  tick_.start(0, [this] { on_tick(); });
  return base::Ok{};
}

void Session::perform(const run::RestartAgent&) {
  restarting_ = true;
  pty_->stop("", 0);
}

void Session::perform(const run::TellReset& reset) {
  if (on_reset_) std::exchange(on_reset_, nullptr)(reset.how);
}

void Session::fail(std::string why) {
  machine_.on_failure(std::move(why));
  act();
}

void Session::resize(term::Size size) {
  setup_.size = size;
  catch_up(now());
  view_->on_resize(now(), size);
  check(files_->recording().resize(now(), size.cols, size.rows));
  pty_->resize(size.cols, size.rows);
  schedule();
}

void Session::pause_output() {
  if (!stopping_) pty_->pause_reading();
}

// In place of the process that has ended another one is started, on a clear screen. False: not now.
bool Session::restart() {
  if (stopping_) return false;
  const AgentStatus before = view_->detector().status();
  tell(view_->on_exit(now()).lines);
  containment_.kill();
  check(files_->recording().output(now(), kClearTerminal));
  view_.emplace(*setup_.manifest, *setup_.rules, setup_.size, now());
  restarting_ = false;
  if (Status s = spawn_agent(); !s) {
    machine_.on_failure("the agent cannot be started again: " + s.error().text);
    return false;
  }
  event::StatusChange start;
  start.status = AgentStatus::kStarting;
  start.from = before;
  publish(start);
  machine_.on_status(now(), start);
  machine_.on_restart(now());
  act();
  schedule();
  return true;
}

void Session::on_end(pty::ExitStatus status) {
  tick_.stop();
  keys_.stop();
  life_timer_.stop();
  const int restart_code = setup_.manifest->restart_code;
  const bool asks = restart_code != 0 && status.signal == 0 && status.code == restart_code &&
                    restarts_++ < kMostRestarts;
  if ((restarting_ || asks) && restart()) return;
  hooks_.reset();
  take(view_->on_exit(now()));
  containment_.kill();
  check(files_->recording().finish(now()));
  machine_.on_exit(status.code, status.signal);
  for (const run::Action& action : machine_.take_actions()) {
    if (const auto* tell = std::get_if<run::Tell>(&action)) perform(*tell);
    if (const auto* report = std::get_if<run::Report>(&action)) perform(*report);
  }
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
  result_.invalid_bytes = files_->recording().invalid_bytes();
  const Status written = files_->finish(result_);
  if (written || result_.reason == event::ExitReason::kInternal) return;
  result_.reason = event::ExitReason::kInternal;
  result_.code = event::exit_code(result_.reason);
  result_.detail = written.error().text;
}

}  // namespace orch::session
