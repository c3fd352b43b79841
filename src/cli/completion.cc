#include "cli/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "options/run_option.h"

namespace orch::cli {
namespace {

constexpr std::string_view kFiles = "{files}", kSessions = "{sessions}", kRuns = "{runs}",
                           kAgents = "{agents}", kCrew = "{crew}", kKeys = "{keys}",
                           kTasks = "{tasks}", kSubmissions = "{submissions}",
                           kNamesOfCommands = "{commands}";
constexpr std::string_view kCrewUp = "crew up";

// The values that an option or an argument takes, separated by blanks; {files} and the like stand
// for names. An option that is not listed here takes those of the option of `orch run` with the
// same name; if there is none, its value is free text, which is not completed.
struct Values {
  std::string_view command;  // "crew up"; "": any command without an entry of its own
  std::string_view name;     // "--output", or the argument's name
  std::string_view words;
};
constexpr std::array kValues{
    Values{"task", "--approve", "none all"},
    Values{"task", "--status", kTasks},
    Values{"task", "--resume", kTasks},
    Values{"race", "--agents", kAgents},
    Values{"config set", "key", kKeys},
    Values{"config unset", "key", kKeys},
    Values{"help", "command", kNamesOfCommands},
    Values{"jobs", "submission", kSubmissions},
    Values{"collect", "submission", kSubmissions},
    Values{"plan", "--role", "worker fast meta"},
    Values{"plan", "--sandbox", "docker podman landlock none"},
    Values{"runs", "--state", "starting running completed failed cancelled"},
    Values{"send", "--wait", "accepted idle"},
    Values{"shot", "--format", "text svg ansi"},
    Values{"wait", "--until", "idle working waiting error exited complete"},
    Values{"run", "--request", kFiles},
    Values{"submit", "--engine", "slurm kubernetes github-matrix"},
    Values{"submit", "--folder", kFiles},
    Values{"", "--workdir", kFiles},
    Values{"", "--cli-path", kFiles},
    Values{"", "--check", kFiles},
    Values{"", "--on", kFiles},
    Values{"", "--revoke", kFiles},
    Values{"crew send", "--from", kCrew},
    Values{"crew send", "--to", kCrew},
    Values{"capabilities", "agent", kAgents},
    Values{"agents show", "agent", kAgents},
    Values{"", "agent", kCrew},
    Values{"", "issue", kSessions},
    Values{"", "run", kRuns},
    Values{"diff", "--output", kFiles},
    Values{"report", "--output", kFiles},
    Values{"report", "run", "{runs} {files}"},
    Values{"shot", "recording", "{sessions} {files}"},
    Values{"", "recording", kFiles},
    Values{"tape diff", "first", kFiles},
    Values{"tape diff", "second", kFiles},
    Values{"", "file", kFiles},
    Values{"", "path", kFiles},
    Values{"policy try", "file", "none all {files}"},
    Values{"completion", "shell", "bash zsh fish"},
};

// Whether a word has no character that is special to a shell. Names may come from files that others
// wrote.
bool is_plain(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return base::is_letter_or_digit(c) ||
           std::string_view("-_./@:+,").find(c) != std::string_view::npos;
  });
}

std::string first_line(std::string_view text) {
  return base::printable(text.substr(0, text.find('\n')));
}

const CLI::App* subcommand_called(const CLI::App& command, const std::string& word) {
  for (const CLI::App* one : command.get_subcommands(nullptr)) {
    if (one->check_name(word)) return one;
  }
  return nullptr;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// Reads the words before the cursor to find its place: the command, an option that still needs its
// value, and the number of arguments so far.
class Cursor {
 public:
  Cursor(const CLI::App& app, const std::vector<std::string>& words) : app_(app), command_(&app) {
    for (auto word = words.begin(); word + 1 < words.end(); ++word) read(*word);
  }

  bool is_foreign() const { return foreign_; }  // after --, in another program's command line
  const CLI::App& command() const { return *command_; }
  // The option whose value comes next; nullptr: none.
  const CLI::Option* open() const { return open_; }
  const std::string& path() const { return path_; }  // "crew up"

  // The argument that comes next; nullptr if there is none.
  const CLI::Option* argument() const {
    size_t before = 0;
    for (const CLI::Option* option : command_->get_options()) {
      if (!option->get_positional()) continue;
      const auto most = static_cast<size_t>(std::max(option->get_items_expected_max(), 1));
      if (arguments_ < before + most) return option;
      before += most;
    }
    return nullptr;
  }
  bool has_arguments() const { return arguments_ > 0; }

 private:
  void read(const std::string& word) {
    if (foreign_) return;
    if (open_ != nullptr) {
      open_ = nullptr;
    } else if (word == "--") {
      foreign_ = true;
    } else if (word.size() > 1 && word.front() == '-') {
      open_option(word);
    } else if (const CLI::App* next = subcommand_called(*command_, word);
               next != nullptr && arguments_ == 0) {
      command_ = next;
      path_ += (path_.empty() ? "" : " ") + next->get_name();
    } else {
      ++arguments_;
    }
  }

  void open_option(const std::string& word) {
    const CLI::Option* option = command_->get_option_no_throw(word);
    if (option == nullptr) option = app_.get_option_no_throw(word);
    if (option != nullptr && takes_value(*option)) open_ = option;
  }

  const CLI::App& app_;
  const CLI::App* command_;
  const CLI::Option* open_ = nullptr;
  std::string path_;
  size_t arguments_ = 0;
  bool foreign_ = false;
};

// Collects the candidates that begin with the word under the cursor.
class Gatherer {
 public:
  Gatherer(const CLI::App& app, std::string begun, const KnownNames& names)
      : app_(app), begun_(std::move(begun)), names_(names) {}

  void add(const std::string& word, const std::string& about) {
    if (word.starts_with(begun_) && is_plain(word)) {
      completion_.candidates.push_back({word, first_line(about)});
    }
  }

  void add_commands(const CLI::App& of) {
    for (const CLI::App* one : of.get_subcommands(nullptr)) {
      add(one->get_name(), one->get_description());
    }
  }

  void add_values(std::string_view values) {
    for (const std::string_view value : base::split_at_blanks(values)) {
      if (value == kFiles) {
        completion_.files = true;
      } else if (value == kNamesOfCommands) {
        add_commands(app_);
      } else if (const auto* known = known_names(value); known != nullptr) {
        for (const std::string& name : *known ? (*known)() : std::vector<std::string>()) {
          add(name, "");
        }
      } else {
        add(std::string(value), "");
      }
    }
  }

  Completion take() {
    std::vector<Candidate>& all = completion_.candidates;
    std::sort(all.begin(), all.end(),
              [](const Candidate& a, const Candidate& b) { return a.word < b.word; });
    all.erase(std::unique(all.begin(), all.end(),
                          [](const Candidate& a, const Candidate& b) { return a.word == b.word; }),
              all.end());
    return std::move(completion_);
  }

 private:
  const std::function<std::vector<std::string>()>* known_names(std::string_view value) const {
    if (value == kSessions) return &names_.sessions;
    if (value == kRuns) return &names_.runs;
    if (value == kAgents) return &names_.agents;
    if (value == kCrew) return &names_.crew;
    if (value == kKeys) return &names_.keys;
    if (value == kTasks) return &names_.tasks;
    if (value == kSubmissions) return &names_.submissions;
    return nullptr;
  }

  const CLI::App& app_;
  const std::string begun_;
  const KnownNames& names_;
  Completion completion_;
};

void add_options(const CLI::App& command, Gatherer& gathered) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      gathered.add("--" + name, option->get_description());
    }
    if (!option->get_lnames().empty()) continue;
    for (const std::string& name : option->get_snames()) {
      gathered.add("-" + name, option->get_description());
    }
  }
}

std::string name_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  return option.get_lnames().empty() ? "-" + option.get_snames().front()
                                     : "--" + option.get_lnames().front();
}

}  // namespace

Completion complete(const CLI::App& app, const std::vector<std::string>& words,
                    const KnownNames& names) {
  const Cursor cursor(app, words);
  const std::string begun = words.empty() ? "" : words.back();
  Gatherer gathered(app, begun, names);
  if (cursor.is_foreign()) {
    gathered.add_values(kFiles);
  } else if (cursor.open() != nullptr) {
    gathered.add_values(value_words(cursor.path(), name_of(*cursor.open())));
  } else if (begun.starts_with('-')) {
    add_options(cursor.command(), gathered);
    if (&cursor.command() != &app) add_options(app, gathered);
  } else {
    if (!cursor.has_arguments()) gathered.add_commands(cursor.command());
    if (const CLI::Option* argument = cursor.argument(); argument != nullptr) {
      gathered.add_values(value_words(cursor.path(), name_of(*argument)));
    }
  }
  return gathered.take();
}

std::string_view value_words(std::string_view command, std::string_view name) {
  const auto takes = [&](std::string_view wanted) {
    return std::find_if(kValues.begin(), kValues.end(), [&](const Values& values) {
      return values.command == wanted && values.name == name;
    });
  };
  const auto own = takes(command);
  if (own != kValues.end()) return own->words;
  const auto any = takes("");
  if (any != kValues.end()) return any->words;
  const options::RunOption* option = options::find_run_option(name);
  if (option == nullptr) return "";
  return words_in(*option, command == kCrewUp ? options::Also::kCrew : options::Also::kNone);
}

std::vector<OptionValue> option_values() {
  std::vector<OptionValue> all;
  const auto add = [&all](std::string_view command, std::string_view name, std::string_view words) {
    for (const std::string_view value : base::split_at_blanks(words)) {
      if (value.starts_with('{')) continue;
      all.push_back({std::string(command), std::string(name), std::string(value)});
    }
  };
  for (const Values& values : kValues) add(values.command, values.name, values.words);
  for (const options::RunOption& option : options::run_options()) {
    add("run", long_name(option), option.words);
    if (!option.crew_words.empty()) add(kCrewUp, long_name(option), option.crew_words);
  }
  return all;
}

}  // namespace orch::cli
