#include "toy_driver.h"

namespace orch::session {

using base::TimeMs;
using event::AgentStatus;

std::string ToyDriver::on_output(TimeMs now, std::string_view bytes) {
  last_output_ = now;
  partial_ += bytes;
  for (size_t end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n')) {
    on_line(now, nlohmann::json::parse(partial_.substr(0, end)));
    partial_.erase(0, end + 1);
  }
  return {};
}

void ToyDriver::on_line(TimeMs now, const nlohmann::json& line) {
  if (line.contains("say")) {
    news_.emplace_back(agent::Line{line["say"], agent::Speaker::kAgent});
  } else if (line.contains("ask")) {
    become(now, AgentStatus::kWaiting);
    agent::DialogRequest request;
    request.kind = event::Cause::kPermission;
    request.tool = "shell";
    request.action = agent::DialogRequest::Action::kCommand;
    request.likely = {line["ask"]};
    request.complete = true;
    request.title = "Run a command?";
    request.options = {{"Deny", agent::Meaning::kDeny}, {"Allow", agent::Meaning::kAllowOnce}};
    news_.emplace_back(agent::DialogOpened{std::move(request), ""});
  } else if (line.contains("limit")) {
    limit_ = line["limit"];
    become(now, AgentStatus::kError, event::Cause::kRateLimit);
    news_.emplace_back(agent::TurnEnded{});
  } else if (line.contains("done")) {
    become(now, AgentStatus::kIdle);
    news_.emplace_back(agent::TurnEnded{});
  }
}

void ToyDriver::command(TimeMs now, const agent::Command& command) {
  if (const auto* deliver = std::get_if<agent::Deliver>(&command)) {
    say({{"user", deliver->text}});
    news_.emplace_back(agent::MessageTyped{deliver->id});
    news_.emplace_back(agent::MessageEntered{deliver->id});
    news_.emplace_back(agent::MessageAccepted{deliver->id, 1});
    become(now, AgentStatus::kWorking);
  } else if (const auto* answer = std::get_if<agent::Answer>(&command)) {
    say({{"answer", answer->options == std::vector<size_t>{1} ? "allow" : "deny"}});
    news_.emplace_back(agent::DialogClosed{});
    become(now, AgentStatus::kWorking);
  }
}

void ToyDriver::become(TimeMs now, AgentStatus status, event::Cause cause) {
  event::StatusChange change;
  change.status = status;
  change.cause = cause;
  change.from = status_;
  status_ = status;
  since_ = now;
  news_.emplace_back(std::move(change));
}

}  // namespace orch::session
