#include "exchange/usage.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace orch::exchange {
namespace {

using base::Json;

const Json* member(const Json* json, const char* name) {
  if (json == nullptr || !json->is_object()) return nullptr;
  const auto found = json->find(name);
  return found == json->end() ? nullptr : &*found;
}

// A count that somebody else's server has written: never negative, and small enough to be added up.
int64_t count(const Json* json, const char* name) {
  const Json* value = member(json, name);
  if (value == nullptr || !value->is_number()) return 0;
  constexpr double kMost = 1e12;
  const auto number = value->get<double>();
  return number > 0 ? static_cast<int64_t>(std::min(number, kMost)) : 0;
}

std::string text(const Json* json, const char* name) {
  const Json* value = member(json, name);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

// A later report replaces a count, unless it does not have it.
void take(int64_t& count, int64_t more) {
  if (more > 0) count = more;
}

void read_anthropic(const Json& json, Counts& counts) {
  const Json* message = member(&json, "message");
  const Json* from = message != nullptr ? message : &json;
  const Json* usage = member(from, "usage");
  if (usage == nullptr) return;
  if (std::string model = text(from, "model"); !model.empty()) counts.model = std::move(model);
  take(counts.cached, count(usage, "cache_read_input_tokens"));
  take(counts.written, count(usage, "cache_creation_input_tokens"));
  if (member(usage, "input_tokens") != nullptr) {
    take(counts.in, count(usage, "input_tokens") + counts.cached + counts.written);
  }
  take(counts.out, count(usage, "output_tokens"));
}

void read_responses(const Json& json, Counts& counts) {
  const Json* response = member(&json, "response");
  const Json* from = response != nullptr ? response : &json;
  const Json* usage = member(from, "usage");
  if (usage == nullptr || !usage->is_object()) return;
  counts.model = text(from, "model");
  take(counts.in, count(usage, "input_tokens"));
  take(counts.cached, count(member(usage, "input_tokens_details"), "cached_tokens"));
  take(counts.out, count(usage, "output_tokens"));
}

void read_chat(const Json& json, Counts& counts) {
  const Json* usage = member(&json, "usage");
  if (usage == nullptr || !usage->is_object()) return;
  counts.model = text(&json, "model");
  take(counts.in, count(usage, "prompt_tokens"));
  take(counts.cached, count(member(usage, "prompt_tokens_details"), "cached_tokens"));
  take(counts.out, count(usage, "completion_tokens"));
}

void read_gemini(const Json& json, Counts& counts) {
  const Json* response = member(&json, "response");
  const Json* from = response != nullptr ? response : &json;
  const Json* usage = member(from, "usageMetadata");
  if (usage == nullptr) return;
  counts.model = text(from, "modelVersion");
  take(counts.in, count(usage, "promptTokenCount") + count(usage, "toolUsePromptTokenCount"));
  take(counts.cached, count(usage, "cachedContentTokenCount"));
  take(counts.out, count(usage, "candidatesTokenCount") + count(usage, "thoughtsTokenCount"));
}

}  // namespace

void UsageReader::feed(std::string_view bytes) {
  if (protocol_ == Protocol::kNone) return;
  if (events_) {
    lines_.cut(
        bytes, [this](std::string_view line) { read_line(line); }, [] {});
    return;
  }
  too_large_ = too_large_ || bytes.size() > kMostBytes - body_.size();
  if (!too_large_) body_ += bytes;
}

void UsageReader::end() {
  if (events_) {
    lines_.cut(
        "\n", [this](std::string_view line) { read_line(line); }, [] {});
  } else if (!too_large_) {
    read_json(body_);
  }
  body_.clear();
}

// Most events are pieces of text: only those with a report are parsed.
void UsageReader::read_line(std::string_view line) {
  constexpr std::string_view kData = "data:";
  if (line.starts_with(kData) && line.find("\"usage") != std::string_view::npos) {
    read_json(line.substr(kData.size()));
  }
}

void UsageReader::read_json(std::string_view text) {
  const Json json = base::parse_json(base::trim(text));
  // A body that is asked for without events may be a list of what the events would be.
  const auto read = [this](const Json& one) {
    switch (protocol_) {
      case Protocol::kNone:
        return;
      case Protocol::kAnthropic:
        return read_anthropic(one, counts_);
      case Protocol::kResponses:
        return read_responses(one, counts_);
      case Protocol::kChat:
        return read_chat(one, counts_);
      case Protocol::kGemini:
        return read_gemini(one, counts_);
    }
  };
  if (!json.is_array()) return read(json);
  for (const Json& one : json) read(one);
}

}  // namespace orch::exchange
