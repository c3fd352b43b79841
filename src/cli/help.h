#pragma once

#include <cstddef>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
class Option;
}  // namespace CLI

// Help texts, made from the command line's own table of commands and options. Pure; `columns` is
// the width of the window that they are shown in.
namespace orch::cli {

// The most lines of overview() and help_page() in a window of 80 columns.
inline constexpr size_t kPageLines = 60;

// The text of `orch --help`: the names of the commands by task, and how to begin.
std::string overview(const CLI::App& app, size_t columns);

// The text of `orch COMMAND --help`: full_help() if that is a page, otherwise the usual options,
// and examples.
std::string help_page(const CLI::App& command, size_t columns);

// The text of `orch COMMAND --help-all`: all options by group, examples, exit codes. For `orch`
// itself: all commands by task.
std::string full_help(const CLI::App& command, size_t columns);

// "orch run [OPTIONS] [ISSUE]..."
std::string synopsis(const CLI::App& command);

// The name of an option's value in pages and help texts, "FILE", "N"; "" if it takes none.
// `command` are the command's words.
std::string value_name(const CLI::Option& option, const std::string& command);

// The command's words: "crew up"; "" for orch itself.
std::string command_path(const CLI::App& command);

}  // namespace orch::cli
