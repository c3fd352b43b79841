#include "client/sessions.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "base/text.h"
#include "loop/loop.h"
#include "store/account_limits.h"
#include "store/runs.h"

namespace orch::client {

using base::Result;
using store::SessionRecord;
using store::SessionStatus;

Result<std::vector<SessionView>> view_sessions(const std::string& state_dir, int64_t patience_ms) {
  Result<std::vector<SessionRecord>> listed = store::list_sessions(state_dir);
  if (!listed) return listed.error();
  std::vector<SessionView> views;
  for (SessionRecord& record : *listed) {
    views.push_back({std::move(record), std::nullopt});
    if (views.back().record.status == SessionStatus::kErrored) take_result(state_dir, views.back());
  }
  loop::Loop loop;
  std::vector<std::unique_ptr<Client>> clients;
  size_t waiting = 0;
  for (SessionView& view : views) {
    if (view.record.status != SessionStatus::kRunning || view.record.socket.empty()) continue;
    auto client = Client::connect(loop, state_dir, view.record);
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

void take_result(const std::string& state_dir, SessionView& view) {
  store::Found<store::RunResult> result = result_of(state_dir, view.record);
  view.unreadable_result = result.is_unknown() ? result.error().text : "";
  view.result = std::move(result).if_present();
}

store::Found<store::RunResult> result_of(const std::string& state_dir,
                                         const SessionRecord& session) {
  if (session.run.empty()) return store::Found<store::RunResult>::absent();
  return store::result_of({state_dir + "/runs/" + session.run, session.run, session.issue});
}

Result<Answered> ask_running(const Place& place, const std::string& word, const wire::Verb& verb,
                             int64_t deadline_ms) {
  Result<SessionRecord> session = find_running(place, word, Reach::kHere);
  if (!session) return session.error();
  loop::Loop loop;
  Result<wire::Answer> answer = ask(loop, place.state_dir, *session, verb, deadline_ms);
  if (!answer) return answer.error();
  return Answered{std::move(session).value(), std::move(answer).value()};
}

std::string state_text(const SessionView& session) {
  if (session.record.status != SessionStatus::kRunning) {
    return std::string(store::name(session.record.status));
  }
  if (!session.record.unreadable.empty() && !session.report) return "unreadable";
  if (!session.report) return "unresponsive";
  return event::status_text(session.report->status, session.report->cause);
}

std::string failure_text(const SessionView& session) {
  if (!session.record.unreadable.empty()) return base::printable(session.record.unreadable);
  if (session.record.status != SessionStatus::kErrored) return "";
  if (!session.unreadable_result.empty()) return base::printable(session.unreadable_result);
  if (!session.result) return "its host died";
  const std::string_view detail = session.result->detail;
  const std::string first = base::printable(detail.substr(0, detail.find('\n')));
  return fmt::format("{} ({}){}{}", event::name(session.result->reason), session.result->code,
                     first.empty() ? "" : ": ", first);
}

std::string limits_text(const std::string& state_dir) {
  std::string text;
  std::vector<std::string> lines;
  for (const auto& limit : store::limits_now(state_dir, std::chrono::system_clock::now(), lines)) {
    lines.push_back(describe(limit));
  }
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

}  // namespace orch::client
