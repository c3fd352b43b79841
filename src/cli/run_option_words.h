#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "options/run_option.h"
#include "ui/color.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}

namespace orch::cli {

// Adds options of `orch run` to a command: the ones that `which` commands have, or all for
// Also::kNone, except the names ("--detach") in `without`. Their values are stored in `request`,
// which must outlive the command line.
void add_run_options(CLI::App& command, options::Also which, options::RunRequest& request,
                     std::span<const std::string_view> without = {});

// Adds --json, which is --output json.
void add_json_flag(CLI::App& command, options::RunRequest& request);

// The long names of the options that were given: "--size".
std::set<std::string> given_options(const CLI::App& command);

// The value of --color.
ui::ColorChoice color_choice(std::string_view word);

}  // namespace orch::cli
