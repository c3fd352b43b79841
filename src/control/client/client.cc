#include "client/client.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "peer/session_socket.h"
#include "pty/process_identity.h"
#include "wire/view_frames.h"

namespace orch::client {

using base::Result;
using base::Status;
using wire::Frame;
using wire::FrameType;

namespace {

// A screen is at most some megabytes, however many rows and colours it has.
constexpr size_t kMostSnapshotBytes = 64 << 20;

}  // namespace

store::Found<store::SessionRecord> still(const std::string& state_dir,
                                         const store::SessionRecord& session) {
  store::Found<store::SessionRecord> now = store::session_of(state_dir, session.key);
  const bool is_anothers = now.is_present() && now->run != session.run;
  return is_anothers ? store::Found<store::SessionRecord>::absent() : std::move(now);
}

bool may_run(const std::string& state_dir, const store::SessionRecord& session) {
  const store::Found<store::SessionRecord> now = still(state_dir, session);
  return now.is_unknown() || (now.is_present() && now->status == store::SessionStatus::kRunning);
}

namespace {

// A session that ends removes its file before its socket. So if the file is still there, the socket
// is only out of our sight.
base::Error unreachable(const std::string& state_dir, const store::SessionRecord& session,
                        const base::Error& why) {
  const std::string who = "session " + session.name;
  if (why.code != base::ErrorCode::kNotFound) return {why.code, who + ": " + why.text};
  const store::Found<store::SessionRecord> now = still(state_dir, session);
  std::string text = who + " cannot be reached: ";
  if (now.is_unknown()) {
    return {base::ErrorCode::kSystem,
            text + "it is not known whether its host lives: " + now.error().text};
  }
  if (!now.is_present() || now->status != store::SessionStatus::kRunning) {
    return {why.code, who + ": " + why.text};
  }
  const std::string elsewhere = why_elsewhere(session);
  text += elsewhere.empty() ? fmt::format("its host, pid {}, lives", session.host.pid)
                            : "it " + elsewhere;
  text += ", but its socket " + session.socket + " is gone or not to be seen from here";
  return {base::ErrorCode::kSystem, text};
}

base::ErrorCode code_of(wire::RefusalCode refusal) {
  switch (refusal) {
    case wire::RefusalCode::kOtherRun:
    case wire::RefusalCode::kNoDialog:
    case wire::RefusalCode::kEnded:
      return base::ErrorCode::kNotFound;
    case wire::RefusalCode::kBusy:
      return base::ErrorCode::kShortage;
    case wire::RefusalCode::kStillStands:
      return base::ErrorCode::kSystem;
    case wire::RefusalCode::kUsage:
    case wire::RefusalCode::kUnknownVerb:
    case wire::RefusalCode::kVersion:
    case wire::RefusalCode::kOther:
      return base::ErrorCode::kUsage;
  }
  return base::ErrorCode::kUsage;
}

}  // namespace

std::string why_elsewhere(const store::SessionRecord& session) {
  switch (pty::whereabouts(session.host)) {
    case pty::Whereabouts::kOtherNamespace:
      return "runs in another pid namespace (a container)";
    case pty::Whereabouts::kOtherMachine:
      return "runs on another machine, " + session.host.hostname;
    case pty::Whereabouts::kHere:
    case pty::Whereabouts::kEnded:
    case pty::Whereabouts::kUnknown:
      return "";
  }
  return "";
}

Result<std::unique_ptr<Client>> Client::connect(loop::Loop& loop, const std::string& state_dir,
                                                const store::SessionRecord& session) {
  if (session.socket.empty() && !session.unreadable.empty()) {
    return base::Error{base::ErrorCode::kSystem,
                       "session " + session.name + " cannot be reached: " + session.unreadable};
  }
  if (session.socket.empty()) {
    return base::Error{base::ErrorCode::kSystem,
                       "session " + session.name + " cannot be reached: it has no socket"};
  }
  Result<base::Fd> socket = peer::connect_to(session.socket);
  if (!socket) return unreachable(state_dir, session, socket.error());
  return std::unique_ptr<Client>(new Client(loop, std::move(socket).value(), state_dir, session));
}

Client::Client(loop::Loop& loop, base::Fd socket, std::string state_dir,
               const store::SessionRecord& session)
    : loop_(loop),
      session_(session.name),
      run_(session.run),
      state_dir_(std::move(state_dir)),
      key_(session.key),
      host_pid_(peer::our_peer(socket)) {
  stream_.emplace(loop, std::move(socket),
                  loop::Stream::Callbacks{
                      .on_data = [this](std::string_view bytes) { on_data(bytes); },
                      .on_closed = [this] { lose(host_is_gone()); },
                      .on_drained =
                          [this] {
                            if (on_drained_) on_drained_();
                          },
                  });
}

base::Error Client::error(const std::string& text) const {
  return {base::ErrorCode::kSystem, "session " + session_ + " " + text};
}

base::Error Client::ended(const std::string& text) const {
  return {base::ErrorCode::kNotFound, error(text).text};
}

// A session that ends removes its file, or writes its end into it, before its host hangs up.
base::Error Client::host_is_gone() const {
  const store::Found<store::SessionRecord> now = store::session_of(state_dir_, key_);
  if (now.is_unknown()) return error("is lost: " + now.error().text);
  const bool ended_itself = now.is_absent() || now->run != run_ || !now->ended.empty();
  return ended_itself ? ended("has ended: its host is gone") : error("is lost: its host has died");
}

void Client::request(const wire::Verb& verb, OnAnswer on_answer, int64_t deadline_ms) {
  const int64_t id = ++last_id_;
  auto deadline = std::make_unique<loop::Timer>(loop_);
  const int64_t patience_ms = lost_ ? 0 : deadline_ms;
  if (patience_ms != kNoDeadline) {
    deadline->start(patience_ms, [this, id, deadline_ms] { on_deadline(id, deadline_ms); });
  }
  pending_.emplace(id, Pending{std::move(on_answer), std::move(deadline)});
  if (stream_) {
    stream_->write(wire::encode(FrameType::kRequest, wire::to_json(wire::Request{id, verb, run_})));
  }
}

void Client::follow(wire::Subscribe wanted, Follower& follower, int64_t deadline_ms) {
  follower_ = &follower;
  const auto on_answer = [this](const Result<wire::Answer>& answer) {
    if (!answer) return lose(answer.error());
    const auto* subscribed = std::get_if<wire::Subscribed>(&answer->result);
    if (subscribed == nullptr) return lose(error("sends something else than was asked for"));
    follower_->on_started(subscribed->events_offset);
  };
  request(wanted, on_answer, deadline_ms);
}

void Client::attach(std::optional<term::Size> window, Follower& follower) {
  follower_ = &follower;
  wire::Attach wanted;
  wanted.interactive = window.has_value();
  if (window) {
    wanted.cols = window->cols;
    wanted.rows = window->rows;
  }
  request(wanted, [this](const Result<wire::Answer>& answer) {
    if (!answer) return lose(answer.error());
    const auto* attached = std::get_if<wire::Attached>(&answer->result);
    if (attached == nullptr) return lose(error("sends something else than was asked for"));
    viewer_ = attached->viewer;
    follower_->on_started(0);
  });
}

void Client::type(std::string_view bytes) {
  if (stream_ && viewer_ != 0) stream_->write(wire::encode_input(viewer_, bytes));
}

void Client::set_window(term::Size window) {
  if (viewer_ == 0) return;
  request(wire::Window{viewer_, window.cols, window.rows}, [](const auto& /*answer*/) {});
}

void Client::on_data(std::string_view bytes) {
  decoder_.feed(bytes);
  while (true) {
    const Result<std::optional<Frame>> frame = decoder_.next();
    if (!frame) return lose(error("sends something unreadable: " + frame.error().text));
    if (!*frame) return;
    const loop::Life::Watch self(life_);
    const Status taken = take(**frame);
    if (self.ended()) return;
    if (!taken) return lose(taken.error());
    if (!stream_) return;
  }
}

Status Client::take(const Frame& frame) {
  switch (frame.type) {
    case FrameType::kAnswer:
      return take_answer(frame.payload);
    case FrameType::kLagged:
      return take_lagged(frame.payload);
    case FrameType::kEvent:
      if (follower_ != nullptr) follower_->on_event(frame.payload);
      return base::Ok{};
    case FrameType::kRaw:
      if (follower_ != nullptr) follower_->on_raw(frame.payload);
      return base::Ok{};
    case FrameType::kSnapshot:
      return take_snapshot(frame.payload);
    case FrameType::kEnd:
      take_end(frame.payload);
      return base::Ok{};
    case FrameType::kRequest:
    case FrameType::kInput:
      break;
  }
  return error("asks instead of answering");
}

Status Client::take_answer(std::string_view json) {
  Result<wire::Answer> answer = wire::read_answer(json);
  if (!answer) return error("sends an unreadable answer: " + answer.error().text);
  const int64_t id = answer->id;
  if (const auto* refusal = std::get_if<wire::Refusal>(&answer->result)) {
    answer = base::Error{code_of(refusal->code),
                         "session " + session_ + ": " + base::printable(refusal->error)};
    if (id == 0) return answer.error();  // the host refuses the whole connection
  }
  const auto asked = pending_.extract(id);
  // If nobody waits, the answer came too late.
  if (!asked.empty()) asked.mapped().on_answer(std::move(answer));
  return base::Ok{};
}

Status Client::take_lagged(std::string_view json) {
  const Result<wire::Lagged> lagged = wire::read_lagged(json);
  if (!lagged) return error("sends something unreadable: " + lagged.error().text);
  const Gap gap{
      .from = lagged->events_from, .to = lagged->events_offset, .raw_bytes = lagged->dropped_bytes};
  if (follower_ != nullptr) follower_->on_lagged(gap);
  return base::Ok{};
}

Status Client::take_snapshot(std::string_view payload) {
  const Result<wire::Snapshot> part = wire::read_snapshot(payload);
  if (!part) return error("sends something unreadable: " + part.error().text);
  snapshot_ += part->bytes;
  if (snapshot_.size() > kMostSnapshotBytes) return error("sends a screen without end");
  if (part->more) return base::Ok{};
  const std::string whole = std::exchange(snapshot_, {});
  if (follower_ != nullptr) follower_->on_snapshot({part->cols, part->rows}, whole);
  return base::Ok{};
}

void Client::take_end(std::string_view result_json) {
  const loop::Life::Watch self(life_);
  close(ended("has ended"));
  if (Follower* follower = std::exchange(follower_, nullptr)) follower->on_end(result_json);
  if (!self.ended()) fail_pending();
}

void Client::lose(const base::Error& error) {
  const loop::Life::Watch self(life_);
  close(error);
  if (Follower* follower = std::exchange(follower_, nullptr)) follower->on_lost(error);
  if (!self.ended()) fail_pending();
}

void Client::close(const base::Error& why) {
  stream_.reset();
  lost_ = why;
}

void Client::fail_pending() {
  const loop::Life::Watch self(life_);
  const auto failed = std::exchange(pending_, {});
  for (const auto& [id, pending] : failed) {
    pending.on_answer(*lost_);
    if (self.ended()) return;
  }
}

void Client::on_deadline(int64_t id, int64_t waited_ms) {
  const auto late = pending_.extract(id);
  late.mapped().on_answer(lost_ ? *lost_ : no_answer(waited_ms));
}

base::Error Client::no_answer(int64_t waited_ms) const {
  std::string text =
      fmt::format("does not answer (waited {:g} s)", static_cast<double>(waited_ms) / 1000.0);
  if (host_pid_) {
    text += fmt::format(": its host, pid {0}, may be stopped; try kill -CONT {0}", *host_pid_);
  }
  return error(text);
}

Result<wire::Answer> ask(loop::Loop& loop, const std::string& state_dir,
                         const store::SessionRecord& session, const wire::Verb& verb,
                         int64_t deadline_ms) {
  Result<std::unique_ptr<Client>> client = Client::connect(loop, state_dir, session);
  if (!client) return client.error();
  Result<wire::Answer> answer = base::usage_error("session " + session.name + ": not waited for");
  const auto on_answer = [&](Result<wire::Answer> got) {
    answer = std::move(got);
    loop.stop();
  };
  (*client)->request(verb, on_answer, deadline_ms);
  loop.run();
  return answer;
}

}  // namespace orch::client
