#include "acp/blocks.h"

#include <string_view>

#include "base/text.h"

namespace orch::acp {
namespace {

using base::Result;
using base::usage_error;
using jsonrpc::Members;
using jsonrpc::text_in;

constexpr std::string_view kFile = "file://";

// Agents are told of a file by its path.
std::string place_of(const std::string& uri) {
  return uri.starts_with(kFile) ? uri.substr(kFile.size()) : uri;
}

Result<std::string> text_of(const Members& block) {
  const std::string type = text_in(block, "type");
  if (type == "text") return text_in(block, "text");
  if (type == "resource_link") {
    const std::string uri = text_in(block, "uri");
    if (uri.empty()) return usage_error("a resource_link of the prompt has no uri");
    return place_of(uri);
  }
  if (type == "resource") {
    const auto resource = block.find("resource");
    const std::string text = resource == block.end() ? "" : text_in(*resource, "text");
    if (text.empty()) return usage_error("an embedded resource of the prompt has no text");
    return place_of(text_in(*resource, "uri")) + ":\n" + text;
  }
  return usage_error("a block of type \"" + base::printable(type.substr(0, 40)) +
                     "\" in the prompt: only text, resource_link and resource are taken");
}

}  // namespace

Result<std::string> message_of(const Members& blocks) {
  if (!blocks.is_array()) return usage_error("prompt must be an array");
  std::string message;
  for (const Members& block : blocks) {
    Result<std::string> text = text_of(block);
    if (!text) return text;
    if (!message.empty() && !text->empty() && !message.ends_with('\n')) message += '\n';
    message += *text;
  }
  if (base::trim(message).empty()) return usage_error("the prompt is empty");
  return message;
}

}  // namespace orch::acp
