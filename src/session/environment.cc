#include "session/environment.h"

#include <algorithm>
#include <array>

#include "pty/run_mark.h"

extern char** environ;

namespace orch::session {
namespace {

// CI and its kin make interface libraries (ink's is-in-ci) draw nothing until the end; the others
// name a terminal or multiplexer that the agent is not in, or the pipe of a session around this
// one.
constexpr std::array<std::string_view, 22> kForeign{
    "CI",           "CONTINUOUS_INTEGRATION", "BUILD_NUMBER", "TERM",      "COLORTERM",
    "TERM_PROGRAM", "TERM_PROGRAM_VERSION",   "TMUX",         "TMUX_PANE", "STY",
    "ZELLIJ",       "ZELLIJ_SESSION_NAME",    "VTE_VERSION",  "COLUMNS",   "LINES",
    "WT_SESSION",   "KITTY_WINDOW_ID",        "WINDOWID",     "NO_COLOR",  "FORCE_COLOR",
    "ORCH_HOOK",    "ORCH_NOTICES",
};

std::string_view key_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool is_mark(std::string_view key) {
  return key == pty::kRunMark || key == pty::kRunChain || key == pty::kGuardianMark;
}

}  // namespace

std::string_view value_in(const std::vector<std::string>& env, std::string_view key) {
  for (const std::string& entry : env) {
    if (entry.size() > key.size() && key_of(entry) == key) {
      return std::string_view(entry).substr(key.size() + 1);
    }
  }
  return {};
}

std::vector<std::string> agent_environment(const std::vector<std::string>& inherited,
                                           const std::map<std::string, std::string>& added,
                                           std::string_view run_id) {
  std::vector<std::string> env;
  for (const std::string& entry : inherited) {
    const std::string_view key = key_of(entry);
    const bool foreign = std::find(kForeign.begin(), kForeign.end(), key) != kForeign.end();
    if (foreign || is_mark(key) || added.contains(std::string(key))) continue;
    env.push_back(entry);
  }
  std::map<std::string, std::string> own = added;
  own.emplace("TERM", "xterm-256color");
  own.emplace("COLORTERM", "truecolor");
  own.erase(std::string(pty::kGuardianMark));
  own.insert_or_assign(std::string(pty::kRunMark), std::string(run_id));
  own.insert_or_assign(std::string(pty::kRunChain),
                       pty::chain_below(value_in(inherited, pty::kRunChain),
                                        value_in(inherited, pty::kRunMark), run_id));
  for (const auto& [key, value] : own) env.push_back(key + "=" + value);
  return env;
}

std::vector<std::string> own_environment() {
  std::vector<std::string> env;
  for (char** entry = environ; *entry != nullptr; ++entry) env.emplace_back(*entry);
  return env;
}

}  // namespace orch::session
