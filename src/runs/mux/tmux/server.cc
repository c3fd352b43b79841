#include "mux/tmux/server.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.h"
#include "session/environment.h"

namespace orch::mux::tmux {

std::vector<std::string> Server::command(const std::vector<std::string>& words) const {
  std::vector<std::string> argv{program, "-L", label, "-f", "/dev/null", "-u"};
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

bool is_label(const std::string& label) {
  constexpr size_t kMaxLabel = 64;
  return !label.empty() && label.size() <= kMaxLabel && label.front() != '-' &&
         std::all_of(label.begin(), label.end(),
                     [](char c) { return base::is_letter_or_digit(c) || c == '-' || c == '_'; });
}

std::string exactly(const std::string& session) { return "=" + session + ":"; }

std::vector<std::string> environment_for_tmux(const std::vector<std::string>& own) {
  constexpr std::array<std::string_view, 12> kKept{"PATH",     "HOME",   "USER", "LOGNAME",
                                                   "SHELL",    "LANG",   "TERM", "TMUX_TMPDIR",
                                                   "LC_CTYPE", "LC_ALL", "TZ",   "XDG_RUNTIME_DIR"};
  std::vector<std::string> env;
  for (const std::string& entry : own) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    if (std::find(kKept.begin(), kKept.end(), name) != kKept.end()) env.push_back(entry);
  }
  return env;
}

base::Result<mux::Answered> ask(const Server& server, const std::vector<std::string>& words) {
  return mux::run_tool(server.command(words), environment_for_tmux(session::own_environment()));
}

bool remove_dead(const Server& server, const std::string& session) {
  const std::string target = exactly(session);
  const auto panes = ask(server, {"list-panes", "-s", "-t", target, "-F", "#{pane_dead}"});
  if (!panes || panes->code != 0) return true;
  if (panes->said.find('0') != std::string::npos) return false;
  const auto killed = ask(server, {"kill-session", "-t", target});
  return killed && killed->code == 0;
}

}  // namespace orch::mux::tmux
