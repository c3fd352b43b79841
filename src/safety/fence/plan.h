#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fence/grant.h"
#include "fence/home.h"
#include "fence/secrets.h"

namespace orch::fence {

// Where a fenced process may connect.
struct Network {
  enum class Kind : uint8_t {
    kOpen,
    kPorts,  // by TCP, to these ports of any host
    kNone,
    kModel,  // in a network namespace whose one exit is orch's gateway (door.h)
  };
  Kind kind = Kind::kOpen;
  std::vector<uint16_t> ports;     // for kPorts
  bool datagrams = false;          // for kPorts: also UDP, to any port
  std::vector<std::string> hosts;  // for kModel: "name:port", reached through the gateway
  bool operator==(const Network&) const = default;
};

// Parses "all", "none", "model" with the names of hosts behind it ("model,pypi.org,x.org:8443";
// without a port: 443), or ports separated by commas ("443,8080"), with "udp" among them for
// datagrams.
base::Result<Network> parse_network(std::string_view text);
std::string to_text(const Network& network);  // "all", "none", "443,udp"

// The layers of a fence; each of them holds things that the others cannot.
struct Layers {
  bool landlock = false;      // files, signals, abstract sockets, ports
  bool seccomp = false;       // system calls that Landlock does not know
  bool namespaces = false;    // read-only mounts, processes, IPC, sockets by path, the network
  bool capabilities = false;  // root's capabilities are dropped, except those for files
  bool any() const { return landlock || namespaces; }
  bool operator==(const Layers&) const = default;
};
std::vector<std::string> names(const Layers& layers);

// All that is needed to fence a process. It is decided by the host of a run, written to a file that
// the process cannot write, and carried out by the process itself before it becomes the agent.
// Paths are absolute, without symbolic links, and existed when the plan was made.
struct Plan {
  Layers layers;
  Network network;
  Grant work_dir;            // where the agent is started; also in `write`
  std::string scratch;       // the run's folder for temporary files; in namespaces it is /tmp
  std::vector<Grant> write;  // files, and folders with all their content
  std::vector<std::string> devices;        // in /dev; empty: the usual ones
  SecretPlaces secrets;                    // files that cannot be read
  HomeView homes;                          // the visible part of the homes
  std::vector<std::string> visible;        // paths that are needed although /tmp or /run hides them
  std::vector<std::string> sockets;        // paths of sockets that cannot be connected to
  std::map<std::string, std::string> env;  // added to the environment
  std::vector<std::string> unset;          // variables that are removed from it
  std::string bubblewrap;                  // the program; "" without namespaces
  std::string snapshot;         // where the work directory is saved before; "": it is not
  bool snapshot_needed = true;  // without it nothing is started
  std::string door;             // for Network::kModel: the folder with orch's end of the exit
  uint16_t exit_port = 0;       // for Network::kModel: where the exit listens
  bool operator==(const Plan&) const = default;
};

// The places below those the process may write that it may not read: no snapshot, which agents may
// read, keeps them.
std::vector<std::string> closed_in_writable(const Plan& plan);

std::string to_json(const Plan& plan);
base::Result<Plan> plan_from_json(std::string_view text, std::string_view file);

}  // namespace orch::fence
