#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "host/control_socket.h"
#include "host/heap.h"
#include "host/person_watch.h"
#include "host/session_report.h"
#include "host/viewers.h"
#include "peer/session_socket.h"
#include "session/session.h"
#include "store/session_file.h"

namespace orch::host {

// The record of a session that begins or is queued now, for others to read. It has no run and no
// socket yet.
store::SessionRecord record_of(const session::SessionSetup& setup, store::SessionStatus status);
// The record of a session that waits for its turn.
store::SessionRecord queued_record_of(const session::SessionSetup& setup);

// Why a session was not started: somebody has taken it out of the queue.
base::Error taken_from_queue();

// A session that other processes can find and reach: owns its place among the sessions of the state
// directory, and its socket. Without a place it does not start; without a socket it does, and its
// file says so.
class HostedSession final : private session::SessionSink, private ControlledSession {
 public:
  // `sink` gets all events of the session. `heap` and `room` outlive the session. `crew` is the
  // crew of its agent, nullptr for none. `on_ended` is called from the loop, once, when everything
  // is written and the place is free again; it may destroy this.
  static base::Result<std::unique_ptr<HostedSession>> start(
      loop::Loop& loop, session::SessionSetup setup, const std::string& socket_folder,
      std::unique_ptr<session::SessionSink> sink, HeapWatch& heap, ConnectionRoom& room,
      CrewDesk* crew, std::function<void()> on_ended);
  ~HostedSession() override;

  session::Session& session() { return *session_; }
  Viewers& viewers() { return *viewers_; }
  const store::SessionRecord& record() const { return record_; }
  // Why other processes cannot reach the session; "" if they can.
  const std::string& trouble() const { return trouble_; }
  // Whether it has been waiting for a user for a while; the callback is called when that changes.
  bool waits_for_person() const { return person_.waits(); }
  void on_person_change(std::function<void()> told) { person_.on_change(std::move(told)); }
  // Taken over by the host once the session has ended, to send the result to the peers that still
  // listen.
  std::unique_ptr<ControlSocket> release_socket() { return std::move(socket_); }

 private:
  HostedSession(loop::Loop& loop, std::unique_ptr<store::SessionFile> place,
                std::unique_ptr<session::SessionSink> sink, HeapWatch& heap, CrewDesk* crew);
  void publish(loop::Loop& loop, base::Result<peer::ListeningSocket> listening,
               ConnectionRoom& room);
  void open_inside(loop::Loop& loop, ConnectionRoom& room);
  void unpublish();

  void on_event(const event::Event& event, std::string_view json) override;
  void on_raw(std::string_view bytes) override;
  void on_screen_replaced() override;
  void on_waiting(std::string_view what) override { sink_->on_waiting(what); }
  void on_note(std::string_view note) override { sink_->on_note(note); }
  void on_enter(std::string_view message) override { sink_->on_enter(message); }
  void on_settled() override;
  wire::StatusReport status() const override;
  const std::string& head() const override { return head_; }
  uint64_t events_size() const override;
  CrewDesk* crew() const override { return crew_; }
  const std::string& member() const override { return session_->setup().member; }
  bool trusts_agent() const override { return session_->setup().trust_agent; }
  void kill(bool at_once) override;
  base::Status type_keys(const std::vector<std::string>& names) override;
  base::Result<std::string> send(const wire::Send& message, const std::string& from,
                                 std::function<void(const wire::Sent&)> on_sent) override;
  void withdraw(const std::string& message) override;
  base::Status reset(std::function<void(base::Result<wire::WasReset>)> on_done) override;
  void forget_reset() override;
  base::Result<uint32_t> attach(std::optional<term::Size> window) override;
  void detach(uint32_t viewer) override { viewers_->leave(viewer); }
  void on_window(uint32_t viewer, term::Size window) override {
    viewers_->on_window(viewer, window);
  }
  bool type(uint32_t viewer, std::string_view bytes) override {
    return viewers_->type(viewer, bytes);
  }
  bool input_is_full() const override { return viewers_->is_full(); }
  std::string snapshot() const override;
  base::Status answer(const wire::AnswerDialog& answer,
                      std::function<void(base::Status)> on_answered) override;
  std::string check_call(std::string_view event,
                         std::function<void(std::optional<std::string>)> on_decided) override {
    return session_->call(event, std::move(on_decided));
  }
  void forget_call(const std::string& id) override { session_->forget_call(id); }
  bool encloses(pid_t pid) const override;
  void forget_answer() override { session_->forget_answer(); }

  std::unique_ptr<store::SessionFile> place_;  // null once the session has ended
  std::unique_ptr<session::SessionSink> sink_;
  CrewDesk* crew_;
  store::SessionRecord record_;
  std::string trouble_;
  std::string head_;
  LastWords last_words_;
  HeapWatch& heap_;
  PersonWatch person_;
  std::unique_ptr<session::Session> session_;
  std::optional<Viewers> viewers_;  // once the session has started
  std::unique_ptr<ControlSocket> socket_;
  std::unique_ptr<ControlSocket> inside_;  // for the hooks in the session's container
};

}  // namespace orch::host
