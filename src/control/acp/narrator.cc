#include "acp/narrator.h"

#include <utility>

#include "acp/tool_use.h"
#include "base/json.h"
#include "base/text.h"

namespace orch::acp {
namespace {

using base::Json;
using event::Speaker;

constexpr size_t kMostToolText = size_t{64} << 10;

Json update_of(std::string_view kind) { return Json{{"sessionUpdate", kind}}; }

// The words of a line without the sign that a screen draws before it: "● Read(README.md)".
std::string_view without_sign(std::string_view line) {
  line = base::trim(line);
  const auto is_word = [](char byte) {
    return std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '$' || byte == '"';
  };
  size_t start = 0;
  while (start < line.size() && !is_word(line[start])) ++start;
  return start < line.size() ? line.substr(start) : line;
}

Json ended_call(const std::string& id, bool failed) {
  Json update = update_of("tool_call_update");
  update["toolCallId"] = id;
  update["status"] = failed ? "failed" : "completed";
  return update;
}

// Whether a tool's row on the screen is about this command: it may be folded.
bool is_about(std::string_view row, std::string_view command) {
  constexpr size_t kCompared = 24;
  return !command.empty() && row.find(command.substr(0, kCompared)) != std::string_view::npos;
}

Json notice_of(event::Cause cause) {
  Json notice = update_of("notice");
  notice["severity"] = cause == event::Cause::kRetry ? "warning" : "error";
  notice["title"] = cause == event::Cause::kRetry
                        ? "the model's provider refused or failed; the agent tries again"
                        : "the turn failed: " + std::string(event::name(cause));
  return notice;
}

}  // namespace

std::string Narrator::next_id(std::string_view kind) {
  return std::string(kind) + std::to_string(++ids_);
}

std::vector<Json> Narrator::tell(const event::Event& event) {
  std::vector<Json> updates;
  if (const auto* line = std::get_if<event::Output>(&event)) {
    tell(*line, updates);
  } else if (const auto* tool = std::get_if<event::Tool>(&event)) {
    tell(*tool, updates);
  } else if (const auto* change = std::get_if<event::StatusChange>(&event)) {
    tell(*change, updates);
  } else if (const auto* dialog = std::get_if<event::Dialog>(&event)) {
    dialog_.reset();
    if (dialog->answer.empty()) dialog_ = *dialog;
  } else if (const auto* turn = std::get_if<event::Turn>(&event); turn != nullptr && turn->ended) {
    if (view_ == View::kHistory) updates = end_turn();
  }
  return updates;
}

void Narrator::tell(const event::Output& line, std::vector<Json>& updates) {
  switch (line.speaker) {
    case Speaker::kAgent:
      close_screen_tool(updates);
      return say("agent_message_chunk", line, updates);
    case Speaker::kUser:
      if (view_ == View::kHistory) say("user_message_chunk", line, updates);
      return;
    case Speaker::kTool:
      if (!tools_as_data_) tell_screen_tool(line, updates);
      return;
    case Speaker::kNotice:
    case Speaker::kChrome:
      return;
  }
}

// Line feeds are told with the words that follow them, so that a message has none at its end.
void Narrator::say(std::string_view kind, const event::Output& line, std::vector<Json>& updates) {
  if (line.speaker != speaker_ || message_.empty()) {
    speaker_ = line.speaker;
    message_.clear();
    breaks_.clear();
  }
  if (line.text.empty() && !line.gap) {
    if (!message_.empty()) breaks_ += '\n';
    return;
  }
  std::string text;
  if (message_.empty()) {
    message_ = next_id("message-");
  } else {
    text = line.continues ? " " : breaks_ + "\n";
  }
  breaks_.clear();
  text += line.gap ? "[some lines scrolled away unseen]" : line.text;
  Json update = update_of(kind);
  update["content"] = text_content(text);
  update["messageId"] = message_;
  updates.push_back(std::move(update));
}

void Narrator::tell_screen_tool(const event::Output& line, std::vector<Json>& updates) {
  message_.clear();
  if (base::trim(line.text).empty()) return close_screen_tool(updates);
  if (screen_tool_) {
    if (screen_tool_->text.size() + line.text.size() < kMostToolText) {
      screen_tool_->text += (screen_tool_->text.empty() ? "" : "\n") + line.text;
    }
    return;
  }
  const std::string_view title = without_sign(line.text);
  screen_tool_ = ScreenTool{};
  if (asked_ && asked_->state != Asked::State::kOpen && is_about(title, asked_->command)) {
    screen_tool_->failed = asked_->state == Asked::State::kDenied;
    screen_tool_->id = std::exchange(asked_, std::nullopt)->id;
    return;
  }
  screen_tool_->id = next_id("tool-");
  Json update = update_of("tool_call");
  update["toolCallId"] = screen_tool_->id;
  update["title"] = tool_title(title, {});
  update["kind"] = kind_of_tool(title.substr(0, title.find('(')));
  update["status"] = "in_progress";
  updates.push_back(std::move(update));
}

void Narrator::close_asked(std::vector<Json>& updates) {
  if (asked_ && asked_->state != Asked::State::kDenied) {
    updates.push_back(ended_call(asked_->id, asked_->state == Asked::State::kOpen));
  }
  asked_.reset();
}

void Narrator::close_screen_tool(std::vector<Json>& updates) {
  if (!screen_tool_) return;
  Json update = ended_call(screen_tool_->id, screen_tool_->failed);
  if (!screen_tool_->text.empty()) update["content"] = tool_content(screen_tool_->text);
  updates.push_back(std::move(update));
  screen_tool_.reset();
}

void Narrator::begin_call(const event::Tool& tool, std::vector<Json>& updates) {
  const ToolInput input = read_tool_input(tool.input);
  const bool is_known = open_.contains(tool.id);
  std::string id = is_known ? open_[tool.id] : next_id("tool-");
  if (!is_known && asked_ && asked_->state == Asked::State::kAllowed &&
      asked_->command == input.command) {
    id = std::exchange(asked_, std::nullopt)->id;
  }
  Json update = update_of(is_known ? "tool_call_update" : "tool_call");
  update["toolCallId"] = id;
  update["title"] = tool_title(tool.name, input);
  update["kind"] = kind_of_tool(tool.name);
  update["status"] = "in_progress";
  update["name"] = base::printable(tool.name);
  if (!input.raw.is_null()) update["rawInput"] = input.raw;
  if (!input.paths.empty()) update["locations"] = locations_of(input.paths);
  if (!input.diff.is_null()) update["content"] = Json::array({input.diff});
  open_[tool.id] = id;
  updates.push_back(std::move(update));
  Json entries = plan_entries(input.raw);
  if (entries.is_null()) return;
  Json plan = update_of("plan");
  plan["entries"] = std::move(entries);
  updates.push_back(std::move(plan));
}

void Narrator::tell(const event::Tool& tool, std::vector<Json>& updates) {
  message_.clear();
  switch (tool.phase) {
    case event::ToolPhase::kDecided:
      return;  // the dialog, or the beginning, tells of it
    case event::ToolPhase::kBegan:
      tools_as_data_ = true;
      close_screen_tool(updates);
      return begin_call(tool, updates);
    case event::ToolPhase::kEnded: {
      const auto found = open_.find(tool.id);
      if (found == open_.end()) return;
      Json update = ended_call(found->second, tool.failed);
      if (!tool.text.empty()) {
        update["content"] = tool_content(tool.text);
        update["rawOutput"] = Json{{"output", tool.text}};
      }
      open_.erase(found);
      return updates.push_back(std::move(update));
    }
  }
}

void Narrator::tell(const event::StatusChange& change, std::vector<Json>& updates) {
  if (!shows_.notices || view_ == View::kHistory) return;
  const bool retries = change.cause == event::Cause::kRetry;
  const bool failed = change.status == event::AgentStatus::kError;
  if (retries || (failed && change.cause != event::Cause::kNone)) {
    updates.push_back(notice_of(change.cause));
  }
}

std::vector<Json> Narrator::end_turn() {
  std::vector<Json> updates;
  close_screen_tool(updates);
  close_asked(updates);
  for (const auto& [theirs, ours] : open_) updates.push_back(ended_call(ours, true));
  open_.clear();
  message_.clear();
  breaks_.clear();
  return updates;
}

// The size of the model's context is not known, so it is given as what is used.
std::vector<Json> Narrator::tell_usage(const event::Usage& usage) {
  Json update = update_of("usage_update");
  update["used"] = event::tokens(usage);
  update["size"] = event::tokens(usage);
  if (usage.cost_usd) update["cost"] = Json{{"amount", *usage.cost_usd}, {"currency", "USD"}};
  return {std::move(update)};
}

std::string Narrator::call_of(const wire::DialogReport& dialog, std::vector<Json>& updates) {
  message_.clear();
  close_screen_tool(updates);
  close_asked(updates);
  asked_ = Asked{next_id("tool-"), dialog.command};
  ToolInput input;
  input.command = dialog.command;
  if (dialog_) input.paths = dialog_->paths;
  const std::string tool = dialog_ ? dialog_->tool : "";
  const std::string name =
      tool.empty() ? (dialog.title.empty() ? dialog.text : dialog.title) : tool;
  Json update = update_of("tool_call");
  update["toolCallId"] = asked_->id;
  update["title"] = tool_title(name, input);
  update["kind"] = dialog.command.empty() ? kind_of_tool(name) : "execute";
  update["status"] = "pending";
  if (!dialog.command.empty()) update["rawInput"] = Json{{"command", dialog.command}};
  if (!input.paths.empty()) update["locations"] = locations_of(input.paths);
  if (!dialog.body.empty()) update["content"] = tool_content(dialog.body);
  updates.push_back(std::move(update));
  return asked_->id;
}

std::vector<Json> Narrator::on_answered(std::string_view meaning) {
  if (!asked_) return {};
  if (meaning == "deny") {
    asked_->state = Asked::State::kDenied;
    return {ended_call(asked_->id, true)};
  }
  asked_->state = Asked::State::kAllowed;
  Json update = update_of("tool_call_update");
  update["toolCallId"] = asked_->id;
  update["status"] = "in_progress";
  return {std::move(update)};
}

}  // namespace orch::acp
