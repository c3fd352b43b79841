#pragma once

#include <span>
#include <string>

namespace orch::duties {

// `orch internal check-call [--inside] [--wait MS] SOCKET`, the hook that agents run before they
// use a tool (the call check): gives the event on standard input to the session behind the socket,
// waits for the decision and prints it. Agents let a call run if its hook fails. So any failure
// here refuses the call: every agent understands exit code 2, with a text on standard error, as a
// refusal.
// --inside: in a container, with the socket that its session shows there. --wait: how long a
// decision may take, instead of 23 hours.
int run_check_call(std::span<const std::string> arguments);

}  // namespace orch::duties
