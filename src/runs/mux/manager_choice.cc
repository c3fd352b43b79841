#include "mux/manager_choice.h"

#include "base/words.h"

namespace orch::mux {
namespace {

constexpr base::Words<ManagerKind, 3> kKinds{{{ManagerKind::kNative, "native"},
                                              {ManagerKind::kTmux, "tmux"},
                                              {ManagerKind::kZellij, "zellij"}}};
constexpr base::Words<ManagerOption, 4> kOptions{{{ManagerOption::kAuto, "auto"},
                                                  {ManagerOption::kNative, "native"},
                                                  {ManagerOption::kTmux, "tmux"},
                                                  {ManagerOption::kZellij, "zellij"}}};

Choice by_itself(const Circumstances& here) {
  if (here.container) return {ManagerKind::kNative, "auto: in a container", ""};
  if (here.ci) return {ManagerKind::kNative, "auto: in CI", ""};
  if (here.run) return {ManagerKind::kNative, "auto: inside of another run", ""};
  if (here.tmux) return {ManagerKind::kTmux, "auto: tmux is installed", ""};
  if (here.zellij) return {ManagerKind::kZellij, "auto: zellij is installed", ""};
  return {ManagerKind::kNative, "auto: neither tmux nor zellij is installed", ""};
}

Choice as_wished(ManagerKind kind, bool installed) {
  const std::string name(mux::name(kind));
  if (installed) return {kind, "asked for", ""};
  return {ManagerKind::kNative, name + " was asked for and is not installed",
          name +
              " is not installed, so the session is native; install it, or say "
              "--session-manager native"};
}

}  // namespace

std::string_view name(ManagerKind kind) { return base::word_of(kKinds, kind); }
std::optional<ManagerKind> kind_named(std::string_view name) {
  return base::value_of(kKinds, name);
}
std::string_view name(ManagerOption wanted) { return base::word_of(kOptions, wanted); }
std::optional<ManagerOption> option_named(std::string_view name) {
  return base::value_of(kOptions, name);
}

Choice choose(ManagerOption wanted, const Circumstances& here) {
  if (!here.background) return {ManagerKind::kNative, "a foreground run is its own session", ""};
  switch (wanted) {
    case ManagerOption::kAuto:
      return by_itself(here);
    case ManagerOption::kNative:
      return {ManagerKind::kNative, "asked for, or the default", ""};
    case ManagerOption::kTmux:
      return as_wished(ManagerKind::kTmux, here.tmux);
    case ManagerOption::kZellij:
      return as_wished(ManagerKind::kZellij, here.zellij);
  }
  return {};
}

}  // namespace orch::mux
