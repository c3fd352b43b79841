#include "gateway/gateway.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <variant>

#include "base/log.h"
#include "base/text.h"
#include "exchange/canned.h"
#include "exchange/protocol.h"
#include "exchange/usage.h"
#include "fence/door.h"
#include "gateway/listening.h"
#include "gateway/playback.h"
#include "http/request.h"
#include "http/tunnel.h"
#include "loop/loop.h"
#include "loop/stream.h"

namespace orch::gateway {
namespace {

using adapters::GatewaySpec;
using base::Result;
using exchange::Asked;
using exchange::Framing;
using Is = GatewaySpec::Kind::Is;

constexpr const char* kLog = "gateway";
// A client that takes its answer more slowly than the model writes it makes the model wait.
constexpr size_t kMostQueuedBytes = 1 << 20;
// Bytes of a next request that are kept while the one before is under way.
constexpr size_t kMostAheadBytes = 1 << 20;
constexpr size_t kMostClients = 256;
constexpr size_t kMostExits = 8;
constexpr size_t kMostNoted = 16;
// The model may think for minutes before its first byte, and the agent has its own patience.
constexpr http::Limits kPatience{.connect_ms = 30'000, .silence_ms = 0, .total_ms = 0};

// Headers that hold a key; with a key of the gateway's own none of the agent's goes on.
constexpr std::array<std::string_view, 4> kKeyHeaders{"authorization", "x-api-key",
                                                      "x-goog-api-key", "api-key"};

}  // namespace

// A request that was sent to the model.
struct Exchange {
  Asked asked;
  Is kind = Is::kSide;
  bool keeps_alive = true, is_old = false, is_head = false;
  Framing framing = Framing::kNone;
  bool has_head = false;  // the answer has begun
  exchange::UsageReader usage{exchange::Protocol::kNone, false};
  std::unique_ptr<http::Request> request;
  std::unique_ptr<Playback> playback;  // in place of the request
  std::optional<tape::Entry> entry;    // what is to be on the tape
  int64_t began_ms = 0;                // by the loop's clock
  size_t taped_bytes = 0;
  void pause() const { request ? request->pause() : playback->pause(); }
  void resume() const {
    if (request) request->resume();
    if (playback) playback->resume();
  }
};

// One connection of the agent's. It carries one request after the other.
class Gateway::Client {
 public:
  Client(Gateway& gateway, base::Fd connection)
      : gateway_(gateway),
        stream_(gateway.loop_, std::move(connection),
                {.on_data = [this](std::string_view bytes) { on_data(bytes); },
                 .on_closed = [this] { gateway_.remove(this); },
                 .on_drained = [this] { on_drained(); }}) {}

  // A client that leaves, or a run that ends, ends its request; what the model has reported so far
  // is counted.
  ~Client() { settle(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool is_admitted() const { return is_admitted_; }
  bool has_turn_in_flight() const { return exchange_ && exchange_->kind == Is::kTurn; }
  // What the request under way has used so far.
  event::Usage under_way() const {
    if (!exchange_) return {};
    return gateway_.budget_.spent(exchange_->usage.counts(), exchange_->asked.model).usage;
  }

 private:
  void on_data(std::string_view bytes) {
    if (closing_) return;
    if (peer_) return pass(stream_, *peer_, bytes);
    reader_.feed(bytes);
    if (exchange_ || tunnel_) {
      if (reader_.buffered_bytes() > kMostAheadBytes) stream_.pause_reading();
      return;
    }
    take_next();
  }

  // Answers the requests that have come, up to the first that the model has to answer.
  void take_next() {
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

  void take(exchange::Request request) {
    const bool keeps = request.keeps_alive;
    if (request.method == "CONNECT") return connect(request.target);
    leave_out_own_origin(request);
    if (!request.target.starts_with('/')) return refuse(400, "the target is not a path", false);
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

  // A program that takes the gateway for its proxy may write the gateway's own address.
  void leave_out_own_origin(exchange::Request& request) const {
    const std::string origin = "http://127.0.0.1:" + std::to_string(gateway_.port_);
    if (gateway_.in_fence_ && request.target.starts_with(origin + "/")) {
      request.target.erase(0, origin.size());
    }
  }

  // Leads a process of the fence to a host that the user has named.
  void connect(const std::string& authority) {
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

  void on_open(Result<base::Fd> peer) {
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

  static void pass(loop::Stream& from, loop::Stream& to, std::string_view bytes) {
    to.write(std::string(bytes));
    if (to.queued_bytes() > kMostQueuedBytes) from.pause_reading();
  }

  // The host has hung up: the rest of its bytes still goes to the client.
  void end_tunnel() {
    peer_.reset();
    tunnel_.reset();
    close();
  }

  // The agent's turn ends here. The words lie in its conversation as its own, so they name orch.
  void end_turn(const Asked& asked, bool keeps, const std::string& why) {
    const exchange::Canned end = exchange::canned_end(
        asked,
        "[orch] This run's budget is used up (" + why + "). orch, not the model, wrote this.",
        "orch" + std::to_string(++ends_));
    stream_.write(exchange::answer_head(200, {{"Content-Type", end.content_type}}, Framing::kLength,
                                        end.body.size(), keeps) +
                  end.body);
    if (!keeps) close();
    gateway_.on_refused_request(why);
  }

  void refuse_stranger() { refuse(403, "the secret of the run is missing", false); }

  void refuse(int status, const std::string& reason, bool keeps) {
    base::log_warn(kLog, "refused a request: " + std::to_string(status) + ", " + reason);
    stream_.write(exchange::json_answer(
        status, exchange::error_body({}, status, "orch's gateway: " + reason), keeps));
    if (!keeps) close();
  }

  void send(exchange::Request request, const Asked& asked) {
    exchange_.emplace();
    exchange_->asked = asked;
    exchange_->kind = gateway_.kind_of(request, asked.has_tools);
    exchange_->keeps_alive = request.keeps_alive;
    exchange_->is_old = request.is_old;
    exchange_->is_head = request.method == "HEAD";
    exchange_->began_ms = gateway_.loop_.now_ms();
    if (gateway_.recorder_) {
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

  // Answers from the tape.
  void play(const exchange::Request& request, const Asked& asked) {
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

  void on_played(bool is_whole) {
    if (is_whole) return on_done(http::Response{});
    on_done(http::Failure{http::Failure::Kind::kCut, "the answer on the tape breaks off"});
  }

  void on_head(const http::Response& head) {
    Exchange& ex = *exchange_;
    ex.has_head = true;
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
    if (!coding.empty() && coding != "identity") gateway_.note_uncounted(ex.asked);
    const bool has_events = head.header("content-type").starts_with("text/event-stream");
    ex.usage = exchange::UsageReader(ex.asked.protocol, has_events);
    stream_.write(exchange::answer_head(head.status, headers, ex.framing, bytes, ex.keeps_alive));
  }

  void on_body(std::string_view bytes) {
    Exchange& ex = *exchange_;
    ex.usage.feed(bytes);
    tape(bytes);
    stream_.write(ex.framing == Framing::kChunks ? exchange::chunk(bytes) : std::string(bytes));
    if (stream_.queued_bytes() > kMostQueuedBytes) ex.pause();
  }

  // Keeps a piece of the answer. One that is too long breaks off on the tape.
  void tape(std::string_view bytes) {
    Exchange& ex = *exchange_;
    if (!ex.entry || ex.taped_bytes > tape::kMostAnswerBytes) return;
    ex.taped_bytes += bytes.size();
    if (ex.taped_bytes > tape::kMostAnswerBytes) return;
    ex.entry->answer.body.push_back({gateway_.loop_.now_ms() - ex.began_ms, std::string(bytes)});
  }

  void on_done(const std::variant<http::Response, http::Failure>& outcome) {
    const bool keeps = exchange_->keeps_alive, has_head = exchange_->has_head;
    const Framing framing = exchange_->framing;
    const exchange::Protocol protocol = exchange_->asked.protocol;
    if (exchange_->entry) {
      const bool is_whole = std::holds_alternative<http::Response>(outcome) &&
                            exchange_->taped_bytes <= tape::kMostAnswerBytes;
      exchange_->entry->answer.end = is_whole ? tape::Answer::End::kWhole : tape::Answer::End::kCut;
    }
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

  // Ends the request under way, if any, and counts its usage as far as it is known.
  void settle() {
    if (!exchange_) return;
    exchange_->usage.end();
    std::optional<Exchange> ended = std::exchange(exchange_, std::nullopt);
    gateway_.tell_asking();
    if (ended->entry) gateway_.record(std::move(*ended->entry));
    if (ended->asked.protocol == exchange::Protocol::kNone) return;
    gateway_.on_spent(ended->kind, ended->usage.counts(), ended->asked.model);
  }

  // Closes the connection once all is written.
  void close() {
    closing_ = true;
    stream_.finish_writing();
  }

  void on_drained() {
    if (exchange_) exchange_->resume();
    if (peer_) peer_->resume_reading();
    if (!exchange_ && !tunnel_ && !closing_) take_next();
  }

  Gateway& gateway_;
  loop::Stream stream_;
  exchange::RequestReader reader_;
  std::optional<Exchange> exchange_;
  std::unique_ptr<http::Tunnel> tunnel_;  // to a named host
  std::unique_ptr<loop::Stream> peer_;    // its connection, once it is open
  bool closing_ = false;
  bool is_admitted_ = false;  // it has shown the run's secret
  int ends_ = 0;              // of turns, by orch
};

Result<std::unique_ptr<Gateway>> Gateway::open(loop::Loop& loop, Plan plan, Told told) {
  if (base::Status s = http::check_url(plan.address); !s) return s.error();
  Result<std::unique_ptr<http::Multi>> multi = http::Multi::make(loop);
  if (!multi) return multi.error();
  Result<base::Fd> socket = listen_on_loopback();
  if (!socket) return socket.error();
  std::unique_ptr<Gateway> gateway(
      new Gateway(loop, std::move(plan), std::move(told), std::move(multi).value()));
  if (base::Status s = gateway->compile_kinds(); !s) return s.error();
  if (base::Status s = gateway->open_tapes(); !s) return s.error();
  gateway->port_ = port_of(*socket);
  gateway->listener_.emplace(
      loop, std::move(socket).value(),
      [raw = gateway.get()](base::Fd connection) { raw->accept(std::move(connection)); });
  return gateway;
}

Gateway::Gateway(loop::Loop& loop, Plan plan, Told told, std::unique_ptr<http::Multi> multi)
    : loop_(loop),
      plan_(std::move(plan)),
      told_(std::move(told)),
      multi_(std::move(multi)),
      budget_(plan_.limits, plan_.prices),
      record_soon_(loop),
      began_ms_(loop.now_ms()) {}

Gateway::~Gateway() {
  told_ = {.on_usage = [](const event::Usage&) {},
           .on_used_up = [](const std::string&) {},
           .on_note = [](const std::string&) {},
           .on_asking = [](bool) {},
           .on_off_tape = [](const std::string&) {},
           .on_failure = [](const std::string&) {}};
  end();
}

base::Status Gateway::move_into_fence(const std::string& folder) {
  Result<base::Fd> door = fence::open_door(folder);
  if (!door) return door.error();
  in_fence_ = true;
  listener_.emplace(loop_, std::move(door).value(),
                    [this](base::Fd connection) { await_exit(std::move(connection)); });
  return base::Ok{};
}

// Each process that orch starts in a fence has a network namespace, and so an exit, of its own.
void Gateway::await_exit(base::Fd connection) {
  if (arrivals_.size() >= kMostExits) arrivals_.pop_front();
  loop::WatchedFd& arrival = arrivals_.emplace_back(loop_, std::move(connection));
  arrival.start(loop::kReadable, [this, &arrival](int) { take_exit(arrival); });
}

void Gateway::take_exit(const loop::WatchedFd& arrival) {
  Result<base::Fd> exit = fence::take_exit(arrival.get());
  arrivals_.remove_if([&arrival](const loop::WatchedFd& one) { return &one == &arrival; });
  if (!exit) {
    base::log_warn(kLog, exit.error().text);
    return;
  }
  if (exits_.size() >= kMostExits) exits_.pop_front();
  exits_.emplace_back(loop_, std::move(exit).value(),
                      [this](base::Fd client) { accept(std::move(client)); });
}

// "PyPI.org:443" is one of the hosts that --net names.
bool Gateway::names(std::string_view authority) const {
  return std::any_of(plan_.hosts.begin(), plan_.hosts.end(), [authority](const std::string& host) {
    return exchange::same_name(host, authority);
  });
}

// Each host once, and not too many: the agent chooses the names.
void Gateway::note_refused(const std::string& authority) {
  if (refused_.size() >= kMostNoted || !refused_.insert(authority).second) return;
  told_.on_note("the agent was refused " + base::printable(authority) + "; --net model," +
                base::printable(authority) + " would lead there");
}

// What cannot be read cannot be counted, and is passed on all the same.
void Gateway::note_uncounted(const Asked& asked) {
  if (asked.protocol == exchange::Protocol::kNone || std::exchange(is_uncounted_, true)) return;
  told_.on_note(
      "the model's answers are compressed although plain ones were asked for: orch cannot "
      "count what they used");
}

std::string Gateway::end() {
  exits_.clear();
  arrivals_.clear();
  listener_.reset();
  std::exchange(clients_, {}).clear();  // their ends look at the list
  record_soon_.stop();
  if (recorder_) record_waiting();
  std::string summary = budget_.summary();
  if (recorder_) {
    summary += (summary.empty() ? "" : "; ") + std::to_string(recorder_->entries()) +
               " requests are on tape " + base::printable(recorder_->path());
  }
  if (player_) summary += (summary.empty() ? "" : "; ") + player_->summary();
  return summary;
}

base::Status Gateway::open_tapes() {
  const TapePlan& plan = plan_.tapes;
  if (!plan.any()) return base::Ok{};
  normaliser_.emplace(plan.places, plan.secrets);
  if (plan.replay) player_.emplace(*plan.replay, plan.order);
  if (plan.record.empty()) return base::Ok{};
  Result<TapeFile> file = TapeFile::make(plan.record, plan.header);
  if (!file) return file.error();
  recorder_ = std::move(file).value();
  return base::Ok{};
}

tape::Entry Gateway::new_entry(const exchange::Request& request, const Asked& asked, Is kind) {
  tape::Entry entry;
  entry.n = ++taped_;
  entry.ms = loop_.now_ms() - began_ms_;
  entry.kind = adapters::name(kind);
  entry.protocol = exchange::name(asked.protocol);
  entry.method = request.method;
  entry.path = request.target;
  entry.model = asked.model;
  entry.request = request.body;
  entry.answer.end = tape::Answer::End::kLeft;  // unless it comes to its end
  return entry;
}

// Normalising takes milliseconds, so the agent gets the end of its answer first.
void Gateway::record(tape::Entry entry) {
  if (!recorder_) return;
  to_record_.push_back(std::move(entry));
  if (!record_soon_.active()) record_soon_.start(0, [this] { record_waiting(); });
}

void Gateway::record_waiting() {
  const tape::Normaliser& normaliser = *normaliser_;
  for (; recorder_ && !to_record_.empty(); to_record_.pop_front()) {
    tape::Entry& entry = to_record_.front();
    entry.path = normaliser.path(entry.path);
    entry.request = normaliser.request(entry.request);
    normaliser.answer(entry.answer);
    base::Status written = recorder_->write(entry);
    if (written) continue;
    recorder_.reset();
    told_.on_failure(written.error().text);
  }
}

tape::Player::Found Gateway::find_on_tape(const exchange::Request& request, const Asked& asked,
                                          Is kind) {
  const tape::Normaliser& normaliser = *normaliser_;
  tape::Player::Found found =
      player_->find({.kind = std::string(adapters::name(kind)),
                     .protocol = std::string(exchange::name(asked.protocol)),
                     .method = request.method,
                     .path = normaliser.path(request.target),
                     .body = normaliser.request(request.body)});
  if (found.how != tape::Player::Found::How::kNot || std::exchange(is_off_tape_, true))
    return found;
  for (const tape::Difference& one : found.differences) {
    told_.on_note("tape: " + base::printable(one.path) + ": expected \"" +
                  base::printable(one.expected) + "\", actual \"" + base::printable(one.actual) +
                  "\"");
  }
  told_.on_off_tape(found.why);
  return found;
}

base::Status Gateway::compile_kinds() {
  for (const GatewaySpec::Kind& spec : plan_.spec.kinds) {
    Kind kind{spec, std::nullopt};
    if (!spec.match.empty()) {
      Result<base::Pattern> match = base::Pattern::compile(spec.match);
      if (!match) return match.error();
      kind.match = std::move(match).value();
    }
    kinds_.push_back(std::move(kind));
  }
  return base::Ok{};
}

agent::ModelGateway::Words Gateway::words() const {
  const std::string origin = "http://127.0.0.1:" + std::to_string(port_);
  const std::string& provider = plan_.provider.empty() ? plan_.spec.own_provider : plan_.provider;
  const std::map<std::string, std::string> values{{"url", origin + "/" + plan_.secret},
                                                  {"origin", origin},
                                                  {"secret", plan_.secret},
                                                  {"provider", provider}};
  const bool has_provider = !plan_.provider.empty() && plan_.spec.provider_route.any();
  const GatewaySpec::Route way =
      adapters::filled(has_provider ? plan_.spec.provider_route : plan_.spec.route, values);
  Words words{way.arguments, way.env, way.settings, {plan_.outside.begin(), plan_.outside.end()}};
  if (in_fence_) {
    for (const char* name : {"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"}) {
      words.env[name] = origin;
    }
    for (const char* name : {"NO_PROXY", "no_proxy"}) words.env[name] = "127.0.0.1,localhost,::1";
  }
  if (!plan_.key && !plan_.needs_no_key) return words;
  const GatewaySpec::Route dummy = adapters::filled(plan_.spec.dummy, values);
  words.arguments.insert(words.arguments.end(), dummy.arguments.begin(), dummy.arguments.end());
  for (const auto& [name, value] : dummy.env) words.env[name] = value;
  return words;
}

void Gateway::tell_asking() {
  const bool asks = std::any_of(clients_.begin(), clients_.end(),
                                [](const auto& client) { return client->has_turn_in_flight(); });
  if (std::exchange(asks_, asks) != asks) told_.on_asking(asks);
}

void Gateway::accept(base::Fd connection) {
  if (clients_.size() >= kMostClients && !drop_stranger()) return;
  send_at_once(connection);
  clients_.push_back(std::make_unique<Client>(*this, std::move(connection)));
}

// Makes room: another user of this machine, who knows no secret, must not keep the agent out.
bool Gateway::drop_stranger() {
  const auto found = std::find_if(clients_.begin(), clients_.end(),
                                  [](const auto& client) { return !client->is_admitted(); });
  if (found == clients_.end()) return false;
  clients_.erase(found);
  return true;
}

void Gateway::remove(Client* client) {
  const auto found = std::find_if(clients_.begin(), clients_.end(),
                                  [client](const auto& one) { return one.get() == client; });
  if (found == clients_.end()) return;
  const std::unique_ptr<Client> gone = std::move(*found);
  clients_.erase(found);
}

bool Gateway::is_admitted(const exchange::Request& request) const {
  if (has_secret_in_path(request.target)) return true;
  const std::string* shown = exchange::find_header(request.headers, adapters::kGatewayHeader);
  return shown != nullptr && exchange::equal_secret(*shown, plan_.secret);
}

bool Gateway::has_secret_in_path(std::string_view target) const {
  const std::string prefix = "/" + plan_.secret;
  const std::string_view rest = target.substr(std::min(prefix.size(), target.size()));
  return exchange::equal_secret(target.substr(0, prefix.size()), prefix) &&
         (rest.empty() || rest.front() == '/' || rest.front() == '?');
}

void Gateway::leave_out_secret(exchange::Request& request) const {
  if (!has_secret_in_path(request.target)) return;
  request.target.erase(0, plan_.secret.size() + 1);
  if (!request.target.starts_with('/')) request.target.insert(0, "/");
}

Is Gateway::kind_of(const exchange::Request& request, bool has_tools) const {
  for (const Kind& kind : kinds_) {
    if (kind.spec.tools && !has_tools) continue;
    if (!kind.spec.header.empty()) {
      const std::string* value = exchange::find_header(request.headers, kind.spec.header);
      if (value == nullptr || (kind.match && !kind.match->matches(*value))) continue;
    }
    return kind.spec.is;
  }
  return has_tools ? Is::kTurn : Is::kSide;
}

// The target begins with a slash, so it cannot change the host.
std::string Gateway::url_of(const exchange::Request& request) const {
  std::string address = plan_.address;
  for (const GatewaySpec::Elsewhere& one : plan_.spec.elsewhere) {
    const bool by_header =
        !one.header.empty() && exchange::find_header(request.headers, one.header) != nullptr;
    const bool by_path = !one.path.empty() && request.target.starts_with(one.path);
    // The user's own address counts for all requests, and the key is for one place alone.
    const bool is_users = plan_.address != plan_.spec.address;
    if ((by_header || by_path) && !is_users && !plan_.key) address = one.address;
  }
  while (address.ends_with('/')) address.pop_back();
  return address + request.target;
}

std::vector<std::string> Gateway::headers_for(const exchange::Request& request) const {
  std::vector<std::string> headers;
  for (const auto& [name, value] : exchange::forwarded_request_headers(request.headers)) {
    if (exchange::same_name(name, adapters::kGatewayHeader)) continue;
    const bool is_key = std::any_of(
        kKeyHeaders.begin(), kKeyHeaders.end(),
        [&name = name](std::string_view one) { return exchange::same_name(name, one); });
    if (is_key && plan_.key) continue;
    headers.push_back(value.empty() ? name + ";" : name + ": " + value);
  }
  headers.emplace_back("Accept-Encoding: identity");
  if (plan_.key) headers.push_back(plan_.key->name + ": " + plan_.key->value);
  return headers;
}

std::string Gateway::used_up() const {
  event::Usage under_way;
  for (const auto& client : clients_) event::add(under_way, client->under_way());
  return budget_.used_up(under_way);
}

void Gateway::on_spent(Is kind, const exchange::Counts& counts, const std::string& asked_model) {
  budget_.add(kind, counts, asked_model);
  const Budget::Spent spent = budget_.spent(counts, asked_model);
  if (!spent.has_price && plan_.limits.dollars > 0 && !std::exchange(has_no_price_, true)) {
    told_.on_note("no price is known for model " + base::printable(asked_model) +
                  ": it counts as the dearest of the price table");
  }
  if (counts.any()) told_.on_usage(spent.usage);
}

void Gateway::on_refused_request(const std::string& why) {
  if (std::exchange(is_used_up_, true)) return;
  base::log_info(kLog, "no further request is sent: " + why);
  told_.on_used_up(why);
}

}  // namespace orch::gateway
