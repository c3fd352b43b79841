#pragma once

#include <string>

#include "cli/manual_commands.h"

namespace orch::cli {

// docs/cli.md: all commands of `program` with their options, as one page of Markdown whose lines
// are not wrapped.
std::string manual_markdown(const ManualCommand& program);

}  // namespace orch::cli
