#include "adapters/cause_member.h"

#include "adapters/members.h"

namespace orch::adapters {

void read_cause(Members& in, const std::string& key, std::optional<event::AgentStatus> status,
                event::Cause& out, const char* about) {
  const auto word = in.word_of(key, event::causes_of(status), about);
  if (word) out = event::cause_named(*word).value_or(out);
}

}  // namespace orch::adapters
