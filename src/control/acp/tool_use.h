#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"

// A use of a tool as a client sees it. Pure.
namespace orch::acp {

// The protocol's word for what a tool with this name does: "execute", "edit", "read", ...
std::string_view kind_of_tool(std::string_view name);

// What the input of a tool, a JSON text, says. An input that was cut, or is none, says nothing.
struct ToolInput {
  std::string command;             // of a shell; ""
  std::vector<std::string> paths;  // files that it names
  base::Json diff;                 // the protocol's content of type diff; null without one
  base::Json raw;                  // the input itself; null if it is not an object
};
ToolInput read_tool_input(std::string_view json);

// The entries of the protocol's plan, if the input is a list of things to do, as TodoWrite,
// update_plan and the like get it: {"todos": [{"content": ..., "status": "in_progress"}]}; null
// otherwise.
base::Json plan_entries(const base::Json& input);

// "touch out.txt", "Edit src/main.cc", "WebFetch": one line without control characters.
std::string tool_title(std::string_view name, const ToolInput& input);

base::Json text_content(std::string_view text);  // {"type":"text","text":...}
base::Json tool_content(std::string_view text);  // a tool call's content of that text
base::Json locations_of(const std::vector<std::string>& paths);

}  // namespace orch::acp
