#include "driver/stream_request.h"

#include <algorithm>
#include <array>

#include "base/replace.h"
#include "base/text.h"
#include "driver/json_way.h"

namespace orch::driver {
namespace {

using adapters::HeadlessSpec;
using agent::DialogRequest;
using agent::Meaning;
using Kind = HeadlessSpec::Tool::Kind;

constexpr size_t kMostOptions = 20;
constexpr size_t kMostQuestions = 10;
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

// The files that one of codex's patches writes; none if the text is not a patch of this form.
std::vector<std::string> patched_paths(std::string_view patch) {
  constexpr std::array<std::string_view, 4> kHeads{
      "*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "};
  std::vector<std::string> paths;
  for (const std::string_view line : base::split_lines(patch)) {
    const std::string_view row = base::trim(line);
    for (const std::string_view head : kHeads) {
      if (row.starts_with(head)) paths.emplace_back(base::trim(row.substr(head.size())));
    }
  }
  return paths;
}

bool is_readable(const AgentJson& question) {
  const AgentJson* options = member_of(question, "/options");
  return options != nullptr && options->is_array() && !options->empty() &&
         options->size() <= kMostOptions && text_of(question, "/question") != nullptr;
}

// The questions in the input; none if one of them cannot be read, or if there are too many.
AgentJson questions_of(const AgentJson& input) {
  const AgentJson* questions = member_of(input, "/questions");
  if (questions == nullptr || !questions->is_array() || questions->size() > kMostQuestions ||
      !std::all_of(questions->begin(), questions->end(), is_readable)) {
    return AgentJson::array();
  }
  return *questions;
}

void set_question(const AgentJson& question, DialogRequest& request) {
  request.title = *text_of(question, "/question");
  request.options.clear();
  const bool several = has_value(question, "/multiSelect", "true");
  for (const AgentJson& json : *member_of(question, "/options")) {
    const std::string* label = text_of(json, "/label");
    const std::string* description = text_of(json, "/description");
    request.options.push_back({.text = label != nullptr ? *label : as_json(json),
                               .description = description != nullptr ? *description : "",
                               .ticked = several ? std::optional(false) : std::nullopt});
  }
  request.options.push_back({"No answer", Meaning::kDeny});
}

// Whether the answer refuses the request; of tick boxes also if none is ticked.
bool denies(const DialogRequest& request, const std::vector<size_t>& options) {
  return std::all_of(options.begin(), options.end(), [&request](size_t option) {
    return request.options[option].meaning == Meaning::kDeny;
  });
}

// The names of the chosen options. Claude Code separates several by commas (its sdk-tools.d.ts).
std::string names_of(const DialogRequest& request, const std::vector<size_t>& options) {
  std::string names;
  for (const size_t option : options) {
    names.append(names.empty() ? "" : ", ").append(request.options[option].text);
  }
  return names;
}

}  // namespace

ToolKinds::ToolKinds(std::initializer_list<const Tools*> lists) {
  for (const Tools* tools : lists) {
    for (const HeadlessSpec::Tool& tool : *tools) {
      // The pattern was checked when the manifest was read.
      tools_.emplace_back(base::Pattern::compile(tool.name, base::Compiled::kWhenSearched).value(),
                          &tool);
    }
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
      case Kind::kPatch:
        request.paths = texts.size() == 1 ? patched_paths(texts.front()) : texts;
        if (texts.size() != 1 || request.paths.empty()) break;
        request.action = Action::kWrite;
        request.body = texts.front();
        break;
      case Kind::kRead:
        request.action = Action::kRead;
        request.reads = texts;
        break;
      case Kind::kQuestion:
        request.kind = event::Cause::kQuestion;
        break;
      case Kind::kPlan:
        request.kind = event::Cause::kPlan;
        break;
    }
    break;
  }
  request.options = {{"Yes", Meaning::kAllowOnce}, {"No", Meaning::kDeny}};
  return request;
}

agent::DialogRequest ToolKinds::recorded(const std::string& tool, const std::string& body) const {
  using Action = DialogRequest::Action;
  DialogRequest request = this->request(tool, body);
  if (!parse_agent_json(body).is_discarded()) return request;
  const auto named = std::find_if(tools_.begin(), tools_.end(),
                                  [&tool](const auto& one) { return one.first.matches(tool); });
  if (named == tools_.end()) return request;
  switch (named->second->kind) {
    case Kind::kCommand:
      request.action = Action::kCommand;
      request.likely = request.possible = {body};
      break;
    case Kind::kPatch:
      request.paths = patched_paths(body);
      if (!request.paths.empty()) request.action = Action::kWrite;
      break;
    case Kind::kWrite:
    case Kind::kRead:
      request.complete = false;
      break;
    case Kind::kQuestion:
    case Kind::kPlan:
      break;
  }
  return request;
}

std::vector<DialogRequest> ToolKinds::requests(const std::string& tool,
                                               const std::string& input) const {
  std::vector<DialogRequest> requests;
  requests.push_back(request(tool, input));
  if (requests.front().kind != event::Cause::kQuestion) return requests;
  const AgentJson questions = questions_of(parsed(input));
  for (size_t i = 0; i < questions.size(); ++i) {
    if (i > 0) requests.push_back(request(tool, input));
    set_question(questions[i], requests.back());
  }
  return requests;
}

bool OpenRequest::is_decided() const {
  return answers.size() == requests.size() ||
         (!answers.empty() && denies(requests[answers.size() - 1], answers.back()));
}

std::string answer_line(const HeadlessSpec& spec, const OpenRequest& open) {
  const bool denied = denies(open.requests[open.answers.size() - 1], open.answers.back());
  AgentJson input = parsed(open.input);
  const AgentJson questions = questions_of(input);
  if (!denied && open.requests.front().kind == event::Cause::kQuestion) {
    for (size_t i = 0; i < questions.size(); ++i) {
      input["answers"][*text_of(questions[i], "/question")] =
          names_of(open.requests[i], open.answers[i]);
    }
  }
  std::string line = denied ? spec.deny : spec.allow;
  base::replace_all(line, "{id}", as_json(open.id));
  if (denied) base::replace_all(line, "{text}", as_json(kRefusal));
  if (!denied) base::replace_all(line, "{input}", as_json(input));
  return line + "\n";
}

}  // namespace orch::driver
