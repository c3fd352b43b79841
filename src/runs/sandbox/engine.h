#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pty/tool.h"

namespace orch::sandbox {

// The command line client that makes containers. It finds its daemon as its user has set it up
// ($DOCKER_HOST, contexts); nothing here talks to a daemon's socket.
enum class EngineKind : uint8_t { kDocker, kPodman };
std::string_view name(EngineKind kind);  // "docker"
std::optional<EngineKind> engine_named(std::string_view name);

struct Engine {
  EngineKind kind = EngineKind::kDocker;
  std::string program;    // path of the client
  bool rootless = false;  // root in its containers is the user that runs the daemon
};

// The limits of the client's answer: the time to wait for it, and its length.
inline constexpr pty::ToolLimits kEngineLimits{.patience_ms = 15'000, .bytes = 4 << 20};
// Runs the client with these words. An error: it gave no answer, or one that is too long.
base::Result<pty::ToolEnd> ask_engine(const Engine& engine, std::vector<std::string> words);

// Finds the client along PATH and asks it whether it reaches its daemon. Waits 15 s at most. Errors
// are one line with the remedy: there is no client, or no daemon answers.
base::Result<Engine> find_engine(EngineKind kind);

// Finds the client only, without asking its daemon; nullopt if it is not installed.
std::optional<Engine> find_client(EngineKind kind);

// The facts about an image. An error if it is not on this machine: orch does not pull images.
struct Image {
  bool foreign = false;  // its programs are for another kind of processor
};
base::Result<Image> find_image(const Engine& engine, const std::string& image);

// One of orch's containers that is running, as the engine describes it.
struct Running {
  std::string work;     // the folder of this machine that is mounted at kWorkspace
  std::string network;  // the network it is connected to
  std::string user;     // "UID:GID"
};
// An error if the container is not running or is not one of orch's.
base::Result<Running> find_running(const Engine& engine, const std::string& container);

// The line of a client's error output that names the problem, without a prefix such as "docker:
// Error response from daemon: "; printable.
std::string complaint_in(std::string_view errors);

// The paths of the work directory and of the agent's home in every container.
constexpr std::string_view kWorkspace = "/workspace/project";
constexpr std::string_view kHome = "/home/agent";

}  // namespace orch::sandbox
