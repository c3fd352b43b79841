#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}

namespace orch::cli {

struct Candidate {
  std::string word, about;  // about: one line, "" where there is nothing to say
};

// What may stand where the cursor is.
struct Completion {
  std::vector<Candidate> candidates;
  bool files = false;  // the names of files, too, which a shell completes best
};

// What is not known before it is asked for; each is called at most once.
struct KnownNames {
  std::function<std::vector<std::string>()> sessions, runs, agents, crew;
};

// `words` are those behind the program's name up to the cursor, the last one being the word that
// was begun, "" for none. Only what begins with it is told, and only what no shell would read as
// anything but a plain word.
Completion complete(const CLI::App& app, const std::vector<std::string>& words,
                    const KnownNames& names);

// What the options of orch take, for a test: "run", "--output", "text". A command "" is any.
struct OptionValue {
  std::string command, option, value;
};
std::vector<OptionValue> option_values();

}  // namespace orch::cli
