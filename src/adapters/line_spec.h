#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// How manifests describe the JSON lines that agents write. A member is named by the way to it, the
// names from the outermost object on: "/message/content".
namespace orch::adapters {

// Ways to members and the values that these must have. All conditions must hold.
using LineConditions = std::vector<std::pair<std::string, std::string>>;

// The usage in a line: ways to members that are numbers. Each count is the sum of its members. The
// name "*" in a way stands for every member of an object.
struct UsageSpec {
  std::vector<std::string> in, out, cached;  // tokens; `in` includes `cached`
  std::string cost;                          // in USD; "" if the line does not have it
  // The start of the counts: this line alone, or the beginning of the process or of the
  // conversation.
  enum class Since : uint8_t { kLine, kProcess, kConversation };
  Since since = Since::kLine;
  bool any() const { return !in.empty(); }
};

class Members;
// The counts, which are members of the object `in`.
void usage_members(Members& in, UsageSpec& usage);

}  // namespace orch::adapters
