#include "policy/command_wrappers.h"

#include <algorithm>
#include <array>
#include <string>

namespace orch::policy {
namespace {

// Programs that run the command in their operands.
struct Wrapper {
  std::string_view program;
  std::string_view with_value;   // options whose value is the next word, each with a blank
  size_t operands = 0;           // how many stand before the command
  bool assigns = false;          // NAME=VALUE may stand before it
  std::string_view script = "";  // options whose value is a shell's command line
};
constexpr std::array<Wrapper, 29> kWrappers{{
    {"sudo", "-u -g -h -p -C -D -R -T -U -r -t --user --group --chdir ", 0, true},
    {"doas", "-u -C "},
    {"pkexec", "--user "},
    {"runuser", "-u --user ", 0, false, "-c --command "},
    {"env", "-u --unset -C --chdir ", 0, true, "-S --split-string "},
    {"nohup", ""},
    {"setsid", ""},
    {"time", "-f -o "},
    {"command", ""},
    {"builtin", ""},
    {"exec", "-a "},
    {"nice", "-n --adjustment "},
    {"ionice", "-c -n -p "},
    {"timeout", "-s -k --signal --kill-after ", 1},
    {"stdbuf", "-i -o -e "},
    {"busybox", ""},
    {"xargs", "-I -L -n -P -s -d -E -a --max-args --max-procs --delimiter "},
    {"parallel", "-j --jobs "},
    {"watch", "-n --interval "},
    {"chroot", "", 1},
    {"unshare", ""},
    {"flock", "-w -E ", 1, false, "-c --command "},
    {"unbuffer", ""},
    {"strace", "-e -o -p -s "},
    {"ltrace", "-e -o "},
    {"taskset", "", 1},
    {"chrt", "", 1},
    {"systemd-run", "-p --property -u --unit ", 0, false},
    {"script", "-a ", 0, false, "-c --command "},
}};

bool lists(std::string_view options, const std::string& option) {
  return options.find(option + " ") != std::string_view::npos;
}

}  // namespace

Wrapped unwrap(std::string_view program, std::span<const ShellWord> arguments) {
  using Kind = Wrapped::Kind;
  const auto* wrapper =
      std::find_if(kWrappers.begin(), kWrappers.end(),
                   [program](const Wrapper& known) { return known.program == program; });
  if (wrapper == kWrappers.end()) return {};
  size_t operands = wrapper->operands;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& text = arguments[i].text;
    if (text.size() > 1 && text[0] == '-') {
      if (lists(wrapper->script, text) && i + 1 < arguments.size()) {
        return {Kind::kScript, arguments.subspan(i + 1, 1)};
      }
      if (lists(wrapper->with_value, text)) ++i;
      const bool asks = program == "command" && (text == "-v" || text == "-V");
      if (asks) break;
    } else if (operands > 0) {
      --operands;
    } else if (!wrapper->assigns || text.find('=') == std::string::npos) {
      return {Kind::kCommand, arguments.subspan(i)};
    }
  }
  return {Kind::kNothing, {}};
}

}  // namespace orch::policy
