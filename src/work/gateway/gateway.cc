#include "gateway/gateway.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/log.h"
#include "base/text.h"
#include "fence/door.h"
#include "gateway/client.h"
#include "gateway/listening.h"
#include "loop/loop.h"

namespace orch::gateway {
namespace {

using adapters::GatewaySpec;
using base::Result;
using exchange::Asked;
using Is = GatewaySpec::Kind::Is;

constexpr size_t kMostClients = 256;
constexpr size_t kMostExits = 8;
constexpr size_t kMostNoted = 16;

// Headers that hold a key; with a key of the gateway's own none of the agent's goes on.
constexpr std::array<std::string_view, 4> kKeyHeaders{"authorization", "x-api-key",
                                                      "x-goog-api-key", "api-key"};

}  // namespace

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
void Gateway::note_uncounted(const Asked& asked, const std::string& why) {
  if (asked.protocol == exchange::Protocol::kNone || std::exchange(is_uncounted_, true)) return;
  told_.on_note("the model's answers " + why + ": orch cannot count them" +
                (plan_.limits.any() ? ", and the budget does not hold" : ""));
}

std::string Gateway::end() {
  exits_.clear();
  arrivals_.clear();
  listener_.reset();
  std::exchange(clients_, {}).clear();  // their ends look at the list
  std::string summary = budget_.summary();
  const auto add = [&summary](const std::string& phrase) {
    summary += (summary.empty() || phrase.empty() ? "" : "; ") + phrase;
  };
  if (recording_) add(recording_->end());
  if (player_) add(player_->summary());
  return summary;
}

base::Status Gateway::open_tapes() {
  const TapePlan& plan = plan_.tapes;
  if (!plan.any()) return base::Ok{};
  normaliser_ = std::make_shared<const tape::Normaliser>(plan.places, plan.secrets);
  if (plan.replay) player_.emplace(*plan.replay, plan.order);
  if (plan.record.empty()) return base::Ok{};
  Result<TapeFile> file = TapeFile::make(plan.record, plan.header);
  if (!file) return file.error();
  recording_ =
      std::make_unique<Recording>(loop_, std::move(file).value(), normaliser_,
                                  [this](const std::string& why) { told_.on_failure(why); });
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
