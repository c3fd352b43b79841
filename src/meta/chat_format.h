#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "meta/provider.h"

// Requests and responses of Chat Completions (POST /chat/completions), as texts. Pure.
namespace orch::meta {

// `effort` "": is not said.
std::string chat_request(const Question& question, const std::string& model,
                         const std::string& effort);

// What the model wrote. What is no whole answer - cut off, refused, empty, no JSON - is an error of
// one line.
base::Result<Answer> read_chat_answer(const std::string& body);

// What a response says that is an error, in one short line; "" when it says nothing readable.
std::string chat_error_text(const std::string& body);
// Whether it is a limit that no waiting lifts: the account is empty.
bool is_quota_error(const std::string& body);

}  // namespace orch::meta
