#include "driver/recorded_call.h"

#include <algorithm>
#include <variant>

#include "driver/option_meaning.h"

namespace orch::driver {
namespace {

using agent::DialogRequest;
using Action = DialogRequest::Action;

// The policy's decision on a dialog: if a user answered it, the policy had asked.
std::string decision_of(const event::Dialog& dialog) {
  if (dialog.answer.empty() || dialog.by.find(':') == std::string::npos) return "asked";
  return meaning_of(dialog.answer) == agent::Meaning::kDeny ? "deny" : "allow";
}

DialogRequest request_of(const event::Dialog& dialog, const ToolKinds& kinds) {
  DialogRequest request;
  // Agents that report their tools as data show the tool's input in the body.
  if (dialog.body.starts_with('{') && !dialog.tool.empty())
    request = kinds.request(dialog.tool, dialog.body);
  request.kind = dialog.cause;
  request.tool = dialog.tool;
  request.complete = dialog.complete;
  request.title = dialog.title;
  request.body = dialog.body;
  if (!dialog.command.empty()) {
    request.action = Action::kCommand;
    request.likely = request.possible = {dialog.command};
  } else if (!dialog.paths.empty()) {
    request.action = Action::kWrite;
    request.paths = dialog.paths;
  }
  request.options.clear();
  for (const std::string& option : dialog.options) {
    request.options.push_back({.text = option, .meaning = meaning_of(option)});
  }
  return request;
}

std::string what_of(const DialogRequest& request) {
  if (!request.likely.empty()) return request.likely.front();
  std::string what;
  for (const std::string& path : request.paths) what.append(what.empty() ? "" : ", ").append(path);
  if (what.empty()) what = request.body.empty() ? request.title : request.body;
  return what;
}

bool is_same(const DialogRequest& a, const DialogRequest& b) {
  return a.tool == b.tool && a.body == b.body && a.title == b.title;
}

}  // namespace

void RecordedCalls::take(const event::Event& event) {
  if (const auto* tool = std::get_if<event::Tool>(&event)) return take_tool(*tool);
  if (const auto* dialog = std::get_if<event::Dialog>(&event)) take_dialog(*dialog);
}

void RecordedCalls::take_tool(const event::Tool& tool) {
  if (tool.phase != event::ToolPhase::kDecided) return;
  const auto asked = std::find(ids_.rbegin(), ids_.rend(), tool.id);
  if (asked != ids_.rend() && tool.by == "user") {  // the answer to a call that was asked about
    calls_[static_cast<size_t>(ids_.rend() - asked) - 1].ms = tool.decided_ms;
    return;
  }
  RecordedCall call{.request = kinds_.recorded(tool.name, tool.input),
                    .what = "",
                    .decided = tool.decided,
                    .by = tool.by,
                    .ms = tool.decided_ms};
  call.what = what_of(call.request);
  calls_.push_back(std::move(call));
  ids_.push_back(tool.id);
}

void RecordedCalls::take_dialog(const event::Dialog& dialog) {
  RecordedCall call{.request = request_of(dialog, kinds_),
                    .what = "",
                    .decided = decision_of(dialog),
                    .by = dialog.by,
                    .ms = std::nullopt,
                    .is_dialog = true};
  call.what = what_of(call.request);
  // The dialog of a call, or the answer to a dialog that is open already.
  const auto before =
      std::find_if(calls_.rbegin(), calls_.rend(),
                   [&call](const RecordedCall& one) { return is_same(one.request, call.request); });
  const bool known = before != calls_.rend() && before->decided == "asked";
  if (known && (!before->is_dialog || dialog.by == "user")) return;
  if (known && before->by.empty()) {
    *before = std::move(call);
    return;
  }
  calls_.push_back(std::move(call));
  ids_.emplace_back();
}

}  // namespace orch::driver
