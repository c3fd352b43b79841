#pragma once

#include <string>

#include "agent/dialog_choice.h"
#include "base/json_fwd.h"
#include "jsonrpc/message.h"
#include "wire/status_report.h"

// Dialogs as requests to a client, and its answers. Pure.
namespace orch::acp {

// The parameters of session/request_permission without the session. Options that allow once come
// first, because some clients take the first that allows.
base::Json permission_request(const wire::DialogReport& dialog, const std::string& tool_call);

// The parameters of elicitation/create without the session; for a question.
base::Json question_request(const wire::DialogReport& dialog);
bool is_question(const wire::DialogReport& dialog);

// A client's answer.
struct Answered {
  agent::DialogChoice choice;
  std::string meaning;  // the name of the agent::Meaning that the chosen option has
};
// Whatever is not clearly a choice of one of the dialog's options denies: an error, a cancelled
// outcome, an unknown option.
Answered answer_of(const wire::DialogReport& dialog, const jsonrpc::Response& response);

}  // namespace orch::acp
