#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

// For headers that only name what reads and writes JSON: nlohmann's own is ten times as long as
// most of the sources that would include it through them.
namespace orch::base {

using Json = nlohmann::ordered_json;  // how orch writes JSON; see json.h

class JsonDocument;
class JsonMembers;

// Whose words a JSON text holds.
enum class JsonAuthor : uint8_t {
  kProgram,  // perhaps a newer one: members that nobody asks for are ignored, null is missing
  kPerson,   // who may have mistyped: both are refused
};

}  // namespace orch::base
