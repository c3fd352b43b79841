#include "adapters/line_spec.h"

#include "adapters/members.h"

namespace orch::adapters {

void usage_members(Members& in, UsageSpec& usage) {
  in.ways("in", usage.in, "tokens read, cached ones included; a sum");
  in.ways("out", usage.out, "tokens written");
  in.ways("cached", usage.cached, "tokens read from a cache");
  in.way("cost", usage.cost, "US dollars");
  bool conversation = false, process = false;
  in.optional("accumulates", conversation, "counts since the conversation began");
  in.optional("accumulates_in_process", process, "counts since the process began");
  if (process) usage.since = UsageSpec::Since::kProcess;
  if (conversation) usage.since = UsageSpec::Since::kConversation;
}

}  // namespace orch::adapters
