#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}

namespace orch::cli {

// For the scripts that orch completion prints: each candidate a line, "WORD" or "WORD<tab>what it
// is"; the line ":files" where the shell is to add the names of files. `words`: as complete() has
// them.
void print_completion(const CLI::App& app, std::vector<std::string> words);

}  // namespace orch::cli
