#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "event/usage.h"

namespace orch::loop {
class Loop;
}

namespace orch::agent {

// Stands between a run's agent and its model for as long as the run lives: it passes each request
// on, and knows what the agent has asked and used.
class ModelGateway {
 public:
  virtual ~ModelGateway() = default;

  // What leads the agent to the gateway.
  struct Words {
    std::vector<std::string> arguments;      // after those of the agent's options
    std::map<std::string, std::string> env;  // in addition to the agent's variables
    std::string settings;                    // JSON text, with the settings of the agent's hooks
    std::set<std::string> outside;           // variables that the agent does not get
  };
  virtual Words words() const = 0;
  virtual uint16_t port() const = 0;  // on 127.0.0.1
  // Listens no more on this machine's loopback, but where the processes of a fence do: at the same
  // port of its exit (fence/door.h). Those may also connect to the hosts that the plan names.
  // `folder` is the run's.
  virtual base::Status move_into_fence(const std::string& folder) = 0;
  virtual int64_t requests() const = 0;  // to the model, so far
  // Ends all requests, counts them, and returns what the run has used, by kind and model; "".
  virtual std::string end() = 0;

  // All are called from the loop. None may destroy the gateway.
  struct Told {
    std::function<void(const event::Usage&)> on_usage;       // of one request that has ended
    std::function<void(const std::string& why)> on_used_up;  // the first request that was not sent
    std::function<void(const std::string& note)> on_note;    // a line for the user
    // A request of the agent's own turn is under way now, or none is any more. While one is, the
    // agent is at work, whatever it draws.
    std::function<void(bool asks)> on_asking;
    std::function<void(const std::string& why)> on_off_tape;  // the first request that no tape has
    std::function<void(const std::string& why)> on_failure;   // the tape can no longer be written
  };
};

// `folder` is the agent's work directory.
using GatewayFactory = std::function<base::Result<std::unique_ptr<ModelGateway>>(
    loop::Loop&, const std::string& folder, ModelGateway::Told)>;

}  // namespace orch::agent
