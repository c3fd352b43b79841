#pragma once

#include <string>
#include <string_view>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
class ParseError;
}  // namespace CLI

namespace orch::cli {

// The mistake in a command line, in one line: the word, the expectation, and the remedy. `app` is
// the command line that refused it, and `first_word` its first word.
std::string usage_error_text(const CLI::App& app, std::string_view first_word,
                             const CLI::ParseError& error);

// The command that the words of the command line reached: of "crew up --xyz" crew's up.
const CLI::App& reached_command(const CLI::App& app);

}  // namespace orch::cli
