#pragma once

#include <string>

#include "base/result.h"
#include "meta/provider.h"

// Requests and responses of Chat Completions (POST /chat/completions), as JSON texts. Pure.
namespace orch::meta {

// With an empty `effort` the request does not mention it.
std::string chat_request(const Question& question, const std::string& model,
                         const std::string& effort);

// The model's answer in a response. If it is not a whole answer - cut off, refused, empty or not
// JSON - the result is an error of one line.
base::Result<Answer> read_chat_answer(const std::string& body);

// The message in an error response, in one short line; "" if it cannot be read.
std::string chat_error_text(const std::string& body);
// Whether the error is a limit that no waiting lifts: the account has no credit left.
bool is_quota_error(const std::string& body);

}  // namespace orch::meta
