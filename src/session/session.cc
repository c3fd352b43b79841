#include "session/session.h"

#include <algorithm>

#include "base/text.h"
#include "session/environment.h"
#include "store/atomic_file.h"
#include "store/issue_name.h"
#include "store/json_text.h"
#include "store/session_file.h"
#include "store/time_text.h"
#include "term/keys.h"

namespace orch::session {

using base::Status;
using event::AgentStatus;

namespace {

// Between two keys: applications take what follows an Escape within their timeout, 50 ms at most in
// the libraries that agents use, for the rest of a sequence.
constexpr int64_t kKeyGapMs = 60;
constexpr size_t kMaxKeys = 100;  // of one request

store::TimePoint wall_clock() { return std::chrono::system_clock::now(); }

std::string key_bytes_of(const std::vector<std::string>& names, const term::Modes& modes) {
  const auto cursor_keys =
      modes.application_cursor ? term::CursorKeys::kApplication : term::CursorKeys::kNormal;
  std::string bytes;
  for (const std::string& name : names) {
    bytes += term::key_bytes(name, cursor_keys).value_or("");
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
  if (started) session->open_hooks();
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
      view_(*setup_.manifest, *setup_.rules, setup_.size, 0),
      machine_(setup_.plan, *setup_.manifest, 0),
      tick_(loop),
      key_timer_(loop) {}

Session::~Session() = default;

Status Session::open_files() {
  if (Status s = store::write_file(dir_.prompt_file(), setup_.plan.prompt); !s) return s;
  if (Status s = store::write_file(dir_.record_file(),
                                   store::to_json(record(store::RunStatus::kStarting)));
      !s) {
    return s;
  }
  base::Result<store::EventLog> events = store::EventLog::open(dir_.events_file());
  if (!events) return events.error();
  events_ = std::move(events).value();
  if (!setup_.record.keep) {
    recording_ = store::Recording::none();
    return base::Ok{};
  }
  base::Result<store::EventLog> transcript = store::EventLog::open(dir_.transcript_file());
  if (!transcript) return transcript.error();
  transcript_ = std::move(transcript).value();
  store::CastHeader header;
  header.cols = setup_.size.cols;
  header.rows = setup_.size.rows;
  header.timestamp = std::chrono::system_clock::to_time_t(started_);
  header.title = store::session_name(setup_.issue);
  header.agent = setup_.manifest->name;
  header.env = {{"TERM", "xterm-256color"}};
  base::Result<std::unique_ptr<store::Recording>> recording =
      store::Recording::create(dir_.recording_file(), header, setup_.record.limit_bytes);
  if (!recording) return recording.error();
  recording_ = std::move(recording).value();
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

Status Session::spawn() {
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
  event::StatusChange start;
  start.status = AgentStatus::kStarting;
  publish(start);
  check(store::write_file(dir_.record_file(), store::to_json(record(store::RunStatus::kRunning))));
  act();
  schedule();
  return base::Ok{};
}

void Session::on_output(std::string_view bytes) {
  const TimeMs at = now();
  check(recording_->output(at, bytes));
  std::string replies = view_.on_output(at, bytes);
  if (!replies.empty()) {
    check(recording_->input(at, replies));
    pty_->write(std::move(replies));
  }
  sink_.on_raw(bytes);
  tell(view_.take_flood());
  // Inside a flood the loop comes to its timers late; what is due is looked at here.
  if (view_.next_deadline() <= at) look();
  act();
  schedule();
}

void Session::on_notice(std::string_view notice) {
  check(recording_->marker(now(), "notice=" + std::string(notice)));
  view_.on_notice(now(), notice);
  schedule();
}

void Session::on_tick() {
  look();
  check(recording_->flush());
  act();
  schedule();
}

void Session::look() {
  const TimeMs at = now();
  if (view_.next_deadline() <= at) take(view_.on_timer(at));
  machine_.on_look(at, run::view_of(view_.detector(), view_.screen()), view_.detector());
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
void Session::tell(std::vector<run::Line> lines) {
  if (lines.empty()) return;
  std::string json = event::to_json(stamp(), event::Output{});
  const size_t text_at = json.size() - 2;  // the empty text's place: ..."text":""}
  for (run::Line& line : lines) {
    machine_.on_line(line);
    json.resize(text_at);
    store::append_json_text(json, line.text);
    json += "\"}";
    keep(line.text, json);
    sink_.on_event(event::Output{std::move(line.text)}, json);
  }
  check(events_->flush());
  if (transcript_) check(transcript_->flush());
}

void Session::act() {
  for (const run::Action& action : machine_.take_actions()) {
    std::visit([this](const auto& a) { perform(a); }, action);
  }
}

void Session::perform(const run::Write& write) {
  const TimeMs at = now();
  check(recording_->input(at, is_secret() ? masked(write.bytes) : write.bytes));
  view_.on_input(at, write.bytes);
  pty_->write(write.bytes);
}

// A password, or the key that a login asks for.
bool Session::is_secret() const {
  const detect::Detector& detector = view_.detector();
  return pty_->asks_secret() ||
         (detector.status() == AgentStatus::kWaiting && detector.cause() == event::Cause::kLogin);
}

void Session::perform(const run::StopAgent& stop) {
  using Manner = run::StopAgent::Manner;
  const adapters::QuitSpec& quit = setup_.manifest->quit;
  view_.close_transcript();
  stopping_ = true;
  resume_output();
  switch (stop.manner) {
    case Manner::kPolitely:
      pty_->stop(key_bytes_of(quit.keys, view_.screen().modes()), quit.wait_ms);
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
  const event::Stamp at = stamp();
  const std::string json = event::to_json(at, event);
  check(events_->append(json));
  if (const auto* change = std::get_if<event::StatusChange>(&event)) {
    check(recording_->marker(at.ms, "status=" + event::status_text(change->status, change->cause)));
    if (change->status != AgentStatus::kExited) {
      status_at_end_ = change->status;
      cause_at_end_ = change->cause;
    }
  }
  sink_.on_event(event, json);
}

// The agent's words; up to the record's limit, as the recording.
void Session::keep(std::string_view words, std::string_view json) {
  if (!setup_.record.keep) return;
  const auto limit = static_cast<uint64_t>(setup_.record.limit_bytes);
  if (events_->size() < limit) check(events_->add(json));
  if (transcript_->size() < limit) check(transcript_->add(base::printable(words)));
}

void Session::schedule() {
  const TimeMs next = std::min(view_.next_deadline(), machine_.next_deadline());
  if (next == detect::kNever) {
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
  const auto cursor_keys = view_.screen().modes().application_cursor
                               ? term::CursorKeys::kApplication
                               : term::CursorKeys::kNormal;
  if (names.size() > kMaxKeys) {
    return base::usage_error("more than " + std::to_string(kMaxKeys) + " keys at once");
  }
  std::deque<std::string> keys;
  for (const std::string& name : names) {
    const std::optional<std::string> bytes = term::key_bytes(name, cursor_keys);
    if (!bytes) {
      return base::usage_error("\"" + base::printable(name) +
                               "\" is no key; write Escape, C-c, Enter, Up, Tab, 1, ...");
    }
    keys.push_back(*bytes);
  }
  keys_.insert(keys_.end(), keys.begin(), keys.end());
  if (!key_timer_.active()) type_next_key();
  return base::Ok{};
}

void Session::type_next_key() {
  if (keys_.empty() || stopping_) return;
  perform(run::Write{std::move(keys_.front())});
  keys_.pop_front();
  schedule();
  key_timer_.start(kKeyGapMs, [this] { type_next_key(); });
}

void Session::fail(std::string why) {
  machine_.on_failure(std::move(why));
  act();
}

void Session::resize(term::Size size) {
  view_.on_resize(now(), size);
  check(recording_->resize(now(), size.cols, size.rows));
  pty_->resize(size.cols, size.rows);
  schedule();
}

void Session::pause_output() {
  if (!stopping_) pty_->pause_reading();
}

void Session::on_end(pty::ExitStatus status) {
  tick_.stop();
  key_timer_.stop();
  hooks_.reset();
  take(view_.on_exit(now()));
  containment_.kill();
  check(recording_->finish(now()));
  machine_.on_exit(status.code, status.signal);
  for (const run::Action& action : machine_.take_actions()) {
    if (const auto* tell = std::get_if<run::Tell>(&action)) perform(*tell);
  }
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
  result_.invalid_bytes = recording_->invalid_bytes();
  Status written = store::write_file(dir_.result_file(), store::to_json(result_));
  if (written) {
    written = store::write_file(dir_.record_file(),
                                store::to_json(record(store::status_after(verdict.reason))));
  }
  if (written || result_.reason == event::ExitReason::kInternal) return;
  result_.reason = event::ExitReason::kInternal;
  result_.code = event::exit_code(result_.reason);
  result_.detail = written.error().text;
}

event::Stamp Session::stamp() const {
  return {.ms = now(),
          .time = store::rfc3339_utc(wall_clock()),
          .session = store::session_name(setup_.issue),
          .run = dir_.id()};
}

store::RunRecord Session::record(store::RunStatus status) const {
  store::RunRecord record;
  record.id = dir_.id();
  record.issue = setup_.issue;
  record.session = store::session_name(setup_.issue);
  record.agent = setup_.manifest->name;
  record.argv = setup_.launch.argv;
  record.cwd = setup_.cwd;
  record.repository = setup_.repository;
  record.manager = "native";
  record.manager_reason = "a foreground run is its own session";
  record.status = status;
  record.started = store::rfc3339_utc(started_);
  record.keep_for_ms = setup_.record.keep_for_ms;
  if (status != store::RunStatus::kStarting && status != store::RunStatus::kRunning) {
    record.ended = store::rfc3339_utc(wall_clock());
  }
  return record;
}

}  // namespace orch::session
