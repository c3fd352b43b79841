#include "acp/permission.h"

#include <algorithm>
#include <utility>

#include "acp/tool_use.h"
#include "base/json.h"
#include "base/text.h"

namespace orch::acp {
namespace {

using base::Json;
using Option = wire::DialogReport::Option;

constexpr std::string_view kOnce = "allow once", kAlways = "allow always", kDeny = "deny";

// An option of a question is an answer, and nothing is allowed by it.
std::string_view kind_of(const Option& option) {
  if (option.meaning == kAlways) return "allow_always";
  return option.meaning == kDeny ? "reject_once" : "allow_once";
}

int rank_of(const Option& option) {
  const std::string_view kind = kind_of(option);
  if (kind == "allow_once") return 0;
  return kind == "allow_always" ? 1 : 2;
}

// In a permission an option of another meaning ("tell the agent what to do instead") is left out:
// a client could only call it an allowance.
std::vector<Option> offered(const wire::DialogReport& dialog) {
  std::vector<Option> options = dialog.options;
  const bool has_meanings = std::any_of(options.begin(), options.end(), [](const Option& option) {
    return option.meaning == kOnce || option.meaning == kDeny;
  });
  if (has_meanings) {
    std::erase_if(options, [](const Option& option) { return option.meaning == "other"; });
  }
  std::stable_sort(options.begin(), options.end(), [](const Option& left, const Option& right) {
    return rank_of(left) < rank_of(right);
  });
  return options;
}

const Json* find(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

Answered denied() { return {{agent::DialogChoice::Kind::kNo, 0, ""}, std::string(kDeny)}; }

Answered chosen(const wire::DialogReport& dialog, const std::string& number) {
  for (const Option& option : offered(dialog)) {
    if (std::to_string(option.number) != number) continue;
    return {{agent::DialogChoice::Kind::kNumber, option.number, ""}, option.meaning};
  }
  return denied();
}

}  // namespace

bool is_question(const wire::DialogReport& dialog) {
  return dialog.kind == event::Cause::kQuestion;
}

Json permission_request(const wire::DialogReport& dialog, const std::string& tool_call) {
  Json options = Json::array();
  for (const Option& option : offered(dialog)) {
    options.push_back(Json{{"optionId", std::to_string(option.number)},
                           {"name", base::printable(option.text)},
                           {"kind", kind_of(option)}});
  }
  if (options.empty()) {  // none could be read: all that is left is to leave the dialog
    options.push_back(Json{{"optionId", "0"}, {"name", "Leave it"}, {"kind", "reject_once"}});
  }
  Json call{{"toolCallId", tool_call}};
  call["title"] = base::printable(dialog.command.empty() ? dialog.text : dialog.command);
  call["status"] = "pending";
  if (!dialog.command.empty()) call["rawInput"] = Json{{"command", dialog.command}};
  std::string words = dialog.text;
  if (!dialog.body.empty()) words += "\n" + dialog.body;
  if (!dialog.complete) words += "\norch could not read all of this dialog: look at the terminal.";
  call["content"] = tool_content(base::printable_lines(words));
  Json request;
  request["toolCall"] = std::move(call);
  request["options"] = std::move(options);
  return request;
}

Json question_request(const wire::DialogReport& dialog) {
  Json answers = Json::array();
  for (const Option& option : dialog.options) {
    answers.push_back(Json{{"const", std::to_string(option.number)},
                           {"title", base::printable(wire::label(option))}});
  }
  Json property{{"type", "string"}, {"title", base::printable(dialog.title)}};
  property["oneOf"] = std::move(answers);
  Json schema{{"type", "object"}};
  schema["properties"] = Json{{"answer", std::move(property)}};
  schema["required"] = Json::array({"answer"});
  Json request{{"mode", "form"}, {"message", base::printable(dialog.text)}};
  request["requestedSchema"] = std::move(schema);
  return request;
}

Answered answer_of(const wire::DialogReport& dialog, const jsonrpc::Response& response) {
  if (response.is_error) return denied();
  const Json result(response.result);
  if (const Json* action = find(result, "action")) {  // of a question
    const Json* content = find(result, "content");
    const Json* answer = content == nullptr ? nullptr : find(*content, "answer");
    const bool is_given = *action == "accept" && answer != nullptr && answer->is_string();
    return is_given ? chosen(dialog, answer->get<std::string>()) : denied();
  }
  const Json* outcome = find(result, "outcome");
  const Json* kind = outcome == nullptr ? nullptr : find(*outcome, "outcome");
  const Json* option = outcome == nullptr ? nullptr : find(*outcome, "optionId");
  const bool is_chosen =
      kind != nullptr && *kind == "selected" && option != nullptr && option->is_string();
  return is_chosen ? chosen(dialog, option->get<std::string>()) : denied();
}

}  // namespace orch::acp
