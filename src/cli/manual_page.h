#pragma once

#include <string>
#include <string_view>

#include "cli/manual_commands.h"

namespace orch::cli {

// The name of a command's manual page in section 1: "orch-crew-up".
std::string manual_page_name(const ManualCommand& command);

// The manual page of `command`, in the macros of man(7). `program` is the description of orch
// itself, and contains `command`; `version` stands in the page's footer. The page of `program`
// itself adds the parts about all commands: exit codes, variables, files.
std::string manual_page(const ManualCommand& command, const ManualCommand& program,
                        std::string_view version);

}  // namespace orch::cli
