#include "fence/plan.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/json.h"
#include "base/json_members.h"
#include "base/text.h"

namespace orch::fence {
namespace {

base::Error bad_network(std::string_view text) {
  return base::usage_error("--net " + base::printable(text) +
                           ": write none, or TCP ports between commas (443,8080), with udp among "
                           "them for datagrams");
}

base::Json json_of(const Grant& grant) {
  return {{"path", grant.path}, {"device", grant.device}, {"inode", grant.inode}};
}

Grant grant_in(base::JsonMembers& outer, const base::Json& json, const std::string& name) {
  base::JsonMembers in(outer, json, name);
  Grant grant;
  in.required("path", grant.path);
  in.required("device", grant.device);
  in.required("inode", grant.inode);
  return grant;
}

std::vector<Grant> grants_in(base::JsonMembers& in) {
  std::vector<Grant> grants;
  const base::Json* list = in.find("write");
  if (list == nullptr || !list->is_array()) {
    in.fail("write", "must be an array");
    return grants;
  }
  for (size_t i = 0; in.ok() && i < list->size(); ++i) {
    grants.push_back(grant_in(in, (*list)[i], "write[" + std::to_string(i) + "]"));
  }
  return grants;
}

}  // namespace

base::Result<Network> parse_network(std::string_view text) {
  if (text == "all") return Network{};
  if (text == "none") return Network{Network::Kind::kNone, {}, false};
  Network network{Network::Kind::kPorts, {}, false};
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
  base::Json json;
  json["layers"] = names(plan.layers);
  json["network"] = to_text(plan.network);
  json["work_dir"] = json_of(plan.work_dir);
  json["scratch"] = plan.scratch;
  json["write"] = base::Json::array();
  for (const Grant& grant : plan.write) json["write"].push_back(json_of(grant));
  json["devices"] = plan.devices;
  json["secrets"] = {{"closed", plan.secrets.closed},
                     {"of_machine", plan.secrets.of_machine},
                     {"open", plan.secrets.open}};
  json["visible"] = plan.visible;
  json["sockets"] = plan.sockets;
  json["env"] = plan.env;
  json["unset"] = plan.unset;
  json["bubblewrap"] = plan.bubblewrap;
  json["snapshot"] = plan.snapshot;
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
  const base::Json* work_dir = in.find("work_dir");
  if (work_dir == nullptr) in.fail("work_dir", "is missing");
  if (work_dir != nullptr) plan.work_dir = grant_in(in, *work_dir, "work_dir");
  in.required("scratch", plan.scratch);
  plan.write = grants_in(in);
  in.required("devices", plan.devices);
  const base::Json* secrets = in.find("secrets");
  if (secrets == nullptr) in.fail("secrets", "is missing");
  if (secrets != nullptr) {
    base::JsonMembers places(in, *secrets, "secrets");
    places.required("closed", plan.secrets.closed);
    places.required("of_machine", plan.secrets.of_machine);
    places.required("open", plan.secrets.open);
  }
  in.required("visible", plan.visible);
  in.required("sockets", plan.sockets);
  in.required("unset", plan.unset);
  in.required("bubblewrap", plan.bubblewrap);
  in.required("snapshot", plan.snapshot);
  if (const base::Json* env = in.find("env"); env != nullptr && env->is_object()) {
    for (const auto& [name, value] : env->items()) {
      if (value.is_string()) plan.env.emplace(name, value.get<std::string>());
    }
  }
  base::Result<Network> read = parse_network(network);
  if (!read) return read.error();
  plan.network = std::move(read).value();
  return document.finish(std::move(plan));
}

}  // namespace orch::fence
