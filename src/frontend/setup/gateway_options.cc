#include "setup/gateway_options.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "base/random.h"
#include "base/text.h"
#include "http/request.h"
#include "mask/secrets.h"
#include "session/environment.h"
#include "setup/container_options.h"
#include "setup/paths.h"
#include "setup/repository.h"
#include "setup/run_secrets.h"
#include "store/file_io.h"

namespace orch::setup {
namespace {

using adapters::GatewaySpec;
using base::Result;
using base::Status;
using base::usage_error;

constexpr std::string_view kOutside = "outside";
constexpr std::string_view kAuto = "auto";
constexpr size_t kMostConfigBytes = 1 << 20;

// The value that the agent will see.
std::string agents_value(const adapters::LaunchPlan& launch, const std::string& name) {
  const auto added = launch.env.find(name);
  return added == launch.env.end() ? environment(name.c_str()) : added->second;
}

// What the user's own configuration of the agent says.
struct Configured {
  std::string file;      // "" if there is none
  bool has_key = false;  // it holds a key of the model
  std::string provider;  // "" for the agent's own
  std::string address;   // ""
};

Configured configured(const GatewaySpec& gateway, const adapters::LaunchPlan& launch) {
  const GatewaySpec::Config& spec = gateway.config;
  Configured out;
  const auto variables = [&launch](std::string_view name) {
    return agents_value(launch, std::string(name));
  };
  const std::optional<std::string> file = adapters::expanded(spec.file, variables);
  if (!file) return out;
  const Result<std::string> text = store::read_regular_file(*file, kMostConfigBytes);
  if (!text) return out;
  out.file = *file;
  const std::string ending = std::filesystem::path(*file).extension().string();
  for (const GatewaySpec::Key& key : gateway.keys) {
    const std::string value = environment(key.variable.c_str());
    out.has_key = out.has_key || (!value.empty() && text->find(value) != std::string::npos) ||
                  !adapters::config_value(*text, ending, "/" + key.variable).empty() ||
                  !adapters::config_value(*text, ending, "/env/" + key.variable).empty();
  }
  if (!spec.provider.empty()) {
    const std::string provider = adapters::config_value(*text, ending, spec.provider);
    out.provider = provider.substr(0, provider.find('/'));
    if (out.provider == spec.builtin) out.provider.clear();
    if (out.provider.empty()) return out;
  }
  out.address = adapters::config_value(
      *text, ending, adapters::filled(spec.address, {{"provider", out.provider}}));
  return out;
}

bool is_loopback(std::string_view address) {
  for (const std::string_view own : {"http://127.0.0.1", "http://localhost", "http://[::1]"}) {
    if (!address.starts_with(own)) continue;
    const std::string_view rest = address.substr(own.size());
    return rest.empty() || rest.front() == ':' || rest.front() == '/';
  }
  return false;
}

// The variable with the key: the one that is named behind "outside:", or the first of the agent's
// that is set.
const GatewaySpec::Key* find_key(const std::string& named, const GatewaySpec& spec,
                                 GatewaySpec::Key& found) {
  if (spec.keys.empty()) return nullptr;
  for (const GatewaySpec::Key& key : spec.keys) {
    if (named.empty() ? environment(key.variable.c_str()).empty() : key.variable != named) continue;
    return &(found = key);
  }
  if (named.empty()) return nullptr;
  found = spec.keys.front();
  found.variable = named;
  return &found;
}

// Every variable that holds the key, or may log the agent in.
std::vector<std::string> variables_with(const std::string& key, const adapters::Manifest& agent) {
  std::vector<std::string> names = agent.login.variables;
  names.insert(names.end(), agent.login.keys.begin(), agent.login.keys.end());
  for (const std::string& entry : session::own_environment()) {
    const size_t sign = entry.find('=');
    if (sign == std::string::npos) continue;
    if (std::string_view(entry).substr(sign + 1).find(key) != std::string_view::npos) {
      names.push_back(entry.substr(0, sign));
    }
  }
  return names;
}

// The agent would use these instead of the dummy, or could read them.
Status check_no_login(const adapters::Manifest& agent, const adapters::LaunchPlan& launch) {
  const auto variables = [&launch](std::string_view name) {
    return agents_value(launch, std::string(name));
  };
  for (const std::string& name : agent.login.files) {
    const std::optional<std::string> file = adapters::expanded(name, variables);
    if (!file || regular_file(*file).empty()) continue;
    return usage_error(
        "--keys outside: agent " + agent.name + " is logged in by " + base::printable(*file) +
        ", whose tokens it has to hold itself: log out, or leave out --keys outside");
  }
  return base::Ok{};
}

// Keeps the key outside of the agent.
Status keep_key(const options::RunRequest& request, const adapters::Manifest& agent,
                const adapters::LaunchPlan& launch,
                const std::optional<session::FenceRequest>& fence, gateway::Plan& plan) {
  if (!fence || fence->offer.landlock == 0) {
    return usage_error(
        "--keys outside: without a fence that has Landlock the agent could read the key in the "
        "memory of orch: add --sandbox landlock");
  }
  if (!plan.address.starts_with("https://") && !is_loopback(plan.address)) {
    return usage_error("--keys outside: " + base::printable(plan.address) +
                       " would get the key without encryption");
  }
  if (Status s = check_no_login(agent, launch); !s) return s;
  const std::string named =
      request.keys.size() > kOutside.size() ? request.keys.substr(kOutside.size() + 1) : "";
  GatewaySpec::Key key;
  if (find_key(named, plan.spec, key) == nullptr || environment(key.variable.c_str()).empty()) {
    std::string names;
    for (const GatewaySpec::Key& one : plan.spec.keys) {
      names += (names.empty() ? "" : " or ") + one.variable;
    }
    return usage_error("--keys outside: " + (named.empty() ? names : named) +
                       (names.empty() ? "agent " + agent.name + " has no key that orch can add"
                                      : " has to hold the key, in orch's environment"));
  }
  const std::string value = environment(key.variable.c_str());
  for (const auto& [name, given] : launch.env) {
    if (given.find(value) == std::string::npos) continue;
    return usage_error("--keys outside: --env gives the key to the agent as " + name);
  }
  if (value.find_first_of("\r\n") != std::string::npos) {
    return usage_error("--keys outside: the key in " + key.variable + " holds an end of line");
  }
  plan.key = gateway::KeyHeader{key.header, key.prefix + value};
  plan.outside = variables_with(value, agent);
  return base::Ok{};
}

// No model is asked: the agent needs neither a key nor a login.
void answer_from_tape(const adapters::Manifest& agent, gateway::Plan& plan) {
  plan.needs_no_key = true;
  plan.address = "http://127.0.0.1:9";  // that nobody connects to
  if (plan.provider.empty()) plan.provider = plan.tapes.replay->header.provider;
  plan.tapes.header.provider = plan.provider;
  plan.outside = agent.login.variables;
  plan.outside.insert(plan.outside.end(), agent.login.keys.begin(), agent.login.keys.end());
}

// An error if the agent's requests would not come through the gateway.
Status check_sight(const options::RunRequest& request, const adapters::Manifest& agent,
                   const adapters::LaunchPlan& launch,
                   const std::optional<session::FenceRequest>& fence) {
  if (!agent.gateway.any()) {
    return usage_error("--gateway: it is not known how agent " + agent.name +
                       " asks its model (its manifest has no gateway)");
  }
  if (wants_container(request)) {
    return usage_error("--gateway: a container does not reach the loopback of this machine");
  }
  if (fence && fence->offer.any() && fence->network.kind == fence::Network::Kind::kNone) {
    return usage_error("--net none shuts out the gateway, too");
  }
  for (const auto& [variable, why] : agent.gateway.blind) {
    const std::string value = agents_value(launch, variable);
    if (value.empty() || value == "0" || value == "false") continue;
    return usage_error("--gateway would see nothing: " + variable + " is set, and then " + why);
  }
  return base::Ok{};
}

Status check_tapes(const options::RunRequest& request) {
  const bool replays = !request.replay_wire.empty();
  if (!replays && request.record_wire.empty()) return base::Ok{};
  const std::string option = replays ? "--replay-wire" : "--record-wire";
  if (request.issues.size() > 1) return usage_error(option + ": a tape is of one issue");
  if (!request.fallback.empty()) {
    return usage_error(option + ": a tape is of one agent: leave out --fallback");
  }
  if (replays && !request.gateway.empty()) {
    return usage_error("--replay-wire asks no model: leave out --gateway");
  }
  if (replays && request.keys.starts_with(kOutside)) {
    return usage_error("--replay-wire needs no key: leave out --keys");
  }
  return base::Ok{};
}

// The home directory that the agent sees, with its links and without.
std::vector<std::string> spellings(const std::string& folder) {
  std::vector<std::string> all;
  if (!folder.empty()) all.push_back(folder);
  const Result<std::string> resolved = resolve_folder(folder);
  if (resolved && *resolved != folder) all.push_back(*resolved);
  return all;
}

// The tapes, but for what each session adds.
Result<gateway::TapePlan> tapes_of(const options::RunRequest& request,
                                   const adapters::Manifest& agent,
                                   const adapters::LaunchPlan& launch) {
  gateway::TapePlan plan;
  if (Status s = check_tapes(request); !s) return s.error();
  std::error_code failure;
  if (!request.record_wire.empty()) {
    plan.record = std::filesystem::absolute(request.record_wire, failure).string();
  }
  plan.header.agent = agent.name;
  plan.order = request.replay_loose ? tape::Order::kLoose : tape::Order::kExact;
  plan.places.home = spellings(agents_value(launch, "HOME"));
  if (request.replay_wire.empty()) return plan;
  const Result<std::string> text = read_text(request.replay_wire, tape::kMostTapeBytes);
  if (!text) return text.error();
  Result<tape::Tape> tape = tape::parse(request.replay_wire, *text);
  if (!tape) return tape.error();
  if (tape->header.agent != agent.name) {
    return usage_error("--replay-wire " + base::printable(request.replay_wire) +
                       ": it is of agent " + base::printable(tape->header.agent) + ", not of " +
                       agent.name);
  }
  plan.replay = std::make_shared<const tape::Tape>(std::move(tape).value());
  return plan;
}

Result<exchange::PriceTable> prices() {
  const std::string file =
      std::filesystem::path(user_config()).parent_path().string() + "/prices.json";
  if (!may_be_there(file)) return exchange::PriceTable::built_in();
  if (std::string why = why_not_own(file); !why.empty()) return usage_error(why);
  const Result<std::string> text = read_own_text(file);
  if (!text) return text.error();
  return exchange::PriceTable::parse(*text, file);
}

}  // namespace

bool wants_gateway(const options::RunRequest& request) {
  const bool model_alone = request.network && !wants_container(request) &&
                           (*request.network == "model" || request.network->starts_with("model,"));
  const bool has_tape = !request.record_wire.empty() || !request.replay_wire.empty();
  return has_tape || !request.gateway.empty() || request.keys.starts_with(kOutside) || model_alone;
}

Result<std::optional<gateway::Plan>> gateway_of(const options::RunRequest& request,
                                                const adapters::Manifest& agent,
                                                const adapters::LaunchPlan& launch,
                                                const std::optional<session::FenceRequest>& fence,
                                                std::vector<std::string>& notes) {
  const std::string& keys = request.keys;
  if (!keys.empty() && keys != "agent" && keys != kOutside && !keys.starts_with("outside:")) {
    return usage_error("--keys " + base::printable(keys) +
                       ": write agent, outside or outside:NAME");
  }
  if (request.replay_loose && request.replay_wire.empty()) {
    return usage_error("--replay-loose goes with --replay-wire");
  }
  if (!wants_gateway(request)) return std::optional<gateway::Plan>();
  if (Status s = check_sight(request, agent, launch, fence); !s) return s.error();
  gateway::Plan plan;
  plan.spec = agent.gateway;
  Result<gateway::TapePlan> tapes = tapes_of(request, agent, launch);
  if (!tapes) return tapes.error();
  plan.tapes = std::move(tapes).value();
  const Configured own = configured(plan.spec, launch);
  plan.provider = own.provider;
  const bool is_named = !request.gateway.empty() && request.gateway != kAuto;
  const bool holds_key = request.keys.starts_with(kOutside);
  // Agents write in their own configuration, so no key goes where that says.
  if (holds_key && !is_named && !own.address.empty()) {
    return usage_error("--keys outside: " + base::printable(own.file) +
                       ", which agents may write, names the address " +
                       base::printable(own.address) + ": if it is right, say so: --gateway " +
                       base::printable(own.address));
  }
  if (holds_key && own.has_key) {
    return usage_error("--keys outside: " + base::printable(own.file) +
                       ", which the agent reads, holds a key: take it out");
  }
  if (plan.tapes.replay) {
    answer_from_tape(agent, plan);
    notes.push_back("agent " + agent.name + " is answered from tape " +
                    base::printable(request.replay_wire) + " (docs/gateway.md)");
    return std::optional(std::move(plan));
  }
  plan.tapes.header.provider = plan.provider;
  plan.address = is_named ? request.gateway : own.address;
  for (const std::string& variable : plan.spec.variables) {
    if (plan.address.empty()) plan.address = agents_value(launch, variable);
  }
  if (plan.address.empty() && own.provider.empty()) plan.address = plan.spec.address;
  if (plan.address.empty()) {
    return usage_error("--gateway: the address of the model is not known" +
                       (own.provider.empty() ? "" : " for provider " + own.provider) +
                       ": write --gateway URL");
  }
  if (Status s = http::check_url(plan.address); !s) return s.error();
  if (fence) plan.hosts = fence->network.hosts;
  Result<exchange::PriceTable> table = prices();
  if (!table) return table.error();
  plan.prices = std::move(table).value();
  if (holds_key) {
    if (Status s = keep_key(request, agent, launch, fence, plan); !s) return s.error();
  }
  notes.push_back("agent " + agent.name + " asks its model through orch's gateway, which asks " +
                  base::printable(plan.address) + " (docs/gateway.md)");
  return std::optional(std::move(plan));
}

void lead_through(const gateway::Plan& plan, const options::RunRequest& request,
                  session::SessionSetup& session) {
  gateway::Plan own = plan;
  own.secret = base::random_hex();
  std::vector<mask::Variable> secrets = variables_of(request.env);
  secrets.push_back({"GATEWAY_SECRET", own.secret, mask::Variable::From::kUser});
  session.secrets = std::make_shared<const mask::Secrets>(mask::Secrets::of(secrets));
  own.tapes.secrets = session.secrets;
  session.gateway =
      [own = std::move(own)](
          loop::Loop& loop, const std::string& folder,
          agent::ModelGateway::Told told) -> Result<std::unique_ptr<agent::ModelGateway>> {
    gateway::Plan here = own;
    here.tapes.places.folder = spellings(folder);
    auto gateway = gateway::Gateway::open(loop, std::move(here), std::move(told));
    if (!gateway) return gateway.error();
    return std::unique_ptr<agent::ModelGateway>(std::move(gateway).value());
  };
}

}  // namespace orch::setup
