#include "adapters/acp_spec.h"

#include "base/json_members.h"

namespace orch::adapters {

void read_acp(base::JsonMembers& parent, AcpSpec& spec) {
  const base::Json* json = parent.find("acp");
  if (json == nullptr) return;
  base::JsonMembers in(parent, *json, "acp");
  std::string about;
  in.optional("about", about);
  in.required("arguments", spec.arguments);
  if (in.ok() && spec.arguments.empty()) in.fail("arguments", "is empty");
  in.optional("asks", spec.asks);
  in.optional("checks_calls", spec.checks_calls);
  in.optional("title_is_command", spec.title_is_command);
}

}  // namespace orch::adapters
