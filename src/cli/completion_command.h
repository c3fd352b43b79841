#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}

namespace orch::cli {

// Prints the input for the scripts of `orch completion`: one candidate a line, as "WORD" or
// "WORD<tab>DESCRIPTION", and a line ":files" if the shell is to add names of files. `words` are
// those of complete().
void print_completion(const CLI::App& app, std::vector<std::string> words);

}  // namespace orch::cli
