#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json_fwd.h"

// How manifests speak of the JSON lines that agents write: members are named by the way to them
// from the outermost object, "/message/content".
namespace orch::adapters {

// Members and the values that they must have, all of them.
using LineConditions = std::vector<std::pair<std::string, std::string>>;

// Where a line says what it took of the model: ways to members that are numbers. Each count is the
// sum of its members; a name "*" in a way stands for every member of an object.
struct UsageSpec {
  std::vector<std::string> in, out, cached;  // tokens; `in` holds what is `cached`, too
  std::string cost;                          // in USD; "" where it is not said
  // What is counted: what the line tells of alone, or from the beginning of the process, or of the
  // conversation, that tells it.
  enum class Since : uint8_t { kLine, kProcess, kConversation };
  Since since = Since::kLine;
  bool any() const { return !in.empty(); }
};

void check_way(base::JsonMembers& in, const std::string& key, const std::string& way);
void read_way(base::JsonMembers& in, const std::string& key, std::string& way);
void read_ways(base::JsonMembers& in, const std::string& key, std::vector<std::string>& ways);
void read_line_conditions(base::JsonMembers& parent, const std::string& key,
                          LineConditions& conditions);
// The counts are members of the object itself.
void read_counts(base::JsonMembers& in, UsageSpec& usage);

}  // namespace orch::adapters
