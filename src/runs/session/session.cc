#include "session/session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "adapters/hook.h"
#include "base/log.h"
#include "base/text.h"
#include "base/uuid.h"
#include "detect/notice.h"
#include "event/exit_reason.h"
#include "mask/text.h"
#include "run/limit_reset.h"
#include "session/surroundings.h"
#include "store/issue_name.h"
#include "store/session_file.h"
#include "term/keys.h"
#include "term/screen.h"

namespace orch::session {

using base::Status;
using event::AgentStatus;

namespace {

constexpr std::string_view kClearTerminal = "\033c";  // RIS, the full reset of a terminal

bool is_for_agent(const run::Action& action) {
  return std::holds_alternative<agent::Command>(action) ||
         std::holds_alternative<run::StopAgent>(action) ||
         std::holds_alternative<run::RestartAgent>(action) ||
         std::holds_alternative<run::FindLifeSigns>(action);
}

base::Error has_ended() { return {base::ErrorCode::kNotFound, "the session ended"}; }

int64_t unix_ms(store::TimePoint time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

}  // namespace

base::Result<std::unique_ptr<Session>> Session::start(loop::Loop& loop, SessionSetup setup,
                                                      SessionSink& sink,
                                                      std::function<void()> on_ended) {
  AccountWatch account(setup);
  if (account.known()) setup.plan.limited_until_ms = unix_ms(account.known()->until);
  base::Result<store::RunDir> dir =
      store::RunDir::create(setup.state_dir, std::chrono::system_clock::now(), setup.issue);
  if (!dir) return dir.error();
  const store::RunDir made = *dir;
  pty::Guardian* guardian = setup.guardian;
  if (guardian != nullptr) {  // before any file says that the run is alive
    guardian->watch({.run = made.id(),
                     .run_dir = made.path(),
                     .session_key = store::session_key(setup.issue, setup.repository)});
  }
  std::unique_ptr<Session> session(new Session(loop, std::move(setup), std::move(dir).value(),
                                               std::move(account), sink, std::move(on_ended)));
  if (Status opened = session->open(); !opened) {
    const bool kept = session->start_kept_;
    std::string cgroup =
        guardian != nullptr && session->agent_ ? session->agent_->leave_cgroup() : "";
    session.reset();
    if (!kept) made.discard();
    if (guardian != nullptr) guardian->release(made.id(), std::move(cgroup));
    return opened.error();
  }
  return session;
}

Session::Session(loop::Loop& loop, SessionSetup setup, store::RunDir dir, AccountWatch account,
                 SessionSink& sink, std::function<void()> on_ended)
    : loop_(loop),
      setup_(std::move(setup)),
      dir_(std::move(dir)),
      account_(std::move(account)),
      sink_(sink),
      on_ended_(std::move(on_ended)),
      started_ms_(loop.now_ms()),
      started_(std::chrono::system_clock::now()),
      driver_(setup_.driver(setup_, 0)),
      machine_(setup_.plan, 0),
      tick_(loop),
      leave_timer_(loop),
      last_resort_(loop,
                   [this](const std::string& what) {
                     base::log_warn("session", "waits for " + what, dir_.id());
                     sink_.on_waiting(what);
                   }),
      keyboard_(loop, {.orch_types = [this] { return driver_->holds_keyboard(); },
                       .write = [this](std::string key) { type(std::move(key)); },
                       .on_change = [this] { soon(); }}) {}

Session::~Session() = default;

Status Session::open() {
  if (setup_.mode == Mode::kInteractive) {
    adapters::set_session(setup_.manifest->session, adapters::SessionStart::kAsPlanned,
                          base::random_uuid(), setup_.launch);
  }
  base::Result<RunLog> log = RunLog::open(loop_, dir_, setup_, started_, sink_);
  if (!log) return log.error();
  log_.emplace(std::move(log).value());
  if (Status s = open_gateway(); !s) return s;
  agent_ = std::make_unique<AgentProcess>(loop_, setup_, dir_,
                                          [this](std::string_view notice) { on_notice(notice); });
  set_up_watches();
  set_up_checks();
  set_up_call_check();
  if (Status s = agent_->start(*this); !s) {
    // A start that failed because resources ran out may succeed once other sessions have ended.
    if (!setup_.waits_for_room || s.error().code != base::ErrorCode::kShortage) {
      keep_failed_start(s.error());
    }
    return s;
  }
  note_start();
  prepare_looks();
  tell_known_limit();
  log_->on_failure([this](std::string what) { fail(std::move(what)); });
  log_->begin(now());
  record_widths();
  event::StatusChange start;
  start.status = AgentStatus::kStarting;
  log_->tell(now(), start);
  log_->mark_running();
  soon();
  return base::Ok{};
}

// The gateway is there before the agent, which gets its address.
Status Session::open_gateway() {
  if (!setup_.gateway) return base::Ok{};
  base::Result<std::unique_ptr<agent::ModelGateway>> gateway = setup_.gateway(
      loop_, setup_.cwd,
      {.on_usage =
           [this](const event::Usage& usage) {
             log_->tell(now(), usage);
             machine_.on_news(now(), usage);
             soon();
           },
       .on_used_up =
           [this](const std::string& limit) {
             machine_.on_used_up(limit);
             sink_.on_note(limit + "; the agent's next request was answered by orch");
           },
       .on_note = [this](const std::string& note) { sink_.on_note(note); },
       .on_asking =
           [this](bool asks) {
             if (is_over()) return;
             take_notice(asks ? detect::kModelAsked : detect::kModelAnswered);
             soon();
           },
       .on_off_tape =
           [this](const std::string& why) {
             machine_.on_off_tape(why);
             soon();
           },
       .on_failure = [this](const std::string& why) { fail(why); }});
  if (!gateway) return gateway.error();
  gateway_ = std::move(gateway).value();
  fence::Network* network = setup_.fence ? &setup_.fence->network : nullptr;
  if (network != nullptr && network->kind == fence::Network::Kind::kModel) {
    if (Status s = gateway_->move_into_fence(dir_.path()); !s) return s;
    setup_.fence->exit_port = gateway_->port();
  }
  const agent::ModelGateway::Words words = gateway_->words();
  adapters::LaunchPlan& launch = setup_.launch;
  launch.argv.insert(launch.argv.end(), words.arguments.begin(), words.arguments.end());
  for (const auto& [name, value] : words.env) launch.env[name] = value;
  setup_.agent_settings = words.settings;
  setup_.outside = words.outside;
  if (network != nullptr && network->kind == fence::Network::Kind::kPorts) {
    network->ports.push_back(gateway_->port());
  }
  return base::Ok{};
}

// Compiles the patterns while the agent starts, so that its first output finds them ready. Few of
// them are ever needed for a program without a known prompt.
void Session::prepare_looks() const {
  if (setup_.mode != Mode::kInteractive || !setup_.manifest->idle_known) return;
  setup_.rules->prepare();
  if (setup_.speakers) setup_.speakers->prepare();
}

// Readers of the recording do not know the manifest.
void Session::record_widths() {
  const bool on_screen = setup_.mode == Mode::kInteractive;
  if (on_screen && !setup_.manifest->emoji_sequences) log_->output(now(), term::kCountCodePoints);
}

void Session::set_up_watches() {
  watches_.emplace(loop_, setup_, *agent_, dir_.id(), started_,
                   Watches::Told{.on_life =
                                     [this](bool alive, const std::string& evidence) {
                                       on_life_signs(alive, evidence);
                                     },
                                 .on_usage =
                                     [this](const event::Usage& usage) {
                                       if (setup_.gateway) return;
                                       log_->tell(now(), usage);
                                       machine_.on_news(now(), usage);
                                     },
                                 .on_own_session =
                                     [this](const AgentTranscriptFile::OwnSession& own) {
                                       log_->take_agent_session(own.id, own.version);
                                     },
                                 .on_record_line =
                                     [this](std::string_view line) {
                                       if (setup_.plan.check_calls) call_check_->hear_record(line);
                                     }});
}

void Session::set_up_call_check() {
  call_check_.emplace(
      *setup_.manifest, setup_.cwd, store::rfc3339_utc(started_),
      CallCheck::Told{
          .on_start = [this] { machine_.on_calls_checked(); },
          .on_call = [this](agent::ToolCall call) { machine_.on_call(now(), std::move(call)); },
          .on_gone = [this](const std::string& id) { machine_.on_call_gone(now(), id); },
          .on_unread =
              [this](const std::string& why) {
                base::log_error("calls", why, dir_.id());
                machine_.on_call_unread(why);
              }});
}

void Session::tell_known_limit() const {
  if (!account_.known()) return;
  const bool waits = setup_.plan.on_limit == run::OnLimit::kWait;
  const std::string note = store::describe(*account_.known()) +
                           (waits ? ": it is waited for; to start now, remove " : ", see ") +
                           account_.known()->file;
  base::log_warn("session", note, dir_.id());
  sink_.on_note(note);
}

void Session::note_start() const {
  base::log_info("session",
                 store::session_name(setup_.issue) + ": " + setup_.launch.argv.front() + " (" +
                     setup_.manifest->name + "), pid " + std::to_string(agent_pid()) + ", in " +
                     setup_.cwd + ", " + std::to_string(setup_.size.cols) + "x" +
                     std::to_string(setup_.size.rows),
                 dir_.id());
  const AgentFence* fence = agent_->fence();
  if (fence == nullptr || !fence->plan().layers.any()) return;
  std::string layers;
  for (const std::string_view layer : fence::names(fence->plan().layers)) {
    layers.append(layer).append(", ");
  }
  base::log_info("fence", layers + "network " + fence::to_text(fence->plan().network), dir_.id());
}

void Session::on_output(std::string_view bytes) {
  const TimeMs at = now();
  watches_->on_output();
  log_->output(at, bytes);
  std::string replies = driver_->on_output(at, bytes);
  if (!replies.empty() && !agent_->source().answers_queries()) {
    log_->input(at, replies);
    agent_->source().write(std::move(replies));
  }
  sink_.on_raw(bytes);
  pump();
}

void Session::on_error_output(std::string_view bytes) {
  driver_->on_error_output(now(), bytes);
  pump();
}

void Session::on_notice(std::string_view notice) {
  take_notice(notice);
  pump();
}

void Session::take_notice(std::string_view notice) {
  log_->notice(now(), notice);
  driver_->on_notice(now(), notice);
}

// The hook's event is also a notice of the agent's status.
std::string Session::call(std::string_view json, CallCheck::OnDecided on_decided) {
  if (!setup_.plan.check_calls) {
    on_decided(std::nullopt);
    return "";
  }
  std::string id = call_check_->take(json, std::move(on_decided));
  const std::string notice = adapters::notice_of(json);
  if (!notice.empty() && !is_over()) take_notice(notice);
  soon();
  return id;
}

void Session::forget_call(const std::string& id) {
  call_check_->forget(id);
  soon();
}

void Session::perform(const run::DecideCall& decide) {
  call_check_->decide(decide.call, decide.decision);
}

void Session::perform(const run::ShowCall& show) {
  take_notice(show.waits ? detect::kCallWaits : detect::kCallGoesOn);
}

void Session::on_tick() {
  see_surroundings();
  driver_->on_timer(now());
  log_->flush(now());
  machine_.on_clocks(now(), clocks());
  machine_.on_time(now(), driver_->last_output());
  pump();
}

// Requests from outside are acted upon from the loop, because callers expect no callbacks from
// inside their call.
void Session::soon() {
  if (has_verdict()) return;
  tick_.start(0, [this] { on_tick(); });
}

void Session::see_surroundings() {
  driver_->on_surroundings(now(), {.keyboard_held = keyboard_.held(),
                                   .attended = keyboard_.attended(),
                                   .canonical = agent_->source().canonical(),
                                   .resizable = resizable()});
}

// Whether the terminal may be made higher for a while: nobody looks at it, and nobody else decides.
bool Session::resizable() const {
  return phase_ == Phase::kRunning && !agent_->source().decides_size() && !keyboard_.attended();
}

// Gives the terminal the rows that the driver wants for a dialog, and takes them back after it.
bool Session::fit_rows() {
  const std::optional<int> wanted = resizable() ? driver_->wanted_rows() : std::nullopt;
  const int rows = wanted.value_or(own_rows_.value_or(setup_.size.rows));
  if (is_over() || rows == setup_.size.rows) return false;
  if (!own_rows_) own_rows_ = setup_.size.rows;
  if (!wanted) own_rows_.reset();
  set_size({setup_.size.cols, rows});
  return true;
}

// Carries news to the run's logic, and its commands to the driver, until neither has anything left.
void Session::pump() {
  machine_.settle(now(), driver_->last_output());
  bool more = true;
  while (more) {
    more = take_launch();
    more = take_news() || more;  // before the writes that it announces: a killed host has noted
                                 // them
    more = take_writes() || more;
    more = take_actions() || more;
    more = fit_rows() || more;
  }
  if (phase_ == Phase::kGone && machine_.ended()) return on_verdict();
  schedule();
  note_fix_turns();
  sink_.on_settled();
}

bool Session::take_writes() {
  std::vector<std::string> writes = driver_->take_writes();
  for (std::string& bytes : writes) write(std::move(bytes));
  return !writes.empty();
}

// The process of the turn before, whose output has been read to the end, is destroyed by
// start_turn().
bool Session::take_launch() {
  const std::optional<driver::Launch> launch = driver_->take_launch();
  if (!launch) return false;
  if (phase_ != Phase::kRunning) return true;
  if (Status s = agent_->start_turn(*launch, *this); !s) machine_.on_failure(s.error().text);
  log_->input(now(), launch->input);
  return true;
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
  if (!news.empty()) machine_.settle(now(), driver_->last_output());
  return !news.empty();
}

void Session::tell(std::vector<agent::Line>& lines) {
  note_refusals(lines);
  log_->tell(now(), turn_words_.pass(std::exchange(lines, {})));
}

// Only the user is notified: the agent must not learn that a file exists.
void Session::note_refusals(const std::vector<agent::Line>& lines) {
  const AgentFence* fence = agent_->fence();
  if (fence == nullptr || lines.empty()) return;
  if (!refused_reads_) {
    refused_reads_.emplace(fence->plan(), setup_.cwd);
    refused_reach_ = RefusedReach(fence->plan());
  }
  for (const agent::Line& line : lines) {
    for (const std::string& path : refused_reads_->look(line.text, line.continues)) {
      const std::string name = mask::masked(setup_.secrets, base::printable(path));
      sink_.on_note("the agent was refused " + name +
                    ": of your home its fence shows only what is listed in docs/fence.md; --read " +
                    name + " adds it");
    }
    for (const ReachRefusal& refusal : refused_reach_.look(line.text, line.continues)) {
      const std::string note = note_of(refusal, fence->plan().network, setup_.issue);
      sink_.on_note(mask::masked(setup_.secrets, note));
    }
  }
}

void Session::hear(const agent::News& news) {
  if (const auto* change = std::get_if<event::StatusChange>(&news)) {
    const bool exited = change->status == AgentStatus::kExited;
    if (phase_ != Phase::kRunning && !exited) return;
    log_->tell(now(), *change);
    watches_->on_status(change->status);
    base::log_debug("status", event::status_text(change->status, change->cause), dir_.id());
    if (!exited) {
      status_at_end_ = change->status;
      cause_at_end_ = change->cause;
      see_limit(change->cause);
    }
  }
  if (std::holds_alternative<agent::MessageTyped>(news))
    delivered_.typed = std::chrono::system_clock::now();
  if (const auto* entered = std::get_if<agent::MessageEntered>(&news)) {
    sink_.on_enter(entered->id);
  }
  if (std::holds_alternative<agent::MessageAccepted>(news)) {
    watches_->on_message_taken(delivered_.text, delivered_.typed);
  }
  if (const auto* tool = std::get_if<event::Tool>(&news)) {
    log_->tell(now(), *tool);
    if (setup_.plan.check_calls) call_check_->hear_tool(*tool);
  }
  if (const auto* usage = std::get_if<event::Usage>(&news)) {
    if (setup_.gateway || watches_->counts_usage()) return;
    log_->tell(now(), *usage);
  }
  if (std::holds_alternative<agent::TurnEnded>(news)) end_turn();  // before the turn counts as over
  machine_.on_news(now(), news);
}

bool Session::take_actions() {
  const std::vector<run::Action> actions = machine_.take_actions();
  for (const run::Action& action : actions) {
    if (is_over() && is_for_agent(action)) continue;  // the agent has ended
    std::visit([this](const auto& one) { perform(one); }, action);
  }
  return !actions.empty();
}

void Session::perform(const agent::Command& command) {
  if (const auto* message = std::get_if<agent::Deliver>(&command)) {
    delivered_ = {message->text, std::chrono::system_clock::now()};
  }
  driver_->command(now(), command);
}

void Session::write(std::string bytes) {
  if (is_over()) return;
  if (is_secret()) {
    log_->secret_input(now(), bytes);
  } else {
    log_->input(now(), bytes);
  }
  agent_->source().write(std::move(bytes));
}

// Whether the agent asks for something that must not be recorded: a password, or the key for a
// login.
bool Session::is_secret() const {
  return agent_->source().asks_secret() ||
         (driver_->status() == AgentStatus::kWaiting && driver_->cause() == event::Cause::kLogin);
}

void Session::perform(const run::Tell& tell) {
  if (const auto* exit = std::get_if<event::Exit>(&tell.event)) return tell_exit(*exit);
  const auto* turn = std::get_if<event::Turn>(&tell.event);
  if (turn != nullptr && turn->ended && driver_->status() == AgentStatus::kIdle) account_.on_turn();
  log_->tell(now(), tell.event);
}

// The recording is finished before the end of the run is reported: if that fails, the run ends with
// another reason, and this end is not reported.
void Session::tell_exit(const event::Exit& exit) {
  log_->finish_recording(now());
  if (machine_.verdict().reason == exit.reason) log_->tell(now(), exit);
}

void Session::schedule() {
  const TimeMs next =
      std::min({driver_->next_deadline(), machine_.next_deadline(), log_->next_flush()});
  if (next == base::kNever) {
    tick_.stop();
  } else {
    tick_.start(std::max<TimeMs>(0, next - now()), [this] { on_tick(); });
  }
}

Status Session::type_keys(const std::vector<std::string>& names) {
  if (is_over()) return has_ended();
  const term::Screen* screen = driver_->screen();
  if (screen == nullptr) {
    return base::usage_error("a headless agent takes no keys; orch send gives it a message");
  }
  return keyboard_.type(names, screen->modes().application_cursor ? term::CursorKeys::kApplication
                                                                  : term::CursorKeys::kNormal);
}

void Session::hold_keyboard(bool held, bool attended) { keyboard_.hold(held, attended); }

void Session::type(std::string bytes) {
  if (phase_ != Phase::kRunning) return;
  driver_->on_typed(now(), bytes);
  write(std::move(bytes));
  pump();
}

base::Result<std::string> Session::send(run::SendRequest request, OnReport on_report) {
  if (is_over()) return has_ended();
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
  if (is_over()) return;
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
  machine_.on_clocks(now(), clocks());
  const auto reset = run::wait_until_reset(driver_->text(), local_time());
  account_.on_limit(reset, dir_.id());
  machine_.on_limit_end(reset);
}

// The agent may name the end relative to now, so it is read at once: a session that stays after a
// failed turn may be asked for it much later.
void Session::see_limit(event::Cause cause) {
  limit_ends_.reset();
  const bool is_limit = cause == event::Cause::kRateLimit || cause == event::Cause::kOverloaded ||
                        cause == event::Cause::kLimit;
  if (!is_limit) return;
  const auto reset = run::wait_until_reset(driver_->text(), local_time());
  if (reset) limit_ends_ = now() + reset->seconds * 1'000;
}

std::optional<int64_t> Session::retry_after_ms() const {
  if (!limit_ends_) return std::nullopt;
  return std::max<int64_t>(*limit_ends_ - now(), 0);
}

void Session::perform(const run::FindLifeSigns& find) { watches_->find_life(find.for_ms); }

void Session::on_life_signs(bool alive, const std::string& evidence) {
  if (!evidence.empty()) {
    result_.evidence = evidence;
    base::log_info("session", "no output for long; signs of life: " + evidence, dir_.id());
  }
  machine_.on_life_signs(now(), alive, evidence);
  soon();
}

Status Session::reset(OnReset on_done) {
  if (is_over()) return has_ended();
  if (Status s = machine_.reset(now()); !s) return s;
  on_reset_ = std::move(on_done);
  soon();
  return base::Ok{};
}

void Session::perform(const run::RestartAgent& /*restart*/) {
  base::log_info("session", "the agent is ended, to be started anew", dir_.id());
  agent_->end_to_restart();
}

// The agent has begun another session of its own, whose id is known with the next message.
void Session::perform(const run::TellReset& reset) {
  if (reset.how == run::TellReset::How::kCleared) {
    log_->take_agent_session("", "");
    watches_->on_new_conversation("");
  }
  if (on_reset_) std::exchange(on_reset_, nullptr)(reset.how);
}

Status Session::answer(const run::AnswerRequest& request, OnAnswered on_answered) {
  if (is_over()) return has_ended();
  if (waiting_dialog() && keyboard_.in_use()) {
    return base::usage_error("somebody else is typing in this session");
  }
  if (Status s = machine_.answer(request, now()); !s) return s;
  on_answered_ = std::move(on_answered);
  soon();
  return base::Ok{};
}

void Session::perform(const run::TellAnswered& answered) {
  if (on_answered_) std::exchange(on_answered_, nullptr)(answered.outcome);
}

void Session::fail(std::string why) {
  base::log_error("session", why, dir_.id());
  machine_.on_failure(std::move(why));
  soon();
}

void Session::resize(term::Size size) {
  if (is_over() || agent_->source().decides_size()) return;
  own_rows_.reset();
  set_size(size);
  pump();
}

void Session::set_size(term::Size size) {
  agent_->source().resize(size.cols, size.rows);
  see_size(size);
}

void Session::take_agent_version(const std::string& version) {
  if (!has_verdict()) log_->take_agent_version(version);
}

void Session::on_resized(int cols, int rows) {
  see_size({cols, rows});
  pump();
}

void Session::see_size(term::Size size) {
  setup_.size = size;
  driver_->on_resize(now(), size.cols, size.rows);
  log_->resize(now(), size.cols, size.rows);
  sink_.on_screen_replaced();
}

void Session::on_lost(const std::string& why) {
  if (phase_ == Phase::kRunning) return fail(why);
  agent_->source().stop({});
}

void Session::pause_output() {
  if (phase_ == Phase::kRunning) agent_->pause();
}

void Session::resume_output() {
  if (!is_over()) agent_->resume();
}

// Starts another process in place of the agent's process that has ended, on a cleared screen.
// False: the agent is not started again.
bool Session::restart() {
  if (phase_ != Phase::kRunning) return false;
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
  record_widths();
  driver_ = setup_.driver(setup_, now());
  sink_.on_screen_replaced();
  base::log_info("session", "the agent has ended and is started again", dir_.id());
  if (Status s = agent_->start_again(*this); !s) {
    machine_.on_failure("the agent cannot be started again: " + s.error().text);
    return false;
  }
  log_->take_agent_session(setup_.launch.session, "");
  watches_->on_new_conversation(setup_.launch.resume.empty() ? setup_.launch.session : "");
  log_->tell(now(), start);
  machine_.on_news(now(), start);
  machine_.on_restart(now());
  pump();
  return true;
}

}  // namespace orch::session
