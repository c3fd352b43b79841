#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

// For headers that only name types for reading and writing JSON: nlohmann's own header is ten times
// as long as most of the sources that would include it through them.
namespace orch::base {

using Json = nlohmann::ordered_json;  // keeps the order of members; see json.h

class JsonDocument;
class JsonMembers;

// The author of a JSON text.
enum class JsonAuthor : uint8_t {
  kProgram,  // perhaps a newer version: unknown members are ignored, null means missing
  kPerson,   // may have mistyped: unknown members and null are refused
};

}  // namespace orch::base
