#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/new_command.h"
#include "options/run_option.h"

namespace orch::cli {

// Adds options of `orch run` to a command: the ones that `which` commands have, or all for
// Also::kNone, except the names ("--detach") in `without`. Their values are stored in `request`,
// which must outlive the command line.
void add_run_options(NewCommand& command, options::Also which, options::RunRequest& request,
                     std::span<const std::string_view> without = {});

// Adds --json, which is --output json.
void add_json_flag(NewCommand& command, options::RunRequest& request);

// Leaves out of the help all of these options but those that are usual.
void hide_unusual_options(NewCommand& command);

// The options of `orch run` that were given, as words for `orch run`.
std::vector<std::string> given_words(const CLI::App& command,
                                     std::span<const std::string_view> without);

// The long names of the options that were given: "--size".
std::set<std::string> given_options(const CLI::App& command);

// The issues on the command line that stand directly behind the value of -p.
std::vector<std::string> words_after_prompt(const CLI::App& command,
                                            const std::vector<std::string>& issues);

// The value of --color.
ui::ColorChoice color_choice(std::string_view word);

}  // namespace orch::cli
