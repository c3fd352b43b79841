#include "client/kept_sessions.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "client/end_session.h"
#include "mux/session_manager.h"
#include "store/time_text.h"

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
  const std::optional<mux::ManagerKind> kind = mux::kind_named(session.manager);
  if (!kind) return;
  mux::Tools tools;
  tools.tmux.label = session.manager_server;
  if (kind == mux::ManagerKind::kTmux && !mux::tmux::is_label(tools.tmux.label)) return;
  mux::make_manager(*kind, std::move(tools))->remove(session.key);
}

size_t remove_over(const std::string& state_dir) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int64_t now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  size_t removed = 0;
  const base::Result<std::vector<store::SessionRecord>> sessions = store::list_sessions(state_dir);
  if (!sessions) return 0;  // they stay; commands that list them report why
  for (const store::SessionRecord& session : *sessions) {
    if (!is_over(session, now_ms)) continue;
    if (remove_dead_session(state_dir, session)) ++removed;
  }
  return removed;
}

}  // namespace orch::client
