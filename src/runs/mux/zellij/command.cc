#include "mux/zellij/command.h"

#include "mux/tool.h"
#include "session/environment.h"

namespace orch::mux::zellij {

Words create_session(const std::string& session, const std::string& settings,
                     const Words& command) {
  Words words{kProgram,
              "--config",
              settings,
              "--layout-string",
              "layout { pane; }",
              "attach",
              "--create-background",
              session,
              "--"};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

Words type_bytes(const std::string& session, const std::string& pane, std::string_view bytes) {
  Words words{kProgram, "--session", session, "action", "write", "--pane-id", pane};
  for (const char c : bytes) words.push_back(std::to_string(static_cast<unsigned char>(c)));
  return words;
}

Words dump_screen(const std::string& session, const std::string& pane) {
  return {kProgram, "--session", session, "action", "dump-screen", "--pane-id", pane, "--ansi"};
}

Words subscribe(const std::string& session, const std::string& pane) {
  return {kProgram, "--session", session, "subscribe", "--pane-id",
          pane,     "--format",  "json",  "--ansi"};
}

Words delete_session(const std::string& session) {
  return {kProgram, "delete-session", "--force", session};
}
Words attach(const std::string& session) { return {kProgram, "attach", session}; }
Words watch(const std::string& session) { return {kProgram, "watch", session}; }

void remove_session(const std::string& session) {
  (void)mux::run_tool(delete_session(session), session::own_environment());
}

}  // namespace orch::mux::zellij
