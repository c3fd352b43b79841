#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "adapters/line_spec.h"

// Access to members of the JSON that agents write. Manifests name a member by the way to it, the
// names from the outermost object on: "/message/content".
namespace orch::driver {

// This is not base::Json, which searches all members for a name in linear time: the model decides
// how many members the arguments of a tool have.
using AgentJson = nlohmann::json;

enum class JsonComments : uint8_t { kRefused, kIgnored };
// Parses a text. The result is discarded (is_discarded()), and so not an object, if the text is not
// JSON or nests too deep.
AgentJson parse_agent_json(std::string_view text, JsonComments comments = JsonComments::kRefused);
// On one line; text that is not UTF-8 becomes U+FFFD.
std::string as_json(const AgentJson& json);

// The member, or the text of the member. nullptr if it is missing or no text, or if `way` is empty.
const AgentJson* member_of(const AgentJson& line, std::string_view way);
const std::string* text_of(const AgentJson& line, std::string_view way);
// Whether the member is the text `value`, or the boolean whose name is `value`.
bool has_value(const AgentJson& line, const std::string& way, const std::string& value);
// Whether all conditions hold; HeadlessSpec::kAny stands for any value but null.
bool holds(const adapters::LineConditions& conditions, const AgentJson& line);

}  // namespace orch::driver
