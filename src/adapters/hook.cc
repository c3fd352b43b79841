#include "adapters/hook.h"

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace orch::adapters {
namespace {

using Json = nlohmann::json;

std::string text_at(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::string first_message(const Json& object) {
  const auto messages = object.find("input-messages");
  if (messages == object.end() || !messages->is_array() || messages->empty()) return {};
  return messages->front().is_string() ? messages->front().get<std::string>() : std::string();
}

}  // namespace

std::string notice_of(std::string_view json) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return {};
  std::string kind = "hook ", detail;
  std::string name = text_at(object, "hook_event_name");
  if (!name.empty()) {
    for (const char* key : {"notification_type", "tool_name", "error", "source", "reason"}) {
      detail = text_at(object, key);
      if (!detail.empty()) break;
    }
  } else {
    kind = "notify ";
    name = text_at(object, "type");
    detail = first_message(object);
  }
  if (name.empty()) return {};
  const std::string notice = base::printable(kind + name + (detail.empty() ? "" : " " + detail));
  return std::string(base::beginning(notice, kMaxNoticeBytes - 1));
}

}  // namespace orch::adapters
