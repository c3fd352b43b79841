#include "exchange/protocol.h"

#include "exchange/members.h"

namespace orch::exchange {
namespace {

Protocol protocol_of(const std::string& method, std::string_view path) {
  if (method != "POST") return Protocol::kNone;
  if (path.ends_with("/messages") || path.ends_with(":streamRawPredict") ||
      path.ends_with(":rawPredict")) {
    return Protocol::kAnthropic;
  }
  if (path.ends_with("/responses")) return Protocol::kResponses;
  if (path.ends_with("/chat/completions")) return Protocol::kChat;
  if (path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent")) {
    return Protocol::kGemini;
  }
  return Protocol::kNone;
}

// "gemini-2.5-pro" of "/v1beta/models/gemini-2.5-pro:generateContent".
std::string model_in_path(std::string_view path) {
  path = path.substr(0, path.rfind(':'));
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace

Asked asked(const Request& request) {
  std::string_view path = std::string_view(request.target).substr(0, request.target.find('?'));
  while (path.ends_with('/')) path.remove_suffix(1);
  Asked out{.protocol = protocol_of(request.method, path)};
  if (out.protocol == Protocol::kNone) return out;
  out.model = member_word(request.body, "model");
  out.streams = member_text(request.body, "stream").value_or("") == "true" ||
                path.ends_with(":streamRawPredict");
  out.has_tools = has_elements(request.body, "tools");
  if (out.protocol != Protocol::kGemini) return out;
  out.streams = path.ends_with(":streamGenerateContent");
  out.is_wrapped = path.find("/v1internal:") != std::string_view::npos;
  if (out.is_wrapped) {
    out.has_tools = has_elements(member_text(request.body, "request").value_or(""), "tools");
  } else {
    out.model = model_in_path(path);
  }
  return out;
}

std::string_view name(Protocol protocol) {
  switch (protocol) {
    case Protocol::kNone:
      return "";
    case Protocol::kAnthropic:
      return "anthropic";
    case Protocol::kResponses:
      return "responses";
    case Protocol::kChat:
      return "chat";
    case Protocol::kGemini:
      return "gemini";
  }
  return "";
}

}  // namespace orch::exchange
