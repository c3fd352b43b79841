#include "cli/sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/paths.h"
#include "host/client.h"
#include "store/issue_name.h"

namespace orch::cli {

using base::Result;
using store::SessionRecord;
using store::SessionStatus;

std::vector<SessionView> view_sessions(const std::string& state_dir, int64_t patience_ms) {
  std::vector<SessionView> views;
  for (SessionRecord& record : store::list_sessions(state_dir)) {
    views.push_back({std::move(record), std::nullopt});
  }
  loop::Loop loop;
  std::vector<std::unique_ptr<host::Client>> clients;
  size_t waiting = 0;
  for (SessionView& view : views) {
    if (view.record.status != SessionStatus::kRunning || view.record.socket.empty()) continue;
    auto client = host::Client::connect(loop, view.record.socket, view.record.name);
    if (!client) continue;
    ++waiting;
    (*client)->request(
        wire::AskStatus{},
        [&view, &waiting, &loop](Result<wire::Answer> answer) {
          if (answer) {
            if (auto* report = std::get_if<wire::StatusReport>(&answer->result)) {
              view.report = std::move(*report);
            }
          }
          if (--waiting == 0) loop.stop();
        },
        patience_ms);
    clients.push_back(std::move(client).value());
  }
  if (waiting > 0) loop.run();
  return views;
}

Result<SessionRecord> find_session(const std::string& state_dir, const std::string& word) {
  std::vector<SessionRecord> found;
  for (SessionRecord& record : store::list_sessions(state_dir)) {
    if (word == record.issue || word == record.name || word == record.key) {
      found.push_back(std::move(record));
    }
  }
  if (found.empty()) {
    return base::Error{base::ErrorCode::kNotFound,
                       "no session for " + word + "; see orch sessions"};
  }
  Result<std::string> here = resolve_folder(".");
  const std::string repository = here ? repository_of(*here) : "";
  const auto ours = std::find_if(found.begin(), found.end(), [&](const SessionRecord& record) {
    return record.repository == repository;
  });
  if (ours != found.end()) return std::move(*ours);
  if (found.size() == 1) return std::move(found.front());
  std::string keys;
  for (const SessionRecord& record : found) keys += " " + record.key;
  return base::usage_error(word + " runs in several repositories; name one of" + keys);
}

std::string state_text(const SessionView& session) {
  if (session.record.status != SessionStatus::kRunning) {
    return std::string(store::name(session.record.status));
  }
  if (!session.report) return "unresponsive";
  std::string text(event::name(session.report->status));
  if (session.report->cause != event::Cause::kNone) {
    text.append("/").append(event::name(session.report->cause));
  }
  return text;
}

std::string elapsed_text(int64_t ms) {
  const int64_t s = ms / 1000;
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  if (s < 86'400) return fmt::format("{}h{:02}m", s / 3600, s / 60 % 60);
  return fmt::format("{}d{:02}h", s / 86'400, s / 3600 % 24);
}

}  // namespace orch::cli
