#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}

namespace orch::cli {

struct Candidate {
  std::string word, about;  // about: one line of description, or ""
};

// The candidates at the cursor.
struct Completion {
  std::vector<Candidate> candidates;
  bool files = false;  // also names of files, which the shell itself completes best
};

// Names that have to be looked up. A function is called only when its names are needed, at most
// once.
struct KnownNames {
  std::function<std::vector<std::string>()> sessions, runs, agents, crew, keys, tasks, submissions;
};

// Completes a command line. `words` are the words after the program's name up to the cursor; the
// last one is the word under the cursor, "" if none was begun. Returns the candidates that begin
// with that word, and only those without characters that are special to a shell.
Completion complete(const CLI::App& app, const std::vector<std::string>& words,
                    const KnownNames& names);

// The values that an option or an argument of a command ("crew up") takes, separated by blanks;
// {files}, {sessions} and the like stand for names of each kind. "" if it takes any text.
std::string_view value_words(std::string_view command, std::string_view name);

// For a test: the fixed values of orch's options, as {"run", "--output", "text"}. The command ""
// means any command.
struct OptionValue {
  std::string command, option, value;
};
std::vector<OptionValue> option_values();

}  // namespace orch::cli
