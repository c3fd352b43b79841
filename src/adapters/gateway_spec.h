#pragma once

#include <map>
#include <string>
#include <vector>

namespace orch::adapters {

// The variable and the header that carry the secret of a run's gateway where its address cannot,
// because the address stands on a command line.
inline constexpr const char* kGatewayVariable = "ORCH_GATEWAY";
inline constexpr const char* kGatewayHeader = "x-orch-gateway";

// How the agent's requests to its model go through orch's gateway, for one run and without touching
// the user's files.
struct GatewaySpec {
  // What leads the agent there. In the texts {url} stands for the gateway's address with the run's
  // secret in its path, {origin} for the address without it, {secret} for the secret, and
  // {provider} for the name of the provider in the user's configuration. Arguments may not hold the
  // secret: ps shows them.
  struct Route {
    std::vector<std::string> arguments;
    std::map<std::string, std::string> env;
    std::string settings;  // JSON text, merged into the hooks' settings file
    bool any() const { return !arguments.empty() || !env.empty() || !settings.empty(); }
  };
  // A file of the user's that names the address of the model. Its values are named by the way to
  // them, in JSON, in TOML, or in lines NAME=VALUE, by the file's ending: .json, .toml, .env.
  struct Config {
    std::string file;      // written as in FenceSpec
    std::string provider;  // the provider's name, up to a slash; "": there are none
    std::string builtin;   // the name of the vendor's own provider
    std::string address;   // may hold {provider}
  };
  // Requests with this header, or below this path, go to another address.
  struct Elsewhere {
    std::string header, path, address;
  };
  // A key that the gateway can add in the agent's place.
  struct Key {
    std::string variable, header, prefix;
  };
  // A kind of request: the first that fits counts. All of its conditions must hold.
  struct Kind {
    enum class Is : uint8_t { kTurn, kSubagent, kTitle, kCompact, kSide };
    Is is = Is::kTurn;
    std::string header;  // the request has it
    std::string match;   // RE2 over the header's value; "": any value
    bool tools = false;  // the request offers tools to the model
  };

  std::string address;                 // the vendor's own address
  std::vector<std::string> variables;  // hold the user's own address; the first that is set counts
  Config config;                       // counts more than the variables
  std::string own_provider;            // the provider's name for orch's own route, {provider} there
  Route route;                         // where the user's configuration names no provider
  Route provider_route;                // where it does; not any(): the same
  std::vector<Elsewhere> elsewhere;
  std::vector<Key> keys;  // the first whose variable is set counts
  Route dummy;            // gives the agent the run's secret in place of its key
  // Variables that send the requests past the gateway, each with the reason.
  std::map<std::string, std::string> blind;
  std::vector<Kind> kinds;
  bool any() const { return route.any(); }
};

class Members;
void gateway_members(Members& in, GatewaySpec& gateway);
std::string_view name(GatewaySpec::Kind::Is kind);  // "turn", "subagent", ...

// A copy of the text with {name} replaced by its value, for all of `values`.
std::string filled(std::string text, const std::map<std::string, std::string>& values);
GatewaySpec::Route filled(const GatewaySpec::Route& route,
                          const std::map<std::string, std::string>& values);

// The value at a way ("/env/NAME") of a configuration; `ending` is ".json", ".toml" or ".env". ""
// if it is missing or not a text. Of TOML, tables and plain keys with texts in one line are read;
// other values are passed over.
std::string config_value(std::string_view text, std::string_view ending, std::string_view way);

}  // namespace orch::adapters
