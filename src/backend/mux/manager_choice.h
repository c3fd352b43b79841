#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Chooses the manager that holds a session's agent. Pure.
namespace orch::mux {

enum class ManagerKind : uint8_t { kNative, kTmux, kZellij };
std::string_view name(ManagerKind kind);
std::optional<ManagerKind> kind_named(std::string_view name);

// The default is native: what a person types into a multiplexer's pane does not pass through orch,
// so orch's own messages could not wait for it. kAuto means the first of tmux and zellij that is
// installed, else native; and native where something else ends all processes, as in a container.
enum class ManagerOption : uint8_t { kAuto, kNative, kTmux, kZellij };
std::string_view name(ManagerOption wanted);
std::optional<ManagerOption> option_named(std::string_view name);

// The circumstances that a choice depends on besides the wish.
struct Circumstances {
  bool background = false;  // orch run -d
  bool container = false;   // in a container, where something else ends what runs
  bool ci = false;
  // Inside of another agent's run, with which everything ends that is started here.
  bool run = false;
  bool tmux = false, zellij = false;  // whether they are installed
};

struct Choice {
  ManagerKind kind = ManagerKind::kNative;
  std::string reason;   // for run.json
  std::string warning;  // one line if the choice is not what was asked for, else ""
};
Choice choose(ManagerOption wanted, const Circumstances& here);

}  // namespace orch::mux
