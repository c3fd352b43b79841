#include "gateway/client.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "exchange/canned.h"
#include "loop/loop.h"

namespace orch::gateway {
namespace {

using adapters::GatewaySpec;
using base::Result;
using exchange::Asked;
using exchange::Framing;
using Is = GatewaySpec::Kind::Is;

// A client that takes its answer more slowly than the model writes it makes the model wait.
constexpr size_t kMostQueuedBytes = 1 << 20;
// Bytes of a next request that are kept while the one before is under way.
constexpr size_t kMostAheadBytes = 1 << 20;
// The model may think for minutes before its first byte, and the agent has its own patience.
constexpr http::Limits kPatience{.connect_ms = 30'000, .silence_ms = 0, .total_ms = 0};

// Not TRACE, whose answer shows the key to the agent.
constexpr std::array<std::string_view, 7> kMethods{"GET",   "HEAD",   "POST",   "PUT",
                                                   "PATCH", "DELETE", "OPTIONS"};

}  // namespace

Gateway::Client::Client(Gateway& gateway, base::Fd connection)
    : gateway_(gateway),
      stream_(gateway.loop_, std::move(connection),
              {.on_data = [this](std::string_view bytes) { on_data(bytes); },
               .on_closed = [this] { gateway_.remove(this); },
               .on_drained = [this] { on_drained(); }}) {}

bool Gateway::Client::has_turn_in_flight() const {
  return exchange_ && exchange_->kind == Is::kTurn;
}

event::Usage Gateway::Client::under_way() const {
  if (!exchange_) return {};
  return gateway_.budget_.spent(exchange_->usage.counts(), exchange_->asked.model).usage;
}

void Gateway::Client::on_data(std::string_view bytes) {
  if (closing_) return;
  if (peer_) return pass(stream_, *peer_, bytes);
  reader_.feed(bytes);
  if (exchange_ || tunnel_) {
    if (reader_.buffered_bytes() > kMostAheadBytes) stream_.pause_reading();
    return;
  }
  take_next();
}

void Gateway::Client::take_next() {
  while (!exchange_ && !tunnel_ && !closing_) {
    // A client that sends on without taking answers has to wait.
    if (stream_.queued_bytes() > kMostQueuedBytes) return stream_.pause_reading();
    std::optional<exchange::Request> request = reader_.next();
    if (!request) break;
    take(std::move(*request));
  }
  if (exchange_ || tunnel_ || closing_) return;
  if (reader_.refusal()) {
    return refuse(reader_.refusal()->status, reader_.refusal()->reason, false);
  }
  // Nobody else's body is kept.
  if (const exchange::Request* begun = reader_.begun()) {
    if (!gateway_.is_admitted(*begun)) return refuse_stranger();
    is_admitted_ = true;
  }
  if (reader_.take_continue()) stream_.write("HTTP/1.1 100 Continue\r\n\r\n");
  stream_.resume_reading();
}

void Gateway::Client::take(exchange::Request request) {
  const bool keeps = request.keeps_alive;
  if (request.method == "CONNECT") return connect(request.target);
  leave_out_own_origin(request);
  if (!request.target.starts_with('/')) return refuse(400, "the target is not a path", false);
  if (std::ranges::find(kMethods, request.method) == kMethods.end()) {
    return refuse(405, "no model is asked by " + base::printable(request.method), false);
  }
  if (!gateway_.is_admitted(request)) return refuse_stranger();
  is_admitted_ = true;
  gateway_.leave_out_secret(request);
  // Codex asks by HTTP at once after this answer, and loses 6 s after any other.
  if (exchange::find_header(request.headers, "upgrade") != nullptr) {
    stream_.write(exchange::json_answer(426, exchange::error_body({}, 426, "no WebSocket here"),
                                        keeps, {{"Upgrade", "HTTP/1.1"}}));
    if (!keeps) close();
    return;
  }
  const Asked asked = exchange::asked(request);
  if (asked.protocol != exchange::Protocol::kNone) {
    const std::string why = gateway_.used_up();
    if (!why.empty()) return end_turn(asked, keeps, why);
    ++gateway_.requests_;
  }
  send(std::move(request), asked);
}

void Gateway::Client::leave_out_own_origin(exchange::Request& request) const {
  const std::string origin = "http://127.0.0.1:" + std::to_string(gateway_.port_);
  if (gateway_.in_fence_ && request.target.starts_with(origin + "/")) {
    request.target.erase(0, origin.size());
  }
}

void Gateway::Client::connect(const std::string& authority) {
  if (!gateway_.in_fence_) return refuse(405, "this gateway leads to the model alone", false);
  if (!gateway_.names(authority)) {
    gateway_.note_refused(authority);
    return refuse(403, "--net names no host " + base::printable(authority), false);
  }
  is_admitted_ = true;
  const size_t colon = authority.rfind(':');
  const auto port = static_cast<uint16_t>(std::atoi(authority.c_str() + colon + 1));
  Result<std::unique_ptr<http::Tunnel>> tunnel =
      http::Tunnel::open(*gateway_.multi_, authority.substr(0, colon), port,
                         [this](Result<base::Fd> peer) { on_open(std::move(peer)); });
  if (!tunnel) return refuse(502, tunnel.error().text, false);
  tunnel_ = std::move(tunnel).value();
}

void Gateway::Client::on_open(Result<base::Fd> peer) {
  if (!peer) {
    tunnel_.reset();
    return refuse(502, peer.error().text, false);
  }
  peer_ = std::make_unique<loop::Stream>(
      gateway_.loop_, std::move(peer).value(),
      loop::Stream::Callbacks{
          .on_data = [this](std::string_view bytes) { pass(*peer_, stream_, bytes); },
          .on_closed = [this] { end_tunnel(); },
          .on_drained = [this] { stream_.resume_reading(); }});
  stream_.write("HTTP/1.1 200 Connection established\r\n\r\n");
  peer_->write(reader_.take_rest());
  stream_.resume_reading();
}

void Gateway::Client::pass(loop::Stream& from, loop::Stream& to, std::string_view bytes) {
  to.write(std::string(bytes));
  if (to.queued_bytes() > kMostQueuedBytes) from.pause_reading();
}

void Gateway::Client::end_tunnel() {
  peer_.reset();
  tunnel_.reset();
  close();
}

void Gateway::Client::end_turn(const Asked& asked, bool keeps, const std::string& why) {
  const exchange::Canned end = exchange::canned_end(
      asked, "[orch] This run's budget is used up (" + why + "). orch, not the model, wrote this.",
      "orch" + std::to_string(++ends_));
  stream_.write(exchange::answer_head(200, {{"Content-Type", end.content_type}}, Framing::kLength,
                                      end.body.size(), keeps) +
                end.body);
  if (!keeps) close();
  gateway_.on_refused_request(why);
}

void Gateway::Client::refuse(int status, const std::string& reason, bool keeps) {
  base::log_warn(kLog, "refused a request: " + std::to_string(status) + ", " + reason);
  stream_.write(exchange::json_answer(
      status, exchange::error_body({}, status, "orch's gateway: " + reason), keeps));
  if (!keeps) close();
}

void Gateway::Client::send(exchange::Request request, const Asked& asked) {
  exchange_.emplace();
  exchange_->asked = asked;
  exchange_->kind = gateway_.kind_of(request, asked.has_tools);
  exchange_->keeps_alive = request.keeps_alive;
  exchange_->is_old = request.is_old;
  exchange_->is_head = request.method == "HEAD";
  exchange_->began_ms = gateway_.loop_.now_ms();
  if (gateway_.recording_) {
    exchange_->entry = gateway_.new_entry(request, asked, exchange_->kind);
  }
  if (gateway_.player_) return play(request, asked);
  http::RequestPlan plan{.method = request.method,
                         .url = gateway_.url_of(request),
                         .headers = gateway_.headers_for(request),
                         .body = std::move(request.body),
                         .ca_file = gateway_.plan_.ca_file,
                         .limits = kPatience};
  Result<std::unique_ptr<http::Request>> sent = http::Request::pass(
      *gateway_.multi_, std::move(plan),
      {.on_head = [this](const http::Response& head) { on_head(head); },
       .on_body = [this](std::string_view bytes) { on_body(bytes); }},
      [this](const std::variant<http::Response, http::Failure>& outcome) { on_done(outcome); });
  if (!sent) {
    exchange_.reset();
    return refuse(502, sent.error().text, false);
  }
  exchange_->request = std::move(sent).value();
  gateway_.tell_asking();
}

void Gateway::Client::play(const exchange::Request& request, const Asked& asked) {
  const tape::Player::Found found = gateway_.find_on_tape(request, asked, exchange_->kind);
  tape::Answer answer;
  if (found.entry != nullptr) {
    answer = found.entry->answer;
    answer.body = gateway_.normaliser_->played(answer);
  } else if (found.how == tape::Player::Found::How::kNot) {
    constexpr int kBadRequest = 400;
    answer.status = kBadRequest;
    answer.body = {{0, exchange::error_body(asked.protocol, kBadRequest, "orch: " + found.why)}};
  } else if (asked.protocol == exchange::Protocol::kNone) {
    constexpr int kNotFound = 404;
    answer.status = kNotFound;
    answer.body = {{0, "{}"}};
  } else {
    const exchange::Canned end =
        exchange::canned_end(asked, "{}", "orch" + std::to_string(++ends_));
    constexpr int kGood = 200;
    answer.status = kGood;
    answer.headers = {{"content-type", end.content_type}};
    answer.body = {{0, end.body}};
  }
  if (answer.headers.empty()) answer.headers = {{"content-type", "application/json"}};
  const http::Response head{.status = answer.status, .headers = answer.headers, .body = {}};
  exchange_->playback = std::make_unique<Playback>(
      gateway_.loop_, std::move(answer.body), answer.status != 0, answer.end,
      Playback::Told{.on_head = [this, head] { on_head(head); },
                     .on_body = [this](std::string_view bytes) { on_body(bytes); },
                     .on_done = [this](bool is_whole) { on_played(is_whole); }});
  gateway_.tell_asking();
}

void Gateway::Client::on_played(bool is_whole) {
  if (is_whole) return on_done(http::Response{});
  on_done(http::Failure{http::Failure::Kind::kCut, "the answer on the tape breaks off"});
}

void Gateway::Client::on_head(const http::Response& head) {
  Exchange& ex = *exchange_;
  ex.has_head = true;
  ex.is_good = head.status / 100 == 2;
  if (ex.entry) {
    ex.entry->answer.status = head.status;
    ex.entry->answer.headers = head.headers;
  }
  exchange::Headers headers = exchange::forwarded_answer_headers(head.headers);
  const std::string_view length = head.header("content-length");
  constexpr int kNoContent = 204, kNotModified = 304;
  const bool no_body = ex.is_head || head.status == kNoContent || head.status == kNotModified;
  size_t bytes = 0;
  if (no_body) {
    if (!length.empty()) headers.emplace_back("Content-Length", length);
  } else if (!length.empty()) {
    ex.framing = Framing::kLength;
    bytes = std::strtoull(std::string(length).c_str(), nullptr, 10);
  } else {
    ex.framing = ex.is_old ? Framing::kClose : Framing::kChunks;
  }
  if (ex.framing == Framing::kClose) ex.keeps_alive = false;
  const std::string_view coding = head.header("content-encoding");
  if (!coding.empty() && coding != "identity") {
    gateway_.note_uncounted(ex.asked, "are compressed although plain ones were asked for");
  }
  const bool has_events = head.header("content-type").starts_with("text/event-stream");
  ex.usage = exchange::UsageReader(ex.asked.protocol, has_events);
  stream_.write(exchange::answer_head(head.status, headers, ex.framing, bytes, ex.keeps_alive));
}

void Gateway::Client::on_body(std::string_view bytes) {
  Exchange& ex = *exchange_;
  ex.usage.feed(bytes);
  tape(bytes);
  stream_.write(ex.framing == Framing::kChunks ? exchange::chunk(bytes) : std::string(bytes));
  if (stream_.queued_bytes() > kMostQueuedBytes) ex.pause();
}

void Gateway::Client::tape(std::string_view bytes) {
  Exchange& ex = *exchange_;
  if (!ex.entry || ex.taped_bytes > tape::kMostAnswerBytes) return;
  ex.taped_bytes += bytes.size();
  if (ex.taped_bytes > tape::kMostAnswerBytes) return;
  ex.entry->answer.body.push_back({gateway_.loop_.now_ms() - ex.began_ms, std::string(bytes)});
}

void Gateway::Client::on_done(const std::variant<http::Response, http::Failure>& outcome) {
  const bool keeps = exchange_->keeps_alive, has_head = exchange_->has_head;
  const Framing framing = exchange_->framing;
  const exchange::Protocol protocol = exchange_->asked.protocol;
  const bool is_whole = std::holds_alternative<http::Response>(outcome);
  if (exchange_->entry) {
    const bool is_taped = is_whole && exchange_->taped_bytes <= tape::kMostAnswerBytes;
    exchange_->entry->answer.end = is_taped ? tape::Answer::End::kWhole : tape::Answer::End::kCut;
  }
  exchange_->is_whole = is_whole;
  settle();
  if (const auto* failure = std::get_if<http::Failure>(&outcome)) {
    base::log_warn(kLog, failure->text);
    // Half of an answer must not look whole.
    if (has_head) return close();
    constexpr int kBadGateway = 502;
    stream_.write(exchange::json_answer(
        kBadGateway,
        exchange::error_body(protocol, kBadGateway, "orch's gateway: " + failure->text), keeps));
  } else if (framing == Framing::kChunks) {
    stream_.write(std::string(exchange::kLastChunk));
  }
  if (!keeps) return close();
  take_next();
}

void Gateway::Client::settle() {
  if (!exchange_) return;
  exchange_->usage.end();
  std::optional<Exchange> ended = std::exchange(exchange_, std::nullopt);
  gateway_.tell_asking();
  if (ended->entry) gateway_.recording_->add(std::move(*ended->entry));
  if (ended->asked.protocol == exchange::Protocol::kNone) return;
  if (ended->is_whole && ended->is_good && !ended->usage.counts().any()) {
    gateway_.note_uncounted(ended->asked, "do not say how many tokens they used");
  }
  gateway_.on_spent(ended->kind, ended->usage.counts(), ended->asked.model);
}

void Gateway::Client::close() {
  closing_ = true;
  stream_.finish_writing();
}

void Gateway::Client::on_drained() {
  if (exchange_) exchange_->resume();
  if (peer_) peer_->resume_reading();
  if (!exchange_ && !tunnel_ && !closing_) take_next();
}

}  // namespace orch::gateway
