#include "host/connection.h"

#include <utility>

namespace orch::host {

using wire::Frame;
using wire::FrameType;

Connection::Connection(loop::Loop& loop, base::Fd socket, ControlledSession& session,
                       std::function<void(const Connection&)> on_done)
    : session_(session),
      on_done_(std::move(on_done)),
      peer_(socket),
      stream_(loop, std::move(socket),
              {.on_data = [this](std::string_view bytes) { on_data(bytes); },
               .on_closed = [this] { done(); },
               .on_drained = [this] { on_drained(); }}),
      patience_(loop) {
  patience_.start(kRequestPatienceMs, [this] { done(); });
}

Connection::~Connection() {
  for (const auto& [request, message] : sending_) session_.withdraw(message);
  if (resetting_) session_.forget_reset();
}

void Connection::on_data(std::string_view bytes) {
  if (phase_ == Phase::kParting) return;
  decoder_.feed(bytes);
  serve_waiting();
}

void Connection::serve_waiting() {
  while (stream_.queued_bytes() <= kMaxQueuedBytes) {
    const base::Result<std::optional<Frame>> frame = decoder_.next();
    if (!frame) return done();
    if (!*frame) return wait_for_rest();
    patience_.stop();
    const loop::Life::Watch self(life_);
    const Served served = serve(**frame);
    if (self.ended() || phase_ == Phase::kParting) return;
    if (served == Served::kNo) return done();
  }
  stream_.pause_reading();  // who asks without reading the answers is not asked what else it wants
}

void Connection::wait_for_rest() {
  const bool begins = decoder_.mid_frame() && !patience_.active();
  if (begins) patience_.start(kRequestPatienceMs, [this] { done(); });
}

Connection::Served Connection::serve(const Frame& frame) {
  if (frame.type != FrameType::kRequest) return Served::kNo;
  const auto request = wire::read_request(frame.payload);
  if (!request) return Served::kNo;
  if (const auto* refusal = std::get_if<wire::Answer>(&*request)) {
    answer(*refusal);
  } else {
    serve(std::get<wire::Request>(*request));
  }
  return Served::kYes;
}

void Connection::serve(const wire::Request& request) {
  struct Server {
    Connection& self;
    int64_t id;
    void operator()(const wire::AskStatus&) const { self.answer({id, self.session_.status()}); }
    void operator()(const wire::Subscribe& wanted) const {
      if (self.subscriber_) {
        return self.refuse(id, base::usage_error("subscribed already"));
      }
      self.subscriber_.emplace(self.stream_, self.session_, wanted);
      self.answer({id, wire::Subscribed{self.session_.events_size()}});
      self.subscriber_->begin();
    }
    void operator()(const wire::Kill& kill) const {
      if (!self.may_change(id)) return;
      self.answer({id, wire::Done{}});
      self.session_.kill(kill.now);  // may end the session, and us with it
    }
    void operator()(const wire::Keys& keys) const {
      if (!self.may_change(id)) return;
      const base::Status typed = self.session_.type_keys(keys.names);
      if (typed) return self.answer({id, wire::Done{}});
      self.refuse(id, typed.error());
    }
    void operator()(const wire::Send& message) const {
      if (self.may_change(id)) self.send(id, message);
    }
    void operator()(const wire::Reset&) const {
      if (self.may_change(id)) self.reset(id);
    }
  };
  std::visit(Server{*this, request.id}, request.verb);
}

void Connection::send(int64_t request, const wire::Send& message) {
  if (sending_.contains(request)) {
    return refuse(request, base::usage_error("this id is in use"));
  }
  const base::Result<std::string> id =
      session_.send(message, [this, request](const wire::Sent& sent) {
        sending_.erase(request);
        answer({request, sent});
      });
  if (!id) return refuse(request, id.error());
  sending_.emplace(request, *id);
}

void Connection::reset(int64_t request) {
  const base::Status begun =
      session_.reset([this, request](const base::Result<wire::WasReset>& done) {
        resetting_ = false;
        if (!done) return refuse(request, done.error());
        answer({request, *done});
      });
  if (!begun) return refuse(request, begun.error());
  resetting_ = true;
}

void Connection::refuse(int64_t request, const base::Error& error) {
  answer({request, wire::Refusal{wire::RefusalCode::kUsage, error.text}});
}

// Whoever may look may not yet speak: what belongs to a run is no person.
bool Connection::may_change(int64_t request) {
  const std::string refusal = peer_.refusal(session_.trusts_agent());
  if (!refusal.empty()) refuse(request, base::usage_error(refusal));
  return refusal.empty();
}

void Connection::answer(const wire::Answer& answer) {
  stream_.write(wire::encode(FrameType::kAnswer, wire::to_json(answer)));
}

void Connection::part(const std::string& last_frame) {
  phase_ = Phase::kParting;
  sending_.clear();  // the session's end has decided all of that
  resetting_ = false;
  patience_.stop();
  if (subscriber_) subscriber_->part();
  stream_.resume_reading();  // to learn that the peer is gone
  stream_.write(last_frame);
}

void Connection::on_drained() {
  if (phase_ == Phase::kParting) return done();
  if (subscriber_) subscriber_->on_drained();
  stream_.resume_reading();
  serve_waiting();
}

void Connection::done() {
  const auto on_done = on_done_;  // ours is destroyed by the call
  on_done(*this);
}

}  // namespace orch::host
