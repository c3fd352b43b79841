#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

// Members of what agents write, which manifests name by the way to them: "/message/content".
namespace orch::driver {

// Not base::Json, which looks for a member among all others: the model decides how many a tool's
// arguments have.
using AgentJson = nlohmann::json;

// Whether a JSON text nests deeper than kMaxJsonDepth. The parser does not mind, but whoever writes
// or frees the value goes down into it.
inline constexpr int kMaxJsonDepth = 128;
bool is_too_deep(std::string_view text);

// nullptr when it is missing, or no way was given.
const AgentJson* member_of(const AgentJson& line, std::string_view way);
const std::string* text_of(const AgentJson& line, std::string_view way);
// Whether it is that text, or the boolean that is called so.
bool has_value(const AgentJson& line, const std::string& way, const std::string& value);

}  // namespace orch::driver
