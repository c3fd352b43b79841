#include "manager/choice.h"

#include "base/words.h"

namespace orch::manager {
namespace {

constexpr base::Words<Kind, 3> kKinds{
    {{Kind::kNative, "native"}, {Kind::kTmux, "tmux"}, {Kind::kZellij, "zellij"}}};
constexpr base::Words<Wish, 4> kWishes{{{Wish::kAuto, "auto"},
                                        {Wish::kNative, "native"},
                                        {Wish::kTmux, "tmux"},
                                        {Wish::kZellij, "zellij"}}};

Choice by_itself(const Circumstances& here) {
  if (here.container) return {Kind::kNative, "auto: in a container", ""};
  if (here.ci) return {Kind::kNative, "auto: in CI", ""};
  if (here.run) return {Kind::kNative, "auto: inside of another run", ""};
  if (here.tmux) return {Kind::kTmux, "auto: tmux is installed", ""};
  if (here.zellij) return {Kind::kZellij, "auto: zellij is installed", ""};
  return {Kind::kNative, "auto: neither tmux nor zellij is installed", ""};
}

Choice as_wished(Kind kind, bool installed) {
  const std::string name(manager::name(kind));
  if (installed) return {kind, "asked for", ""};
  return {Kind::kNative, name + " was asked for and is not installed",
          name +
              " is not installed, so the session is native; install it, or say "
              "--session-manager native"};
}

}  // namespace

std::string_view name(Kind kind) { return base::word_of(kKinds, kind); }
std::string_view name(Wish wish) { return base::word_of(kWishes, wish); }
std::optional<Wish> wish_named(std::string_view name) { return base::value_of(kWishes, name); }

Choice choose(Wish wish, const Circumstances& here) {
  if (!here.background) return {Kind::kNative, "a foreground run is its own session", ""};
  switch (wish) {
    case Wish::kAuto:
      return by_itself(here);
    case Wish::kNative:
      return {Kind::kNative, "asked for, or the default", ""};
    case Wish::kTmux:
      return as_wished(Kind::kTmux, here.tmux);
    case Wish::kZellij:
      return as_wished(Kind::kZellij, here.zellij);
  }
  return {};
}

}  // namespace orch::manager
