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

// The default is native: keys that the user types into a multiplexer's pane do not pass through
// orch, so orch's own messages could not wait for them. kAuto means the first of tmux and zellij
// that is installed, otherwise native. It also means native in places where something else ends all
// processes, such as containers.
enum class ManagerOption : uint8_t { kAuto, kNative, kTmux, kZellij };
std::string_view name(ManagerOption wanted);
std::optional<ManagerOption> option_named(std::string_view name);

// The circumstances that a choice depends on besides the option.
struct Circumstances {
  bool background = false;  // orch run -d
  bool container = false;   // in a container, where something else ends all processes
  bool ci = false;
  // Inside of another agent's run; everything started here ends with it.
  bool run = false;
  bool tmux = false, zellij = false;  // whether they are installed
};

struct Choice {
  ManagerKind kind = ManagerKind::kNative;
  std::string reason;   // for run.json
  std::string warning;  // one line if the choice differs from the option, otherwise ""
};
Choice choose(ManagerOption wanted, const Circumstances& here);

}  // namespace orch::mux
