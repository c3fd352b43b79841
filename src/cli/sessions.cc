#include "cli/sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/paths.h"
#include "loop/loop.h"
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

Result<SessionRecord> find_running(const std::string& state_dir, const std::string& word) {
  Result<SessionRecord> session = find_session(state_dir, word);
  if (!session || session->status == SessionStatus::kRunning) return session;
  return base::Error{base::ErrorCode::kNotFound,
                     session->name + " is gone: its host died; see orch status " + session->issue};
}

Result<wire::Answer> ask_running(const std::string& state_dir, const std::string& word,
                                 const wire::Verb& verb, int64_t deadline_ms) {
  Result<SessionRecord> session = find_running(state_dir, word);
  if (!session) return session.error();
  loop::Loop loop;
  return host::ask(loop, session->socket, session->name, verb, deadline_ms);
}

int report_no_session(const base::Error& error) {
  const int code = report(error);
  return error.code == base::ErrorCode::kNotFound ? kNoSuchSession : code;
}

std::string state_text(const SessionView& session) {
  if (session.record.status != SessionStatus::kRunning) {
    return std::string(store::name(session.record.status));
  }
  if (!session.report) return "unresponsive";
  return event::status_text(session.report->status, session.report->cause);
}

}  // namespace orch::cli
