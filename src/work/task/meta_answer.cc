#include "task/meta_answer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>

#include "base/name.h"
#include "base/text.h"
#include "base/words.h"
#include "yaml/members.h"

namespace orch::task {
namespace {

using Kind = yaml::Value::Kind;
using Author = yaml::Members::Author;

constexpr const char* kName = "answer";
constexpr size_t kMaxTextBytes = size_t{8} << 10;  // for a description, a reason or a comment
constexpr base::Words<QuestionKind, 3> kQuestions{
    {{QuestionKind::kPlanTask, "plan_task"},
     {QuestionKind::kNextAction, "next_action"},
     {QuestionKind::kCompletionAssessment, "completion_assessment"}}};
size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// Whether this line begins that field of the document's outermost mapping.
bool begins_field(std::string_view line, std::string_view field) {
  line.remove_prefix(indent_of(line));
  const char quote = line.empty() ? '\0' : line.front();
  const bool quoted = quote == '"' || quote == '\'';
  if (quoted) line.remove_prefix(1);
  if (!line.starts_with(field)) return false;
  line.remove_prefix(field.size());
  if (quoted && (line.empty() || line.front() != quote)) return false;
  if (quoted) line.remove_prefix(1);
  return line.starts_with(':');
}

// The line that opens a fenced block, such as "```yaml": its indentation, its character, and how
// many of them.
struct Fence {
  size_t indent = 0, length = 0;
  char character = '`';
};
std::optional<Fence> fence_in(std::string_view line) {
  Fence fence;
  fence.indent = indent_of(line);
  line.remove_prefix(fence.indent);
  if (line.empty() || (line.front() != '`' && line.front() != '~')) return {};
  fence.character = line.front();
  fence.length = std::min(line.find_first_not_of(fence.character), line.size());
  if (fence.length < 3) return {};
  return fence;
}

// A line that is indented more than the fence that is open is text inside of the document.
bool closes(std::string_view line, const Fence& open) {
  const std::optional<Fence> fence = fence_in(line);
  return fence && fence->indent <= open.indent && fence->character == open.character &&
         fence->length >= open.length &&
         base::trim(line).find_first_not_of(open.character) == std::string_view::npos;
}

// The lines from index `first` up to but without `last`.
struct Part {
  size_t first = 0, last = 0;
};

constexpr std::array<std::string_view, 3> kFields{"type", "version", "payload"};

bool begins_some_field(std::string_view line) {
  return std::any_of(kFields.begin(), kFields.end(),
                     [line](std::string_view field) { return begins_field(line, field); });
}

bool holds_document(const std::vector<std::string_view>& lines, const Part& part) {
  for (size_t i = part.first; i < part.last; ++i) {
    const std::string_view line = base::trim(lines[i]);
    if (line.empty() || line.starts_with('#') || line == "---") continue;
    return line.starts_with('{') || begins_some_field(line);
  }
  return false;
}

std::vector<Part> fenced_parts(const std::vector<std::string_view>& lines) {
  std::vector<Part> parts;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::optional<Fence> open = fence_in(lines[i]);
    if (!open) continue;
    Part part{i + 1, i + 1};
    while (part.last < lines.size() && !closes(lines[part.last], *open)) ++part.last;
    i = part.last;
    if (holds_document(lines, part)) parts.push_back(part);
  }
  return parts;
}

// Without a fence the document begins at its first field and ends before the first line that can no
// longer belong to its fields.
std::optional<Part> bare_part(const std::vector<std::string_view>& lines) {
  const auto first = std::find_if(lines.begin(), lines.end(), begins_some_field);
  if (first == lines.end()) return {};
  const size_t indent = indent_of(*first);
  const auto last = std::find_if(first, lines.end(), [indent](std::string_view line) {
    const bool blank = base::trim(line).empty() || base::trim(line).front() == '#';
    const bool field = indent_of(line) == indent && begins_some_field(line);
    return !blank && !field && indent_of(line) <= indent;
  });
  return Part{static_cast<size_t>(first - lines.begin()),
              static_cast<size_t>(last - lines.begin())};
}

std::string text_of(const std::vector<std::string_view>& lines, const Part& part) {
  std::string text(part.first, '\n');
  for (size_t i = part.first; i < part.last; ++i) text.append(lines[i]).append("\n");
  return text;
}

// Finds the document in the answer, checks its type and version, and gives its payload to `read`.
template <typename Answer, typename Read>
base::Result<Answer> read_answer(std::string_view answer, QuestionKind kind, Read read) {
  const base::Result<std::string> text = find_document(answer);
  if (!text) return text.error();
  const base::Result<yaml::Value> document =
      yaml::read_yaml(*text, kName, {.bytes = 2 * kMaxAnswerBytes, .depth = 12, .values = 20'000});
  if (!document) return document.error();
  yaml::Errors errors{kName};
  Answer out;
  {
    yaml::Members members(errors, *document, "", Author::kModel);
    std::string type;
    members.required_text("type", type);
    if (members.ok() && type != name(kind)) members.expected("type", name(kind));
    int64_t version = 1;
    members.count("version", 1, 1, version);
    const yaml::Value* payload = members.required("payload", "a mapping");
    if (payload != nullptr) {
      yaml::Members fields(errors, *payload, "payload", Author::kModel);
      if (fields.ok()) read(errors, fields, out);
    }
  }
  if (errors.first) return *errors.first;
  return out;
}

void bounded_text(yaml::Members& members, std::string_view key, std::string& out) {
  members.text(key, out);
  if (members.ok() && out.size() > kMaxTextBytes) {
    members.fail(key, "is longer than " + std::to_string(kMaxTextBytes) + " bytes");
  }
  out = base::trim(out);  // a block scalar ends with a line feed
}

// Calls `read` for each item of a list of mappings, with the item's path for errors.
template <typename Read>
void each_mapping(yaml::Members& members, std::string_view key, Read read) {
  const yaml::Value* list = members.required(key, "a list");
  if (list == nullptr) return;
  if (list->kind != Kind::kList) return members.expected(key, "a list");
  if (list->items.size() > kMostCriteria) return members.fail(key, "has too many items");
  for (size_t i = 0; i < list->items.size() && members.ok(); ++i) {
    read(list->items[i], members.path_of(key) + "[" + std::to_string(i) + "]");
  }
}

void read_call(yaml::Errors& errors, const yaml::Value& node, NextAction& out) {
  yaml::Members members(errors, node, "payload.worker_call", Author::kModel);
  for (size_t i = 0; i < node.keys.size(); ++i) {
    if (node.items[i].kind != Kind::kNothing) out.fields.push_back(node.keys[i].name);
  }
  adapters::WorkerCall& call = out.call;
  members.required_text("prompt", call.prompt);
  if (members.ok() && call.prompt.size() > kMaxPromptBytes) {
    members.fail("prompt", "is longer than " + std::to_string(kMaxPromptBytes) + " bytes");
  }
  const auto text = [&members](std::string_view key, std::optional<std::string>& value) {
    std::string found;
    members.text(key, found);
    if (members.find(key) != nullptr) value = found;
  };
  text("model", call.model);
  text("reasoning_effort", call.reasoning_effort);
  text("cli_path", call.cli_path);
  text("workdir", call.workdir);
  double temperature = 0;
  members.number("temperature", temperature);
  if (members.find("temperature") != nullptr) call.temperature = temperature;
  int64_t tokens = 0;
  members.count("max_tokens", 1, std::numeric_limits<int64_t>::max(), tokens);
  if (members.find("max_tokens") != nullptr) call.max_tokens = tokens;
  members.texts("flags", call.flags);
  members.texts("env", call.env);
  members.flag("use_stdin", call.use_stdin);
  if (const yaml::Value* specific = members.find("tool_specific")) {
    if (specific->kind != Kind::kMap) return members.expected("tool_specific", "a mapping");
    call.tool_specific = to_json(*specific);
  }
}

}  // namespace

std::string_view name(QuestionKind kind) { return base::word_of(kQuestions, kind); }

base::Result<std::string> find_document(std::string_view answer) {
  if (answer.size() > kMaxAnswerBytes) {
    return yaml::yaml_error(kName, {},
                            "it is longer than " + std::to_string(kMaxAnswerBytes) + " bytes");
  }
  const std::vector<std::string_view> lines = base::split_lines(answer);
  if (base::trim(answer).starts_with("{")) return text_of(lines, {0, lines.size()});
  const std::optional<Part> bare = bare_part(lines);
  std::vector<Part> fenced = fenced_parts(lines);
  std::erase_if(fenced, [&bare](const Part& part) {  // a fence inside of a text of the document
    return bare && part.first > bare->first && part.first < bare->last;
  });
  if (fenced.size() > 1) {
    return yaml::yaml_error(kName, {static_cast<int>(fenced[1].first + 1), 1},
                            "a second document; write one, without examples beside it");
  }
  if (!fenced.empty()) return text_of(lines, fenced.front());
  if (bare) return text_of(lines, *bare);
  return yaml::yaml_error(kName, {}, "there is no YAML document that begins with type:");
}

base::Result<Plan> read_plan(std::string_view answer, std::string_view task_id) {
  const auto read = [task_id](yaml::Errors& errors, yaml::Members& payload, Plan& out) {
    std::string id(task_id);
    payload.text("task_id", id);
    if (payload.ok() && id != task_id) payload.expected("task_id", task_id);
    std::set<std::string> seen;
    each_mapping(payload, "acceptance_criteria", [&](const yaml::Value& node, std::string path) {
      yaml::Members members(errors, node, std::move(path), Author::kModel);
      Criterion criterion;
      members.required_text("id", criterion.id);
      members.required_text("description", criterion.description);
      bounded_text(members, "description", criterion.description);
      if (!members.ok()) return;
      if (!base::is_name(criterion.id)) members.expected("id", "a name like ac-1");
      if (!seen.insert(criterion.id).second) members.fail("id", "is there twice");
      out.criteria.push_back(std::move(criterion));
    });
    if (payload.ok() && out.criteria.empty()) {
      payload.fail("acceptance_criteria", "must have at least one item");
    }
  };
  return read_answer<Plan>(answer, QuestionKind::kPlanTask, read);
}

base::Result<NextAction> read_next_action(std::string_view answer) {
  const auto read = [](yaml::Errors& errors, yaml::Members& payload, NextAction& out) {
    const yaml::Value* decision = payload.required("decision", "a mapping with action and reason");
    if (decision == nullptr) return;
    yaml::Members members(errors, *decision, "payload.decision", Author::kModel);
    if (members.required("action", "run_worker, mark_complete or abort") == nullptr) return;
    members.word("action", kActionWords, out.action);
    bounded_text(members, "reason", out.reason);
    if (!members.ok() || out.action != Action::kRunWorker) return;
    const yaml::Value* call = payload.required("worker_call", "a mapping with the prompt");
    if (call != nullptr) read_call(errors, *call, out);
  };
  return read_answer<NextAction>(answer, QuestionKind::kNextAction, read);
}

base::Result<Assessment> read_assessment(std::string_view answer,
                                         const std::vector<Criterion>& criteria) {
  const auto read = [&criteria](yaml::Errors& errors, yaml::Members& payload, Assessment& out) {
    bool all = false;
    if (payload.required("all_criteria_satisfied", "true or false") == nullptr) return;
    payload.flag("all_criteria_satisfied", all);
    bounded_text(payload, "summary", out.summary);
    for (const Criterion& criterion : criteria) out.verdicts.push_back({criterion.id, ""});
    std::set<std::string> missing;
    for (const Criterion& criterion : criteria) missing.insert(criterion.id);
    each_mapping(payload, "by_criterion", [&](const yaml::Value& node, std::string path) {
      yaml::Members members(errors, node, std::move(path), Author::kModel);
      Criterion verdict;
      members.required_text("id", verdict.id);
      members.required("status", "passed, failed or unknown");
      members.word("status", kVerdictWords, verdict.verdict);
      bounded_text(members, "comment", verdict.comment);
      if (!members.ok()) return;
      if (missing.erase(verdict.id) == 0) {
        return members.fail(
            "id", "\"" + base::printable(verdict.id) + "\" is not a criterion, or is there twice");
      }
      for (Criterion& known : out.verdicts) {
        if (known.id == verdict.id) known = verdict;
      }
    });
    if (!payload.ok()) return;
    if (!missing.empty()) payload.fail("by_criterion", *missing.begin() + " is missing");
    const bool passed = std::all_of(out.verdicts.begin(), out.verdicts.end(), [](const auto& each) {
      return each.verdict == Verdict::kPassed;
    });
    if (all && !passed) {
      payload.fail("all_criteria_satisfied", "is true, but not all of by_criterion passed");
    }
  };
  return read_answer<Assessment>(answer, QuestionKind::kCompletionAssessment, read);
}

}  // namespace orch::task
