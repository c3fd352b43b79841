#include "driver/call_reader.h"

#include "base/path.h"
#include "base/replace.h"
#include "driver/json_way.h"

namespace orch::driver {
namespace {

using agent::CallDecision;

constexpr const char* kRefusal = ". Go on without it, or do something else.";

std::string text_or(const AgentJson& json, const std::string& way) {
  const std::string* text = text_of(json, way);
  return text != nullptr ? *text : "";
}

std::string in_folder(const std::string& cwd, const std::string& folder) {
  return folder.starts_with('/') ? folder : cwd + "/" + folder;
}

// Adds the call's working directory to the paths, so that a policy judges it, too. (Not below the
// work directory, where it changes nothing: a way up counts as one out of it.)
void add_place(const std::string& cwd, const std::string& work_dir, agent::DialogRequest& request) {
  const bool goes_up = (cwd + "/").find("/../") != std::string::npos;
  if (cwd.empty() || (base::is_within(cwd, work_dir) && !goes_up)) return;
  for (std::string& path : request.paths) {
    if (!path.starts_with('/')) path.insert(0, cwd + "/");
  }
  for (auto* readings : {&request.likely, &request.possible}) {
    if (readings->empty()) continue;
    readings->push_back("cd " + base::shell_word(cwd) + " && " + readings->front());
  }
}

}  // namespace

CallReader::CallReader(const adapters::Manifest& manifest)
    : spec_(manifest.calls), kinds_({&manifest.calls.tools, &manifest.headless.tools}) {}

std::optional<CallEvent> CallReader::read(std::string_view json,
                                          const std::string& work_dir) const {
  using Kind = adapters::CallSpec::Event::Kind;
  const AgentJson line = parse_agent_json(json);
  if (!line.is_object()) return std::nullopt;
  CallEvent told;
  told.event = spec_.find(text_or(line, spec_.event));
  if (told.event == nullptr) return std::nullopt;
  if (told.event->kind == Kind::kStart) return told;
  const std::string* tool = text_of(line, spec_.tool);
  const AgentJson* input = member_of(line, spec_.input);
  if (tool == nullptr || tool->empty() || input == nullptr) return std::nullopt;
  told.agent_id = text_or(line, spec_.id);
  told.input = as_json(*input);
  told.call = call_of(*tool, told.input);
  told.call.cwd = text_or(line, spec_.cwd);
  for (const std::string& way : spec_.folders) {
    const std::string folder = text_or(*input, way);
    if (!folder.empty()) told.call.cwd = in_folder(told.call.cwd, folder);
  }
  add_place(told.call.cwd, work_dir, told.call.request);
  return told;
}

agent::ToolCall CallReader::call_of(const std::string& tool, const std::string& input) const {
  return {.id = {}, .request = kinds_.request(tool, input)};
}

std::string answer_to(const adapters::CallSpec::Event& event, const CallDecision& decision) {
  constexpr std::string_view kHole = "{reason}";
  switch (decision.answer) {
    case CallDecision::Answer::kAllow:
      return event.allow;
    case CallDecision::Answer::kAgentAsks:
      return "";
    case CallDecision::Answer::kDeny:
      break;
  }
  std::string text = event.deny;
  if (const size_t hole = text.find(kHole); hole != std::string::npos) {
    text.replace(hole, kHole.size(), as_json("Not allowed (" + decision.rule + ")" + kRefusal));
  }
  return text;
}

}  // namespace orch::driver
