#include "exchange/canned.h"

#include <vector>

#include "base/json.h"

// These shapes ended the turns of claude 2.1.197 and 2.1.330, codex 0.169.0, gemini
// 0.61.0 and opencode 1.18.33 when they were measured.
namespace orch::exchange {
namespace {

using base::Json;

std::string event(const Json& json, const std::string& name = "") {
  return (name.empty() ? "" : "event: " + name + "\n") + "data: " + base::json_line(json) + "\n\n";
}

std::string typed_event(const Json& json) {
  return event(json, json.at("type").get<std::string>());
}

std::string anthropic(const Asked& asked, const std::string& text, const std::string& id) {
  Json message{{"id", "msg_" + id},        {"type", "message"},
               {"role", "assistant"},      {"model", asked.model},
               {"content", Json::array()}, {"stop_reason", nullptr},
               {"stop_sequence", nullptr}, {"usage", {{"input_tokens", 0}, {"output_tokens", 0}}}};
  if (!asked.streams) {
    message["content"].push_back({{"type", "text"}, {"text", text}});
    message["stop_reason"] = "end_turn";
    return base::json_line(message);
  }
  return typed_event({{"type", "message_start"}, {"message", message}}) +
         typed_event({{"type", "content_block_start"},
                      {"index", 0},
                      {"content_block", {{"type", "text"}, {"text", ""}}}}) +
         typed_event({{"type", "content_block_delta"},
                      {"index", 0},
                      {"delta", {{"type", "text_delta"}, {"text", text}}}}) +
         typed_event({{"type", "content_block_stop"}, {"index", 0}}) +
         typed_event({{"type", "message_delta"},
                      {"delta", {{"stop_reason", "end_turn"}, {"stop_sequence", nullptr}}},
                      {"usage", {{"output_tokens", 0}}}}) +
         typed_event({{"type", "message_stop"}});
}

std::string responses(const Asked& asked, const std::string& text, const std::string& id) {
  const Json usage{{"input_tokens", 0},
                   {"input_tokens_details", {{"cached_tokens", 0}}},
                   {"output_tokens", 0},
                   {"output_tokens_details", {{"reasoning_tokens", 0}}},
                   {"total_tokens", 0}};
  const std::string item_id = "msg_" + id;
  const Json part{{"type", "output_text"}, {"text", text}, {"annotations", Json::array()}};
  const Json item{{"type", "message"},
                  {"id", item_id},
                  {"status", "completed"},
                  {"role", "assistant"},
                  {"content", Json::array({part})}};
  Json response{{"id", "resp_" + id},
                {"object", "response"},
                {"status", "in_progress"},
                {"model", asked.model},
                {"output", Json::array()}};
  Json completed = response;
  completed["status"] = "completed";
  completed["output"].push_back(item);
  completed["usage"] = usage;
  if (!asked.streams) return base::json_line(completed);
  std::string out;
  int number = 0;
  const auto add = [&out, &number](Json json) {
    json["sequence_number"] = number++;
    out += typed_event(json);
  };
  Json begun = item, empty = part;
  begun["status"] = "in_progress";
  begun["content"] = Json::array();
  empty["text"] = "";
  const Json place{{"item_id", item_id}, {"output_index", 0}, {"content_index", 0}};
  const auto at_place = [&place](const char* type, const char* name, Json value) {
    Json json = place;
    json["type"] = type;
    json[name] = std::move(value);
    return json;
  };
  add({{"type", "response.created"}, {"response", response}});
  add({{"type", "response.output_item.added"}, {"output_index", 0}, {"item", begun}});
  add(at_place("response.content_part.added", "part", empty));
  add(at_place("response.output_text.delta", "delta", text));
  add(at_place("response.output_text.done", "text", text));
  add(at_place("response.content_part.done", "part", part));
  add({{"type", "response.output_item.done"}, {"output_index", 0}, {"item", item}});
  add({{"type", "response.completed"}, {"response", completed}});
  return out;
}

std::string chat(const Asked& asked, const std::string& text, const std::string& id) {
  const Json usage{{"prompt_tokens", 0}, {"completion_tokens", 0}, {"total_tokens", 0}};
  const auto part = [&](const char* kind, Json message, Json finish) {
    return Json{{"id", "chatcmpl-" + id},
                {"object", kind},
                {"created", 0},
                {"model", asked.model},
                {"choices", Json::array({{{"index", 0},
                                          {asked.streams ? "delta" : "message", std::move(message)},
                                          {"finish_reason", std::move(finish)}}})}};
  };
  const Json whole{{"role", "assistant"}, {"content", text}};
  if (!asked.streams) {
    Json json = part("chat.completion", whole, "stop");
    json["usage"] = usage;
    return base::json_line(json);
  }
  Json last = part("chat.completion.chunk", Json::object(), "stop");
  last["usage"] = usage;
  return event(part("chat.completion.chunk", whole, nullptr)) + event(last) + "data: [DONE]\n\n";
}

std::string gemini(const Asked& asked, const std::string& text, const std::string& id) {
  Json json{
      {"candidates",
       Json::array({{{"content", {{"role", "model"}, {"parts", Json::array({{{"text", text}}})}}},
                     {"finishReason", "STOP"},
                     {"index", 0}}})},
      {"modelVersion", asked.model},
      {"responseId", id},
      {"usageMetadata",
       {{"promptTokenCount", 0}, {"candidatesTokenCount", 0}, {"totalTokenCount", 0}}}};
  if (asked.is_wrapped) json = Json{{"response", json}};
  return asked.streams ? event(json) : base::json_line(json);
}

}  // namespace

Canned canned_end(const Asked& asked, std::string_view text, std::string_view id) {
  const std::string words(text), name(id);
  const char* type = asked.streams ? "text/event-stream" : "application/json";
  switch (asked.protocol) {
    case Protocol::kNone:
      break;
    case Protocol::kAnthropic:
      return {type, anthropic(asked, words, name)};
    case Protocol::kResponses:
      return {type, responses(asked, words, name)};
    case Protocol::kChat:
      return {type, chat(asked, words, name)};
    case Protocol::kGemini:
      return {type, gemini(asked, words, name)};
  }
  return {"application/json", base::json_line({{"error", {{"message", words}}}})};
}

std::string error_body(Protocol protocol, int status, std::string_view text) {
  const std::string words(text);
  const bool is_gemini = protocol == Protocol::kGemini;
  if (is_gemini) {
    return base::json_line(
        {{"error", {{"code", status}, {"message", words}, {"status", "UNAVAILABLE"}}}});
  }
  Json error{{"error", {{"type", "api_error"}, {"message", words}}}};
  if (protocol == Protocol::kAnthropic) error["type"] = "error";
  return base::json_line(error);
}

}  // namespace orch::exchange
