#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::sandbox {

// What makes containers: a command line client, which finds its daemon as its user set it up
// ($DOCKER_HOST, contexts). Nothing here speaks to a daemon's socket.
enum class EngineKind : uint8_t { kDocker, kPodman };
std::string_view name(EngineKind kind);  // "docker"
std::optional<EngineKind> engine_named(std::string_view name);

struct Engine {
  EngineKind kind = EngineKind::kDocker;
  std::string program;    // its path
  bool rootless = false;  // root in its containers is whoever runs the daemon
};

// The client along PATH, which has to reach its daemon. Waits for that, 15 s at most. Errors, one
// line each that names the remedy: there is no client, or no daemon answers.
base::Result<Engine> find_engine(EngineKind kind);

// The client alone: nothing where it is not installed.
std::optional<Engine> find_client(EngineKind kind);

// An error where the image is not on this machine: orch does not fetch one.
base::Status check_image(const Engine& engine, const std::string& image);

// A container of orch's that runs, as its labels tell of it.
struct Running {
  std::string work;     // the folder of this machine that is its kWorkspace
  std::string network;  // what it is connected to
  std::string user;     // "UID:GID"
};
// An error where it does not run, or is none of orch's.
base::Result<Running> find_running(const Engine& engine, const std::string& container);

// The line of a client's complaint that says what happened, without its "docker: Error response
// from daemon: "; printable.
std::string complaint_in(std::string_view errors);

// Where files are in every container.
constexpr std::string_view kWorkspace = "/workspace/project";
constexpr std::string_view kHome = "/home/agent";

}  // namespace orch::sandbox
