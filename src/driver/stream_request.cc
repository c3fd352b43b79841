#include "driver/stream_request.h"

#include <algorithm>

#include "driver/json_way.h"

namespace orch::driver {
namespace {

using adapters::HeadlessSpec;
using agent::DialogRequest;
using agent::Meaning;
using Kind = HeadlessSpec::Tool::Kind;

constexpr size_t kMostOptions = 20;
constexpr const char* kRefusal = "This was not allowed. Go on without it, or do something else.";

AgentJson parsed(const std::string& text) {
  AgentJson json = parse_agent_json(text);
  return json.is_discarded() ? AgentJson::object() : json;
}

// The texts at these ways in the input, whether they are strings or lists of strings.
std::vector<std::string> texts_at(const AgentJson& input, const std::vector<std::string>& ways) {
  std::vector<std::string> texts;
  for (const std::string& way : ways) {
    const AgentJson* member = member_of(input, way);
    if (member == nullptr) continue;
    if (member->is_string()) texts.push_back(member->get<std::string>());
    if (!member->is_array()) continue;
    for (const AgentJson& one : *member) {
      if (one.is_string()) texts.push_back(one.get<std::string>());
    }
  }
  return texts;
}

// The question in the input, if there is exactly one; otherwise nullptr.
const AgentJson* question_of(const AgentJson& input) {
  const AgentJson* questions = member_of(input, "/questions");
  if (questions == nullptr || !questions->is_array() || questions->size() != 1) return nullptr;
  const AgentJson& question = questions->front();
  const AgentJson* options = member_of(question, "/options");
  const bool readable = options != nullptr && options->is_array() && !options->empty() &&
                        options->size() <= kMostOptions &&
                        text_of(question, "/question") != nullptr;
  return readable ? &question : nullptr;
}

void add_question(const AgentJson& input, DialogRequest& request) {
  request.kind = event::Cause::kQuestion;
  const AgentJson* question = question_of(input);
  if (question == nullptr) return;
  request.title = *text_of(*question, "/question");
  const bool several = has_value(*question, "/multiSelect", "true");
  for (const AgentJson& json : *member_of(*question, "/options")) {
    const std::string* label = text_of(json, "/label");
    const std::string* description = text_of(json, "/description");
    request.options.push_back({.text = label != nullptr ? *label : as_json(json),
                               .description = description != nullptr ? *description : "",
                               .ticked = several ? std::optional(false) : std::nullopt});
  }
}

void replace_all(std::string& text, std::string_view hole, const std::string& value) {
  for (size_t at = text.find(hole); at != std::string::npos;
       at = text.find(hole, at + value.size())) {
    text.replace(at, hole.size(), value);
  }
}

}  // namespace

ToolKinds::ToolKinds(const HeadlessSpec& spec) {
  for (const HeadlessSpec::Tool& tool : spec.tools) {
    // The pattern was checked when the manifest was read.
    tools_.emplace_back(base::Pattern::compile(tool.name, base::Compiled::kWhenSearched).value(),
                        &tool);
  }
}

agent::DialogRequest ToolKinds::request(const std::string& tool, const std::string& input) const {
  using Action = DialogRequest::Action;
  const AgentJson json = parsed(input);
  DialogRequest request;
  request.kind = event::Cause::kPermission;
  request.tool = tool;
  request.action = Action::kOther;
  request.complete = true;
  request.title = "The agent wants to use " + tool;
  request.body = input;
  for (const auto& [name, kind] : tools_) {
    if (!name.matches(tool)) continue;
    const std::vector<std::string> texts = texts_at(json, kind->ways);
    switch (kind->kind) {
      case Kind::kCommand:
        if (texts.size() != 1) break;
        request.action = Action::kCommand;
        request.likely = request.possible = texts;
        request.body = texts.front();
        break;
      case Kind::kWrite:
        if (texts.empty()) break;
        request.action = Action::kWrite;
        request.paths = texts;
        break;
      case Kind::kRead:
        request.action = Action::kRead;
        break;
      case Kind::kQuestion:
        add_question(json, request);
        break;
      case Kind::kPlan:
        request.kind = event::Cause::kPlan;
        break;
    }
    break;
  }
  if (request.options.empty()) {
    request.options = {{"Yes", Meaning::kAllowOnce}, {"No", Meaning::kDeny}};
  } else {
    request.options.push_back({"No answer", Meaning::kDeny});
  }
  return request;
}

std::string answer_line(const HeadlessSpec& spec, const OpenRequest& open,
                        const std::vector<size_t>& options) {
  const auto denies = [&open](size_t option) {
    return open.request.options[option].meaning == Meaning::kDeny;
  };
  const bool denied = std::all_of(options.begin(), options.end(), denies);  // also none of several
  AgentJson input = parsed(open.input);
  const AgentJson* question =
      open.request.kind == event::Cause::kQuestion ? question_of(input) : nullptr;
  if (!denied && question != nullptr) {
    const std::string asked = *text_of(*question, "/question");
    std::string answer;  // Claude Code separates several by commas (its sdk-tools.d.ts)
    for (const size_t option : options) {
      answer.append(answer.empty() ? "" : ", ").append(open.request.options[option].text);
    }
    input["answers"] = {{asked, answer}};
  }
  std::string line = denied ? spec.deny : spec.allow;
  replace_all(line, "{id}", as_json(open.id));
  if (denied) replace_all(line, "{text}", as_json(kRefusal));
  if (!denied) replace_all(line, "{input}", as_json(input));
  return line + "\n";
}

}  // namespace orch::driver
