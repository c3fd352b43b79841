#include "meta/chat_format.h"

#include "base/json_members.h"
#include "base/text.h"

namespace orch::meta {
namespace {

using base::Json;
using base::JsonMembers;

constexpr base::JsonLimits kLimits{.depth = 64};

base::Error failed(std::string text) { return {base::ErrorCode::kSystem, std::move(text)}; }

std::string short_line(std::string_view text) {
  std::string line = base::printable(base::trim(text).substr(0, kMostErrorText));
  return text.size() > kMostErrorText ? line + "…" : line;
}

// The content is a text, or an array of parts; some parts are texts.
std::string content_of(const Json& message) {
  const auto content = message.find("content");
  if (content == message.end() || !content->is_array()) return base::text_at(message, "content");
  std::string text;
  for (const Json& part : *content) {
    if (part.is_object() && base::text_at(part, "type") == "text")
      text += base::text_at(part, "text");
  }
  return text;
}

event::Usage usage_of(JsonMembers& in) {
  event::Usage usage;
  usage.source = "openai-chat";
  const Json* json = in.find("usage");
  if (json == nullptr || !json->is_object()) return usage;
  const auto count = [](const Json& object, const char* key) -> int64_t {
    const auto member = object.find(key);
    const bool is_count = member != object.end() && member->is_number_unsigned() &&
                          member->get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX);
    return is_count ? member->get<int64_t>() : 0;
  };
  usage.in = count(*json, "prompt_tokens");
  usage.out = count(*json, "completion_tokens");
  const auto details = json->find("prompt_tokens_details");
  if (details != json->end() && details->is_object())
    usage.cached = count(*details, "cached_tokens");
  return usage;
}

base::Result<std::string> answer_in(const Json& choice) {
  const auto message = choice.find("message");
  if (message == choice.end() || !message->is_object()) {
    return failed("the response holds no message");
  }
  if (const std::string refusal = base::text_at(*message, "refusal"); !refusal.empty()) {
    return failed("the model refused: " + short_line(refusal));
  }
  const std::string reason = base::text_at(choice, "finish_reason");
  if (reason == "length") return failed("the answer was cut off: it is too long for the model");
  if (reason == "content_filter") return failed("the answer was withheld by a content filter");
  std::string text = content_of(*message);
  if (base::trim(text).empty()) return failed("the answer is empty");
  return text;
}

}  // namespace

std::string chat_request(const Question& question, const std::string& model,
                         const std::string& effort) {
  Json request;
  request["model"] = model;
  if (!effort.empty()) request["reasoning_effort"] = effort;
  request["messages"] = {{{"role", "system"}, {"content", question.instructions}},
                         {{"role", "user"}, {"content", question.text}}};
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

base::Result<Answer> read_chat_answer(const std::string& body) {
  base::JsonDocument document("", body, base::JsonAuthor::kProgram, kLimits);
  if (!document.ok()) {
    return failed("the response is not the JSON of Chat Completions: \"" + short_line(body) + "\"");
  }
  JsonMembers in(document);
  const Json* choices = in.find("choices");
  if (choices == nullptr || !choices->is_array() || choices->empty() ||
      !choices->front().is_object()) {
    const std::string said = chat_error_text(body);
    return failed("the response holds no choices" + (said.empty() ? "" : ": " + said));
  }
  base::Result<std::string> text = answer_in(choices->front());
  if (!text) return text.error();
  return Answer{.text = std::move(text).value(), .usage = usage_of(in)};
}

std::string chat_error_text(const std::string& body) {
  base::JsonDocument document("", body, base::JsonAuthor::kProgram, kLimits);
  if (!document.ok()) return short_line(base::trim(body));
  JsonMembers in(document);
  const Json* error = in.find("error");
  if (error != nullptr && error->is_object()) return short_line(base::text_at(*error, "message"));
  if (error != nullptr && error->is_string()) return short_line(error->get<std::string>());
  return "";
}

bool is_quota_error(const std::string& body) {
  base::JsonDocument document("", body, base::JsonAuthor::kProgram, kLimits);
  if (!document.ok()) return false;
  JsonMembers in(document);
  const Json* error = in.find("error");
  return error != nullptr && error->is_object() &&
         (base::text_at(*error, "code") == "insufficient_quota" ||
          base::text_at(*error, "type") == "insufficient_quota");
}

}  // namespace orch::meta
