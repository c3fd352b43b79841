#include "adapters/acp_spec.h"

#include "adapters/members.h"

namespace orch::adapters {

void acp_members(Members& in, AcpSpec& spec) {
  in.required("arguments", spec.arguments, "start it; `{options}`: the run's");
  in.optional("asks", spec.asks, "mode that asks first");
  in.optional("checks_calls", spec.checks_calls, "call hooks run, too");
  in.optional("title_is_command", spec.title_is_command, "a call's title is its command");
}

}  // namespace orch::adapters
