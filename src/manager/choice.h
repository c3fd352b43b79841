#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Which manager holds a session's agent. Pure.
namespace orch::manager {

enum class Kind : uint8_t { kNative, kTmux, kZellij };
std::string_view name(Kind kind);

// Native unless somebody says otherwise: what a person types into a multiplexer's pane does not
// pass through orch, whose own messages therefore cannot wait for it. kAuto: the first of tmux,
// zellij and native that is there; native where somebody else ends what runs.
enum class Wish : uint8_t { kAuto, kNative, kTmux, kZellij };
std::string_view name(Wish wish);
std::optional<Wish> wish_named(std::string_view name);

// What a choice depends on beside the wish.
struct Circumstances {
  bool background = false;  // orch run -d
  bool container = false;   // somebody else ends what runs here
  bool ci = false;
  bool run = false;  // of another agent's orch, with which all goes that is started here
  bool tmux = false, zellij = false;  // installed
};

struct Choice {
  Kind kind = Kind::kNative;
  std::string reason;   // of run.json
  std::string warning;  // one line, when it is not what was wished; ""
};
Choice choose(Wish wish, const Circumstances& here);

}  // namespace orch::manager
