#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "mcp/protocol.h"

// The tools: what they are called, what they take, and which command of orch each of them is. Pure.
namespace orch::mcp {

// Who may do more is decided by the hosts of the sessions, who look at the process that asks. Here
// it decides what is offered.
enum class Caller : uint8_t {
  kOutside,  // a person's client, or what a person trusts
  kInRun,    // what an agent of a run started
};

struct Invocation {
  std::vector<std::string> words;  // after orch's own path
  std::string input;               // its standard input
};

// As the protocol lists them.
base::Json tool_list(Caller caller);

bool is_tool(std::string_view name);

// Why `caller` does not get the tool; "" when it does.
std::string refusal(std::string_view name, Caller caller);

// The command that a call is. Nothing of `arguments` becomes an option, or a word that means
// something else: names are names, and texts go to the command's standard input. An error is one
// line that names the argument.
base::Result<Invocation> invocation_of(std::string_view name, const Members& arguments);

}  // namespace orch::mcp
