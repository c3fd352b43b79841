#include "adapters/pattern_member.h"

#include "base/json_members.h"
#include "base/pattern.h"

namespace orch::adapters {

void check_pattern(base::JsonMembers& in, const std::string& key, const std::string& expression) {
  if (!in.ok() || in.author() == base::JsonAuthor::kProgram) return;
  const base::Result<base::Pattern> pattern = base::Pattern::compile(expression);
  if (!pattern) in.fail(key, pattern.error().text);
}

void read_pattern(base::JsonMembers& in, const std::string& key, std::string& out) {
  in.optional(key, out);
  check_pattern(in, key, out);
}

}  // namespace orch::adapters
