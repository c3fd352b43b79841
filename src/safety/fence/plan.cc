#include "fence/plan.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <utility>

#include "base/json_writer.h"
#include "base/path.h"
#include "base/text.h"

namespace orch::fence {
namespace {

base::Error bad_network(std::string_view text) {
  return base::usage_error("--net " + base::printable(text) +
                           ": write none, or model with the names of hosts behind it "
                           "(model,pypi.org,x.org:8443), or TCP ports between commas (443,8080), "
                           "with udp among them for datagrams");
}

constexpr auto kGrantFields = [](auto& in, auto& grant) {
  in.required("path", grant.path);
  in.required("device", grant.device);
  in.required("inode", grant.inode);
};

constexpr auto kSecretsFields = [](auto& in, auto& secrets) {
  in.required("closed", secrets.closed);
  in.required("of_machine", secrets.of_machine);
  in.required("open", secrets.open);
};

constexpr auto kHomesFields = [](auto& in, auto& homes) {
  in.required("emptied", homes.emptied);
  in.required("shown", homes.shown);
};

// All but the layers and the network, which are written as texts. An object or a list that is
// missing would be an empty one: plan_from_json() refuses that.
constexpr auto kPlanFields = [](auto& in, auto& plan) {
  in.object("work_dir", plan.work_dir, kGrantFields);
  in.required("scratch", plan.scratch);
  in.list("write", plan.write, kGrantFields);
  in.required("devices", plan.devices);
  in.object("secrets", plan.secrets, kSecretsFields);
  in.object("homes", plan.homes, kHomesFields);  // missing in plans of earlier versions
  in.required("visible", plan.visible);
  in.required("sockets", plan.sockets);
  in.required("env", plan.env);
  in.required("unset", plan.unset);
  in.required("bubblewrap", plan.bubblewrap);
  in.required("snapshot", plan.snapshot);
  in.optional("snapshot_needed", plan.snapshot_needed);
  in.optional("door", plan.door);
  in.optional("exit_port", plan.exit_port);
};

constexpr std::string_view kModel = "model";

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

// A name with a dot in it, and perhaps a port: "pypi.org" becomes "pypi.org:443".
std::optional<std::string> host_with_port(std::string_view word) {
  const size_t colon = word.find(':');
  std::string name(word.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const size_t dot = name.find('.');
  const bool is_name =
      std::all_of(name.begin(), name.end(), is_host_character) && dot > 0 && dot < name.size() - 1;
  if (dot == std::string::npos || !is_name) return std::nullopt;
  uint16_t port = 443;
  if (colon != std::string_view::npos) {
    const std::string_view number = word.substr(colon + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), port);
    if (error != std::errc() || end != number.data() + number.size()) port = 0;
  }
  if (port == 0) return std::nullopt;
  return name + ":" + std::to_string(port);
}

base::Result<Network> parse_model(std::string_view text) {
  Network network{Network::Kind::kModel, {}, false, {}};
  std::string_view rest = text.substr(kModel.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the comma
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(word.size());
    std::optional<std::string> host = host_with_port(word);
    if (!host) return bad_network(text);
    network.hosts.push_back(std::move(*host));
  }
  return network;
}

}  // namespace

base::Result<Network> parse_network(std::string_view text) {
  if (text == "all") return Network{};
  if (text == "none") return Network{Network::Kind::kNone, {}, false, {}};
  if (text == kModel || text.starts_with("model,")) return parse_model(text);
  Network network{Network::Kind::kPorts, {}, false, {}};
  std::string_view rest = text;
  for (bool more = true; more;) {
    const size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
    if (word == "udp") {
      network.datagrams = true;
      continue;
    }
    uint16_t port = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), port);
    if (error != std::errc() || end != word.data() + word.size() || port == 0) {
      return bad_network(text);
    }
    network.ports.push_back(port);
  }
  if (network.ports.empty()) return bad_network(text);
  return network;
}

std::string to_text(const Network& network) {
  switch (network.kind) {
    case Network::Kind::kOpen:
      return "all";
    case Network::Kind::kNone:
      return "none";
    case Network::Kind::kModel:
      return std::accumulate(
          network.hosts.begin(), network.hosts.end(), std::string(kModel),
          [](std::string text, const std::string& host) { return std::move(text) + "," + host; });
    case Network::Kind::kPorts:
      break;
  }
  std::string text;
  for (const uint16_t port : network.ports) {
    if (!text.empty()) text += ',';
    text += std::to_string(port);
  }
  return network.datagrams ? text + ",udp" : text;
}

std::vector<std::string> names(const Layers& layers) {
  std::vector<std::string> names;
  for (const auto& [on, name] :
       {std::pair(layers.namespaces, "namespaces"), std::pair(layers.landlock, "landlock"),
        std::pair(layers.seccomp, "seccomp"), std::pair(layers.capabilities, "capabilities")}) {
    if (on) names.emplace_back(name);
  }
  return names;
}

std::string to_json(const Plan& plan) {
  base::Json json{{"layers", names(plan.layers)}, {"network", to_text(plan.network)}};
  base::JsonWriter out(json);
  kPlanFields(out, plan);
  return base::json_text(json);
}

base::Result<Plan> plan_from_json(std::string_view text, std::string_view file) {
  base::JsonDocument document(file, text);
  base::JsonMembers in(document);
  Plan plan;
  std::vector<std::string> layers;
  in.required("layers", layers);
  const auto on = [&layers](std::string_view name) {
    return std::find(layers.begin(), layers.end(), name) != layers.end();
  };
  plan.layers = {on("landlock"), on("seccomp"), on("namespaces"), on("capabilities")};
  std::string network;
  in.required("network", network);
  for (const char* key : {"work_dir", "write", "secrets"}) {
    if (!in.has(key)) in.fail(key, "is missing");
  }
  kPlanFields(in, plan);
  base::Result<Network> read = parse_network(network);
  if (!read) return read.error();
  plan.network = std::move(read).value();
  return document.finish(std::move(plan));
}

std::vector<std::string> closed_in_writable(const Plan& plan) {
  std::vector<std::string> found;
  for (const std::string& place : plan.secrets.closed) {
    const bool inside =
        std::any_of(plan.write.begin(), plan.write.end(),
                    [&place](const Grant& grant) { return base::is_within(place, grant.path); });
    if (inside) found.push_back(place);
  }
  return found;
}

}  // namespace orch::fence
