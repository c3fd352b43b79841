#include "jsonrpc/message.h"

#include <optional>
#include <utility>

#include "base/text.h"

namespace orch::jsonrpc {
namespace {

using base::Json;

constexpr int kMaxDepth = 64;

Malformed refused(ErrorCode code, std::string_view why, const Json& id = nullptr) {
  return {error_line(id, code, why)};
}

// By the protocol a response's id must be a string or a number.
std::optional<Json> id_of(const Members& message) {
  const auto found = message.find("id");
  if (found == message.end() || !(found->is_string() || found->is_number())) return std::nullopt;
  return Json(*found);
}

std::string line_of(const Json& answer) { return base::json_line(answer) + "\n"; }

Message read_object(const Members& message) {
  const auto method = message.find("method");
  const bool is_answer = method == message.end() && !message.contains("params") &&
                         (message.contains("result") || message.contains("error"));
  const bool has_id = message.contains("id");
  std::optional<Json> id = id_of(message);
  if (is_answer) {
    if (!id) return Ignored{};
    const auto result = message.find("result");
    const bool is_error = message.contains("error") || result == message.end();
    return Response{*std::move(id), is_error ? Members() : *result, is_error};
  }
  if (has_id && !id) return refused(ErrorCode::kInvalidRequest, "id must be a string or a number");
  const Json told_id = id ? *id : Json(nullptr);
  const auto version = message.find("jsonrpc");
  if (version == message.end() || *version != "2.0") {
    return refused(ErrorCode::kInvalidRequest, "jsonrpc must be \"2.0\"", told_id);
  }
  if (method == message.end() || !method->is_string()) {
    return refused(ErrorCode::kInvalidRequest, "method must be a string", told_id);
  }
  const auto params = message.find("params");
  const bool has_params = params != message.end() && !params->is_null();
  if (has_params && !params->is_object()) {
    if (!id) return Ignored{};
    return refused(ErrorCode::kInvalidParams, "params must be an object", told_id);
  }
  Members read = has_params ? *params : Members::object();
  if (!id) return Notification{method->get<std::string>(), std::move(read)};
  return Request{*id, method->get<std::string>(), std::move(read)};
}

}  // namespace

std::string text_in(const Members& object, std::string_view key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Message read_message(std::string_view line) {
  if (base::nests_too_deep(line, kMaxDepth)) return refused(ErrorCode::kParse, "nested too deep");
  const Members message = Members::parse(line, nullptr, /*allow_exceptions=*/false);
  if (message.is_discarded()) return refused(ErrorCode::kParse, "not valid JSON");
  if (message.is_array()) return refused(ErrorCode::kInvalidRequest, "batches are not supported");
  if (!message.is_object()) return refused(ErrorCode::kInvalidRequest, "must be an object");
  return read_object(message);
}

std::string long_line_error() {
  return error_line(
      nullptr, ErrorCode::kParse,
      "a message is longer than " + std::to_string(kMaxLineBytes >> 20) + " MiB, and not read");
}

std::string result_line(const Json& id, Json result) {
  Json answer{{"jsonrpc", "2.0"}, {"id", id}};
  answer["result"] = std::move(result);
  return line_of(answer);
}

std::string error_line(const Json& id, ErrorCode code, std::string_view message, Json data) {
  Json answer{{"jsonrpc", "2.0"}, {"id", id}};
  answer["error"] = {{"code", static_cast<int>(code)}, {"message", base::printable(message)}};
  if (!data.is_null()) answer["error"]["data"] = std::move(data);
  return line_of(answer);
}

std::string request_line(const Json& id, std::string_view method, Json params) {
  Json asked{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
  asked["params"] = std::move(params);
  return line_of(asked);
}

std::string notification_line(std::string_view method, Json params) {
  Json told{{"jsonrpc", "2.0"}, {"method", method}};
  told["params"] = std::move(params);
  return line_of(told);
}

}  // namespace orch::jsonrpc
