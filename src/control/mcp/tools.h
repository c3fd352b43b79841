#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "jsonrpc/message.h"

// The tools: their names, their arguments, and the command of orch that each of them runs. Pure.
namespace orch::mcp {

// The origin of a call. It decides here which tools are offered. The sessions' hosts decide about
// the caller's rights; they look at the process that asks.
enum class Caller : uint8_t {
  kOutside,  // from the user's client, or from a program that the user trusts
  kInRun,    // from a process that an agent of a run has started
};

struct Invocation {
  std::vector<std::string> words;  // after orch's own path
  std::string input;               // its standard input
};

// The tools that `caller` gets, in the form of the protocol.
base::Json tool_list(Caller caller);

bool is_tool(std::string_view name);

// Why `caller` does not get the tool; "" if it does.
std::string refusal(std::string_view name, Caller caller);

// The command that a call runs. Nothing in `arguments` can become an option or a word with another
// meaning: names are checked, and texts go to the command's standard input. An error is one line
// that names the argument.
base::Result<Invocation> invocation_of(std::string_view name, const jsonrpc::Members& arguments);

}  // namespace orch::mcp
