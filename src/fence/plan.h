#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fence/grant.h"
#include "fence/secrets.h"

namespace orch::fence {

// Where a fenced process may connect to.
struct Network {
  enum class Kind : uint8_t {
    kOpen,
    kPorts,  // TCP, to these ports of any host
    kNone,
  };
  Kind kind = Kind::kOpen;
  std::vector<uint16_t> ports;  // of kPorts
  bool datagrams = false;       // of kPorts: UDP, too, to any port
  bool operator==(const Network&) const = default;
};

// "none", or ports between commas ("443,8080"), with "udp" among them for datagrams.
base::Result<Network> parse_network(std::string_view text);
std::string to_text(const Network& network);  // "all", "none", "443,udp"

// The parts of a fence, each of which holds what the others cannot.
struct Layers {
  bool landlock = false;      // files, signals, abstract sockets, ports
  bool seccomp = false;       // system calls that Landlock does not know
  bool namespaces = false;    // read-only mounts, processes, IPC, sockets by path, the network
  bool capabilities = false;  // root's are dropped, but for those over files
  bool any() const { return landlock || namespaces; }
  bool operator==(const Layers&) const = default;
};
std::vector<std::string> names(const Layers& layers);

// All that is needed to fence a process: decided by the host of a run, written to a file that the
// process cannot write, carried out by the process itself before it becomes the agent. Paths are
// absolute, without symbolic links, and existed when the plan was made.
struct Plan {
  Layers layers;
  Network network;
  Grant work_dir;                    // where the agent is started; among `write` as well
  std::string scratch;               // the run's own folder for temporary files: in namespaces /tmp
  std::vector<Grant> write;          // files, and folders with all that is in them
  std::vector<std::string> devices;  // of /dev; empty: the usual ones
  SecretPlaces secrets;              // what cannot be read
  std::vector<std::string> visible;  // what is needed although /tmp or /run hides it
  std::vector<std::string> sockets;  // by path, that cannot be connected to
  std::map<std::string, std::string> env;  // added to the environment
  std::vector<std::string> unset;          // ... taken from it
  std::string bubblewrap;                  // the program; "" without namespaces
  std::string snapshot;  // the work directory is saved there beforehand; "": it is not
  bool operator==(const Plan&) const = default;
};

std::string to_json(const Plan& plan);
base::Result<Plan> plan_from_json(std::string_view text, std::string_view file);

}  // namespace orch::fence
