#include "host/connection.h"

#include <utility>

#include "base/text.h"
#include "event/event.h"
#include "loop/loop.h"
#include "wire/view_frames.h"

namespace orch::host {

using wire::Frame;
using wire::FrameType;

namespace {

constexpr int64_t kInputLookMs = 20;  // how often to look whether the agent has taken the input
constexpr std::string_view kTooSlow = "it did not finish its request in time";

}  // namespace

Connection::Connection(loop::Loop& loop, base::Fd socket, ControlledSession& session,
                       size_t& message_bytes, Callbacks callbacks, Peers peers)
    : loop_(loop),
      session_(session),
      message_bytes_of_all_(message_bytes),
      callbacks_(std::move(callbacks)),
      peers_(peers),
      peer_(socket),
      is_orch_(peer_.is_orch()),
      stream_(loop, std::move(socket),
              {.on_data = [this](std::string_view bytes) { on_data(bytes); },
               .on_closed = [this] { done(""); },
               .on_drained = [this] { on_drained(); }}),
      patience_(loop),
      next_turn_(loop),
      served_at_us_(loop.now_us()) {
  patience_.start(kRequestPatienceMs, [this] { done(kTooSlow); });
}

Connection::~Connection() {
  for (const auto& [request, sending] : sending_) session_.withdraw(sending.message);
  message_bytes_of_all_ -= message_bytes_;
  if (resetting_) session_.forget_reset();
  if (viewer_ && phase_ != Phase::kParting) session_.detach(*viewer_);
  if (answering_) session_.forget_answer();
  if (phase_ != Phase::kParting) {
    for (const auto& [request, call] : calls_) session_.forget_call(call);
  }
  forget_start();
}

bool Connection::belongs_to_run() {
  if (!belongs_to_run_) belongs_to_run_ = !peer_.refusal(false).empty();
  return *belongs_to_run_;
}

void Connection::refuse_and_close() {
  refuse_busy(0, "too many connections of such processes");
  drop("too many connections of such processes");
}

void Connection::on_data(std::string_view bytes) {
  if (phase_ != Phase::kServing) return;
  decoder_.feed(bytes);
  serve_waiting();
}

void Connection::serve_waiting() {
  const int64_t until_us = loop_.now_us() + kServedPerTurnUs;
  while (stream_.queued_bytes() <= kMaxQueuedBytes) {
    if (viewer_ && session_.input_is_full()) return serve_later(kInputLookMs);
    const base::Result<std::optional<Frame>> frame = decoder_.next();
    if (!frame) return done("it broke the protocol: " + frame.error().text);
    if (!*frame) return wait_for_rest();
    patience_.stop();
    served_at_us_ = loop_.now_us();
    const loop::Life::Watch self(life_);
    const Served served = serve(**frame);
    if (self.ended() || phase_ != Phase::kServing) return;
    if (served == Served::kNo) return done("it broke the protocol");
    if (decoder_.mid_frame() && loop_.now_us() >= until_us) return serve_later(0);
  }
  stream_.pause_reading();  // no further requests are read until the answers are
}

void Connection::serve_later(int64_t in_ms) {
  stream_.pause_reading();
  next_turn_.start(in_ms, [this] { serve_waiting(); });
}

void Connection::wait_for_rest() {
  stream_.resume_reading();
  const bool begins = decoder_.mid_frame() && !patience_.active();
  if (begins) patience_.start(kRequestPatienceMs, [this] { done(kTooSlow); });
}

// Disconnects the peer, from inside a call of its own: done() follows from the loop.
void Connection::drop(std::string_view why) {
  if (phase_ != Phase::kServing) return;
  phase_ = Phase::kDropped;
  next_turn_.stop();
  stream_.pause_reading();
  patience_.start(0, [this, why] { done(why); });
}

Connection::Served Connection::serve(const Frame& frame) {
  if (frame.type == FrameType::kInput && peers_ == Peers::kOurs) return serve_input(frame.payload);
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
  if (!is_for_this_run(request) || !may_ask(request)) return;
  struct Server {
    Connection& self;
    int64_t id;
    void operator()(const wire::AskStatus&) const { self.answer({id, self.session_.status()}); }
    void operator()(const wire::Subscribe& wanted) const {
      if (!self.admit(id)) return;
      self.subscriber_.emplace(
          self.stream_, self.session_,
          Subscriber::Wanted{.events = wanted.events, .raw = wanted.raw, .snapshots = false});
      self.answer({id, wire::Subscribed{self.session_.events_size()}});
      self.subscriber_->begin();
    }
    void operator()(const wire::Kill& kill) const {
      if (!self.may_change(id)) return;
      self.answer({id, wire::Done{}});
      self.session_.kill(kill.now);  // may end the session, and destroy us
    }
    void operator()(const wire::Keys& keys) const {
      if (!self.may_change(id)) return;
      const base::Status typed = self.session_.type_keys(keys.names);
      if (typed) return self.answer({id, wire::Done{}});
      self.refuse(id, typed.error());
    }
    void operator()(const wire::Send& message) const {
      if (self.may_change(id)) self.send(id, message, std::string(event::kFromUser));
    }
    void operator()(const wire::Nudge& nudge) const { self.nudge(id, nudge); }
    void operator()(const wire::Spawn& spawn) const { self.start_member(id, spawn.agent); }
    void operator()(const wire::Reset&) const {
      if (self.may_change(id)) self.reset(id);
    }
    void operator()(const wire::Attach& wanted) const { self.attach(id, wanted); }
    void operator()(const wire::Window& window) const {
      if (!self.is_viewer(id, window.viewer)) return;
      self.answer({id, wire::Done{}});
      self.session_.on_window(window.viewer, {window.cols, window.rows});
    }
    void operator()(const wire::Detach& detach) const {
      if (!self.is_viewer(id, detach.viewer)) return;
      self.detach();
      self.answer({id, wire::Done{}});
    }
    void operator()(const wire::AnswerDialog& dialog) const {
      if (self.may_change(id)) self.answer_dialog(id, dialog);
    }
    void operator()(const wire::CheckCall& call) const { self.check_call(id, call.event); }
  };
  std::visit(Server{*this, request.id}, request.verb);
}

bool Connection::admit(int64_t request) {
  if (subscriber_) {
    refuse(request, base::usage_error("subscribed already"));
    return false;
  }
  if (callbacks_.admits_follower(*this)) return true;
  refuse_busy(request, "too many followers of this session; try again");
  return false;
}

// The answer and the snapshot go out together, so that no raw frame comes between them and none is
// missed. A process of a run may not attach: it does not act for the user, and a session that shows
// its own output to itself would never end.
void Connection::attach(int64_t request, const wire::Attach& wanted) {
  if (!may_change(request)) return;
  if (!admit(request)) return;
  const base::Result<uint32_t> viewer = session_.attach(
      wanted.interactive ? std::optional(term::Size{wanted.cols, wanted.rows}) : std::nullopt);
  if (!viewer) return refuse(request, viewer.error());
  viewer_ = *viewer;
  answer({request, wire::Attached{*viewer}});
  subscriber_.emplace(stream_, session_,
                      Subscriber::Wanted{.events = true, .raw = true, .snapshots = true});
  subscriber_->begin();
}

void Connection::detach() {
  session_.detach(*viewer_);
  viewer_.reset();
  subscriber_.reset();
}

bool Connection::is_viewer(int64_t request, uint32_t viewer) {
  if (viewer_ && *viewer_ == viewer) return true;
  refuse(request, base::usage_error("no viewer of this connection: " + std::to_string(viewer)));
  return false;
}

// Input of a viewer that has just left is dropped; input of a viewer that may only look breaks the
// protocol.
Connection::Served Connection::serve_input(std::string_view payload) {
  const base::Result<wire::Input> input = wire::read_input(payload);
  if (!input) return Served::kNo;
  if (!viewer_ || *viewer_ != input->viewer) return Served::kYes;
  return session_.type(*viewer_, input->bytes) ? Served::kYes : Served::kNo;
}

// The agent of the crew that the peer belongs to; nullopt: it belongs to none.
std::optional<std::string> Connection::sender_in(const CrewDesk& crew) const {
  std::optional<std::string> sender = crew.member_of(peer_.pid());
  if (!peer_.is_still_there()) sender.reset();
  return sender;
}

// The only change that a process of a run may request, under the name of its own agent.
void Connection::nudge(int64_t request, const wire::Nudge& nudge) {
  CrewDesk* crew = session_.crew();
  if (crew == nullptr) return refuse(request, base::usage_error("its agent is of no crew"));
  std::optional<std::string> sender = sender_in(*crew);
  if (!sender) {
    if (!may_change(request)) return;
    sender = event::kFromUser;
  }
  if (!nudge.from.empty() && nudge.from != *sender) {
    return refuse(request, base::usage_error("refused: this is not " + base::printable(nudge.from) +
                                             " but " + *sender));
  }
  if (nudge.mail) {
    const base::Status taken = crew->take_mail(session_.member(), *sender, nudge.text);
    return taken ? answer({request, wire::Done{}}) : refuse(request, taken.error());
  }
  if (session_.status().pending >= kMostPendingNudges) {
    return refuse_busy(request, "too many messages wait for " + session_.member() + "; try again");
  }
  const base::Result<wire::Send> message = crew->take(session_.member(), *sender, nudge);
  if (!message) return refuse(request, message.error());
  if (nudge.wait) return send(request, *message, *sender);
  const base::Result<std::string> id = session_.send(*message, *sender, nullptr);
  if (!id) return refuse(request, id.error());
  answer({request, wire::Done{}});
}

void Connection::start_member(int64_t request, const std::string& agent) {
  if (!may_change(request)) return;
  CrewDesk* crew = session_.crew();
  if (crew == nullptr) return refuse(request, base::usage_error("its agent is of no crew"));
  if (!starting_.empty()) return refuse_busy(request, "one start after the other; try again");
  starting_ = agent;
  const base::Status begun =
      crew->start_member(agent, [this, request](const base::Status& started) {
        starting_.clear();
        if (!started) return refuse(request, started.error());
        answer({request, wire::Done{}});
      });
  if (begun) return;
  starting_.clear();
  refuse(request, begun.error());
}

void Connection::forget_start() {
  if (!starting_.empty()) session_.crew()->forget_start(std::exchange(starting_, {}));
}

void Connection::send(int64_t request, const wire::Send& message, const std::string& from) {
  if (sending_.contains(request)) {
    return refuse(request, base::usage_error("this id is in use"));
  }
  const size_t bytes = message.text.size() + kMessageOverheadBytes;
  const bool fits = message_bytes_ == 0 || message_bytes_ + bytes <= kMostMessageBytes;
  if (!fits || message_bytes_of_all_ + bytes > kMostMessageBytesOfAll) {
    return refuse_busy(request, "too many messages wait; try again");
  }
  const base::Result<std::string> id =
      session_.send(message, from, [this, request](const wire::Sent& sent) {
        forget(sending_.find(request));
        answer({request, sent});
      });
  if (!id) return refuse(request, id.error());
  sending_.emplace(request, Sending{*id, bytes});
  message_bytes_ += bytes;
  message_bytes_of_all_ += bytes;
}

void Connection::forget(std::map<int64_t, Sending>::iterator sending) {
  if (sending == sending_.end()) return;
  message_bytes_ -= sending->second.bytes;
  message_bytes_of_all_ -= sending->second.bytes;
  sending_.erase(sending);
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

void Connection::answer_dialog(int64_t request, const wire::AnswerDialog& dialog) {
  const auto refuse_answer = [this, request](const base::Error& error) {
    using wire::RefusalCode;
    const RefusalCode code = error.code == base::ErrorCode::kNotFound ? RefusalCode::kNoDialog
                             : error.code == base::ErrorCode::kSystem ? RefusalCode::kStillStands
                                                                      : RefusalCode::kUsage;
    answer({request, wire::Refusal{code, error.text}});
  };
  const base::Status begun =
      session_.answer(dialog, [this, request, refuse_answer](const base::Status& answered) {
        answering_ = false;
        if (!answered) return refuse_answer(answered.error());
        answer({request, wire::Done{}});
      });
  if (!begun) return refuse_answer(begun.error());
  answering_ = true;
}

// Any process of this run may report a call, because the answer goes to it alone. Processes of
// another run could end this one, or have its user asked about calls that do not exist.
void Connection::check_call(int64_t request, const std::string& event) {
  if (peers_ == Peers::kOurs && !peer_.is_of(session_.status().run)) {
    return refuse(request, base::usage_error("refused: this process is not of the session's run"));
  }
  if (calls_.contains(request)) return refuse(request, base::usage_error("this id is in use"));
  calls_.emplace(request, "");
  std::string id =
      session_.check_call(event, [this, request](const std::optional<std::string>& print) {
        calls_.erase(request);
        if (print) return answer({request, wire::CallAnswer{*print}});
        refuse(request, base::usage_error("this call cannot be read"));
      });
  if (const auto call = calls_.find(request); call != calls_.end()) call->second = std::move(id);
}

void Connection::refuse(int64_t request, const base::Error& error) {
  const bool ended = error.code == base::ErrorCode::kNotFound;
  answer({request, wire::Refusal{ended ? wire::RefusalCode::kEnded : wire::RefusalCode::kUsage,
                                 error.text}});
}

bool Connection::is_for_this_run(const wire::Request& request) {
  if (request.run.empty()) return true;
  const std::string served = session_.status().run;
  if (request.run == served) return true;
  answer({request.id, wire::Refusal{wire::RefusalCode::kOtherRun,
                                    "its run " + base::printable(request.run) + " has ended, and " +
                                        served + " has begun since"}});
  return false;
}

bool Connection::may_ask(const wire::Request& request) {
  const bool may = peers_ == Peers::kOurs || std::holds_alternative<wire::CheckCall>(request.verb);
  if (!may) refuse(request.id, base::usage_error("refused: this socket is for calls alone"));
  return may;
}

void Connection::refuse_busy(int64_t request, std::string text) {
  answer({request, wire::Refusal{wire::RefusalCode::kBusy, std::move(text)}});
}

// Whether the peer may change something. Everybody who can connect may look, but a process of a run
// does not act for the user.
bool Connection::may_change(int64_t request) {
  if (refusal_.empty()) refusal_ = peer_.refusal(session_.trusts_agent());
  if (!refusal_.empty()) refuse(request, base::usage_error(refusal_));
  return refusal_.empty();
}

void Connection::answer(const wire::Answer& answer) {
  stream_.write(wire::encode(FrameType::kAnswer, wire::to_json(answer)));
  if (stream_.queued_bytes() > kMostUnreadBytes) drop("it does not read its answers");
}

void Connection::part(const std::string& last_frame) {
  phase_ = Phase::kParting;
  while (!sending_.empty()) forget(sending_.begin());  // the end of the session has settled them
  resetting_ = answering_ = false;
  forget_start();
  patience_.stop();
  next_turn_.stop();
  if (subscriber_) subscriber_->part();
  stream_.resume_reading();  // to notice when the peer is gone
  stream_.write(last_frame);
}

void Connection::on_drained() {
  if (phase_ == Phase::kParting) return done("");
  if (phase_ == Phase::kDropped) return;
  if (subscriber_) subscriber_->on_drained();
  if (!next_turn_.active()) serve_waiting();
}

void Connection::done(std::string_view why) {
  const auto on_done = callbacks_.on_done;  // a copy, for the call destroys this
  on_done(*this, why);
}

}  // namespace orch::host
