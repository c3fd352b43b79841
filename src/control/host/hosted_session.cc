#include "host/hosted_session.h"

#include "base/log.h"
#include "peer/session_socket.h"
#include "store/issue_name.h"
#include "store/queued_session.h"
#include "store/time_text.h"
#include "store/undo_claim.h"
#include "term/screen.h"
#include "term/snapshot.h"
#include "wire/view_frames.h"

namespace orch::host {

using base::Result;

store::SessionRecord record_of(const session::SessionSetup& setup, store::SessionStatus status) {
  return {.key = store::session_key(setup.issue, setup.repository),
          .name = store::session_name(setup.issue),
          .issue = setup.issue,
          .manager = setup.manager.name,
          .manager_reason = setup.manager.reason,
          .manager_server = setup.manager.server,
          .status = status,
          .agent = setup.manifest->name,
          .command = setup.told_argv(),
          .cwd = setup.cwd,
          .repository = setup.repository,
          .run = {},
          .run_dir = {},
          .socket = {},
          .worktree = {},
          .host = pty::own_identity(),
          .started = store::rfc3339_utc(std::chrono::system_clock::now()),
          .ended = {},
          .keep_for_ms = 0,
          .unreadable = {}};
}

store::SessionRecord queued_record_of(const session::SessionSetup& setup) {
  store::SessionRecord record = record_of(setup, store::SessionStatus::kQueued);
  const std::optional<repo::WorktreeRequest>& wanted = setup.worktree_request;
  if (wanted && wanted->earlier == repo::WorktreeRequest::Earlier::kRefuse) {
    record.worktree = repo::planned_worktree(*wanted).path;
  }
  return record;
}

base::Error taken_from_queue() {
  return base::usage_error("not started: orch kill took it out of the queue");
}

Result<std::unique_ptr<HostedSession>> HostedSession::start(
    loop::Loop& loop, session::SessionSetup setup, const std::string& socket_folder,
    std::unique_ptr<session::SessionSink> sink, HeapWatch& heap, ConnectionRoom& room,
    CrewDesk* crew, std::function<void()> on_ended) {
  const std::string key = store::session_key(setup.issue, setup.repository);
  auto place = store::SessionFile::claim(setup.state_dir, key);
  if (!place) return place.error();
  if (setup.queued) {
    const store::Presence waits = store::waits_for_us(setup.state_dir, key);
    if (waits.is_unknown()) return waits.error();
    if (waits.is_absent()) return taken_from_queue();
  }
  if (base::Status s = store::check_no_undo(setup.state_dir, setup.cwd); !s) return s.error();
  std::unique_ptr<HostedSession> hosted(
      new HostedSession(loop, std::move(place).value(), std::move(sink), heap, crew));
  // Before the agent starts: its fence opens the way to the socket, and its hooks may connect at
  // once.
  Result<std::string> name = peer::socket_name(setup.issue, setup.repository, setup.state_dir);
  Result<peer::ListeningSocket> listening =
      name ? peer::listen_on(socket_folder, *name) : Result<peer::ListeningSocket>(name.error());
  if (setup.plan.check_calls) {
    if (!listening) return listening.error();
    setup.check_socket = listening->name.path();
  }
  HostedSession& self = *hosted;
  auto session = session::Session::start(loop, std::move(setup), self,
                                         [&self, on_ended = std::move(on_ended)] {
                                           self.unpublish();
                                           if (self.viewers_) self.viewers_->end();
                                           on_ended();
                                         });
  if (!session) return session.error();
  self.session_ = std::move(session).value();
  self.viewers_.emplace(loop, *self.session_);
  self.publish(loop, std::move(listening), room);
  return hosted;
}

HostedSession::HostedSession(loop::Loop& loop, std::unique_ptr<store::SessionFile> place,
                             std::unique_ptr<session::SessionSink> sink, HeapWatch& heap,
                             CrewDesk* crew)
    : place_(std::move(place)), sink_(std::move(sink)), crew_(crew), heap_(heap), person_(loop) {}

HostedSession::~HostedSession() = default;

// A session that nobody can reach still does its work. One that cannot be listed must not run.
void HostedSession::publish(loop::Loop& loop, Result<peer::ListeningSocket> listening,
                            ConnectionRoom& room) {
  const session::SessionSetup& setup = session_->setup();
  record_ = record_of(setup, store::SessionStatus::kRunning);
  record_.run = session_->run_dir().id();
  record_.run_dir = session_->run_dir().path();
  if (listening) {
    ControlledSession& self = *this;
    socket_ = std::make_unique<ControlSocket>(loop, std::move(listening).value(), self, room);
    record_.socket = socket_->path();
  } else {
    trouble_ = listening.error().text;
  }
  if (base::Status s = place_->write(record_); !s) {
    // The session has left the queue, so its file there is removed.
    if (setup.queued) store::forget_queued(setup.state_dir, record_.key);
    session_->fail(s.error().text);
  }
  if (setup.plan.check_calls && setup.enclosure) open_inside(loop, room);
  // An undo that began during the start may not have seen this session.
  if (base::Status s = store::check_no_undo(setup.state_dir, setup.cwd); !s) {
    session_->fail(s.error().text);
  }
}

// The container gets the folder of this socket and no other one of ours. It takes longer to start
// than this does.
void HostedSession::open_inside(loop::Loop& loop, ConnectionRoom& room) {
  Result<peer::ListeningSocket> listening =
      peer::listen_for_container(session_->run_dir().shown_socket());
  if (!listening) return session_->fail(listening.error().text);
  ControlledSession& self = *this;
  inside_ = std::make_unique<ControlSocket>(loop, std::move(listening).value(), self, room,
                                            Peers::kEnclosed);
}

bool HostedSession::encloses(pid_t pid) const {
  const std::shared_ptr<session::Enclosure>& enclosure = session_->setup().enclosure;
  return enclosure && enclosure->holds(pid);
}

// A session that has failed stays listed. If its file cannot be written, its end is the same.
void HostedSession::unpublish() {
  if (session_->stays()) {
    store::SessionRecord left = record_;
    left.status = store::SessionStatus::kErrored;
    left.socket.clear();
    left.ended = session_->result().ended;
    left.keep_for_ms = *session_->setup().keep_errored_ms;
    if (base::Status s = place_->leave(left); !s) {
      base::log_warn("session", s.error().text, left.run);
    }
  }
  inside_.reset();
  place_.reset();
}

void HostedSession::on_event(const event::Event& event, std::string_view json) {
  if (std::holds_alternative<event::SessionStart>(event)) head_ = json;
  const auto* line = std::get_if<event::Output>(&event);
  if (line != nullptr && session_) last_words_.hear(*line, session_->age_ms());
  if (socket_) socket_->on_event(json);
  sink_->on_event(event, json);
}

void HostedSession::on_raw(std::string_view bytes) {
  heap_.on_output(bytes.size());
  if (socket_) socket_->on_raw(bytes);
  sink_->on_raw(bytes);
}

void HostedSession::on_settled() {
  if (session_) person_.see(session_->waits_for_person());
}

void HostedSession::on_screen_replaced() {
  if (socket_) socket_->on_screen_replaced();
  sink_->on_screen_replaced();
}

wire::StatusReport HostedSession::status() const {
  const driver::Driver& agent = session_->driver();
  wire::StatusReport report;
  report.session = record_.name;
  report.issue = record_.issue;
  report.run = record_.run;
  report.run_dir = record_.run_dir;
  report.repository = record_.repository;
  report.agent = record_.agent;
  report.status = agent.status();
  report.cause = agent.cause();
  if (session_->waits_for_word()) {  // the agent is idle, but the run waits for a user
    report.status = event::AgentStatus::kWaiting;
    report.cause = event::Cause::kNone;
  }
  report.since_ms = agent.since();
  report.ms = session_->age_ms();
  report.turns = session_->turns();
  report.pending = session_->pending();
  report.pid = record_.host.pid;
  if (const std::optional<run::WaitingDialog> dialog = session_->waiting_dialog()) {
    report.dialog = report_of(*dialog);
  }
  report.last_words = last_words_.text();
  report.words_ms = last_words_.said_ms();
  if (const term::Screen* screen = agent.screen()) {
    report.cols = screen->size().cols;
    report.rows = screen->size().rows;
  }
  report.viewers = viewers_ ? static_cast<int>(viewers_->count()) : 0;
  report.manager = record_.manager;
  report.usage = session_->usage();
  const run::RunPlan& plan = session_->setup().plan;
  const wire::BudgetReport budget{plan.max_tokens, plan.max_cost_usd, plan.timeout_ms};
  if (budget != wire::BudgetReport()) report.budget = budget;
  report.retry_after_ms = session_->retry_after_ms();
  return report;
}

uint64_t HostedSession::events_size() const { return session_->events_bytes(); }

base::Status HostedSession::type_keys(const std::vector<std::string>& names) {
  return session_->type_keys(names);
}

base::Result<std::string> HostedSession::send(const wire::Send& message, const std::string& from,
                                              std::function<void(const wire::Sent&)> on_sent) {
  run::SendRequest request{.text = message.text,
                           .as_command = message.as_command,
                           .until_idle = message.until_idle,
                           .timeout_ms = message.timeout_ms,
                           .from = from,
                           .awaited = on_sent != nullptr};
  return session_->send(std::move(request),
                        [this, on_sent = std::move(on_sent)](const run::SendReport& report) {
                          if (!on_sent) return;
                          const bool accepted = report.result == agent::DeliveryResult::kAccepted;
                          on_sent({.message = report.id,
                                   .result = std::string(agent::name(report.result)),
                                   .reason = report.reason,
                                   .enters = report.enters,
                                   .status = session_->driver().status(),
                                   .cause = session_->driver().cause(),
                                   .screen = accepted ? "" : session_->driver().text()});
                        });
}

void HostedSession::withdraw(const std::string& message) { session_->withdraw(message); }

base::Status HostedSession::reset(std::function<void(base::Result<wire::WasReset>)> on_done) {
  using How = run::TellReset::How;
  return session_->reset([on_done = std::move(on_done)](const base::Result<How>& how) {
    if (!how) return on_done(how.error());
    on_done(wire::WasReset{*how == How::kCleared ? "cleared" : "restarted"});
  });
}

void HostedSession::forget_reset() { session_->forget_reset(); }

base::Result<uint32_t> HostedSession::attach(std::optional<term::Size> window) {
  if (session_->driver().screen() == nullptr) {
    return base::usage_error("this agent has no screen; see orch logs -f");
  }
  return viewers_->join(window);
}

std::string HostedSession::snapshot() const {
  const term::Screen& screen = *session_->driver().screen();
  return wire::encode_snapshot(screen.size().cols, screen.size().rows, term::snapshot(screen));
}

base::Status HostedSession::answer(const wire::AnswerDialog& answer,
                                   std::function<void(base::Status)> on_answered) {
  return session_->answer({.dialog = answer.dialog, .choice = answer.choice, .also = answer.also},
                          std::move(on_answered));
}

void HostedSession::kill(bool at_once) { session_->kill(at_once); }

}  // namespace orch::host
