#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "exchange/message.h"

namespace orch::exchange {

// How a model is asked.
enum class Protocol : uint8_t {
  kNone,       // another request: it goes on as it is, and is not counted
  kAnthropic,  // Messages
  kResponses,  // OpenAI's Responses
  kChat,       // OpenAI's chat completions
  kGemini,     // generateContent
};

// What a request asks the model for.
struct Asked {
  Protocol protocol = Protocol::kNone;
  std::string model = {};  // "" if the request does not say
  bool streams = false;    // the answer is to come as events
  bool has_tools = false;
  bool is_wrapped = false;  // Gemini for a Google login: answers are in {"response": ...}
};
// By the path of the request and the members of its body. A body in another coding is not read.
Asked asked(const Request& request);

std::string_view name(Protocol protocol);  // "anthropic", "responses", "chat", "gemini"; ""

}  // namespace orch::exchange
