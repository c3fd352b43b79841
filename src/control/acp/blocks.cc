#include "acp/blocks.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "base/text.h"

namespace orch::acp {
namespace {

using base::Result;
using base::usage_error;
using jsonrpc::Members;
using jsonrpc::text_in;

constexpr std::string_view kFile = "file://";
// Before a file's path at the beginning of a prompt, which agents would take for a command.
constexpr std::string_view kLead = "Look at this first:\n";

// The path of a file, for an agent. A URI writes some of its bytes as %XX (RFC 3986).
std::string place_of(const std::string& uri) {
  if (!uri.starts_with(kFile)) return uri;
  std::string path;
  for (size_t at = kFile.size(); at < uri.size(); ++at) {
    unsigned char byte = 0;
    const char* digits = uri.data() + at + 1;
    const bool is_escape = uri[at] == '%' && uri.size() - at > 2 &&
                           std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    path += is_escape ? static_cast<char>(byte) : uri[at];
    if (is_escape) at += 2;
  }
  return path;
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
                     "\" in the prompt: only text, image, resource_link and resource are taken");
}

// The ending of a file's name for an image of this type; "" for a type that agents do not read.
std::string_view ending_of(std::string_view mime_type) {
  for (const auto& [type, ending] :
       {std::pair{"image/png", ".png"}, std::pair{"image/jpeg", ".jpg"},
        std::pair{"image/gif", ".gif"}, std::pair{"image/webp", ".webp"}}) {
    if (mime_type == type) return ending;
  }
  return "";
}

Result<Attachment> image_of(const Members& block, const std::string& path) {
  const std::string type = text_in(block, "mimeType");
  const std::string_view ending = ending_of(type);
  if (ending.empty()) {
    return usage_error("an image of type \"" + base::printable(type.substr(0, 40)) +
                       "\" in the prompt: only PNG, JPEG, GIF and WebP are taken");
  }
  std::optional<std::string> bytes = base::base64_decoded(text_in(block, "data"));
  if (!bytes || bytes->empty()) return usage_error("an image of the prompt is not in base64");
  return Attachment{path + std::string(ending), std::move(*bytes)};
}

}  // namespace

Result<Prompt> prompt_of(const Members& blocks, const std::string& folder,
                         const std::string& name) {
  if (!blocks.is_array()) return usage_error("prompt must be an array");
  Prompt prompt;
  for (const Members& block : blocks) {
    std::string text;
    if (text_in(block, "type") == "image" && !folder.empty()) {
      const std::string number = std::to_string(prompt.files.size() + 1);
      Result<Attachment> image = image_of(block, folder + "/" + name + "-" + number);
      if (!image) return image.error();
      text = image->path;
      prompt.files.push_back(std::move(image).value());
    } else {
      Result<std::string> words = text_of(block);
      if (!words) return words.error();
      text = std::move(words).value();
    }
    if (!prompt.text.empty() && !text.empty() && !prompt.text.ends_with('\n')) {
      prompt.text += '\n';
    }
    prompt.text += text;
  }
  if (base::trim(prompt.text).empty()) return usage_error("the prompt is empty");
  const bool is_typed = text_in(blocks.front(), "type") == "text";
  if (!is_typed && prompt.text.starts_with('/')) prompt.text.insert(0, kLead);
  return prompt;
}

}  // namespace orch::acp
