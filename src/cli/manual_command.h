#pragma once

#include <span>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}

namespace orch::cli {

// `orch internal manual`, which the build runs: with the word --markdown it prints docs/cli.md.
// Otherwise the one word is a folder, made if necessary, for a manual page of each command of
// `app`. Returns the exit code.
int write_manual(const CLI::App& app, std::span<const std::string> words);

}  // namespace orch::cli
