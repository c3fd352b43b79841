#pragma once

#include <set>
#include <string>

#include "options/run_option.h"
#include "ui/color.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}

namespace orch::cli {

// Gives a command those options of `orch run` that stand in it: all of them for Also::kNone. They
// are read into `request`, which must outlive the command line.
void add_run_options(CLI::App& command, options::Also which, options::RunRequest& request);

// The names of those that were given: "--size".
std::set<std::string> given_options(const CLI::App& command);

// The word of --color.
ui::ColorChoice color_choice(std::string_view word);

}  // namespace orch::cli
