#include "client/kept_sessions.h"

#include <chrono>

#include "client/end_session.h"
#include "store/time_text.h"
#include "tmux/server.h"
#include "zellij/command.h"

namespace orch::client {

bool is_over(const store::SessionRecord& session, int64_t now_ms) {
  if (session.ended.empty()) return false;
  const auto ended = store::parse_rfc3339_utc(session.ended);
  if (!ended) return true;
  const int64_t ended_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(ended->time_since_epoch()).count();
  return now_ms < ended_ms || now_ms - ended_ms >= session.keep_for_ms;
}

void remove_from_manager(const store::SessionRecord& session) {
  if (session.manager == "tmux") {
    tmux::Server server;
    server.label = session.manager_server;
    if (tmux::is_label(server.label)) tmux::remove_dead(server, session.key);
  }
  if (session.manager == "zellij") zellij::remove_session(session.key);
}

size_t remove_over(const std::string& state_dir) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int64_t now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  size_t removed = 0;
  for (const store::SessionRecord& session : store::list_sessions(state_dir)) {
    if (!is_over(session, now_ms)) continue;
    if (remove_dead_session(state_dir, session)) ++removed;
  }
  return removed;
}

}  // namespace orch::client
