#include "cli/usage_error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/name.h"
#include "base/replace.h"
#include "base/text.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/meant_words.h"
#include "forge/repository_name.h"

namespace orch::cli {
namespace {

using Words = std::vector<std::string>;

std::string orch_and(const CLI::App& command) {
  const std::string path = command_path(command);
  return path.empty() ? "orch" : "orch " + path;
}

Words names_of_commands(const CLI::App& command) {
  Words names;
  for (const CLI::App* one : command.get_subcommands(nullptr)) {
    if (!one->get_group().empty()) names.push_back(one->get_name());
  }
  return names;
}

Words names_of_options(const CLI::App& app, const CLI::App& command) {
  Words names;
  for (const CLI::App* one : {&command, &app}) {
    for (const CLI::Option* option : one->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

std::string similar(const std::string& word, const Words& known) {
  return base::did_you_mean(word, {known.begin(), known.end()});
}

// The intended word, or where to look.
std::string remedy(std::string_view meant, const CLI::App& command, const std::string& similar) {
  if (!meant.empty()) return "; write " + std::string(meant);
  return "; see " + orch_and(command) + " --help" + similar;
}

// The `orch run` of a user who has left out "run": a task in quotes, an issue, a file.
std::string task_meant_by(const Words& words, bool is_similar) {
  const std::string& first = words.front();
  const bool is_sentence = first.find(' ') != std::string::npos;
  const bool is_file = first.ends_with(".md") || first.ends_with(".txt");
  if (is_sentence) return "orch run \"" + base::printable(first) + "\"";
  if (is_file || forge::issue_of_word(first)) {
    const bool has_sign = first.find('#') != std::string::npos;  // a comment of the shell's
    return "orch run " +
           (has_sign ? base::shell_word(base::printable(first)) : base::printable(first));
  }
  const bool are_plain = std::none_of(words.begin(), words.end(), [](const std::string& word) {
    return word.empty() || word.front() == '-';
  });
  if (is_similar || !are_plain || words.size() < 3) return "";
  std::string task;
  for (const std::string& word : words) task += (task.empty() ? "" : " ") + base::printable(word);
  return "orch run \"" + task + "\"";
}

std::string unexpected(const CLI::App& app, const CLI::App& command, const Words& extra) {
  const std::string& word = extra.front();
  const std::string shown = base::printable(word);
  if (word.starts_with('-')) {
    const std::string name = word.substr(0, word.find('='));
    return orch_and(command) + " has no option " + base::printable(name) +
           remedy(option_meant_by(command_path(command), name), command,
                  similar(name, names_of_options(app, command)));
  }
  const Words commands = names_of_commands(command);
  if (!commands.empty()) {
    const bool is_first = command.get_parent() == nullptr;
    const std::string like = similar(word, commands);
    std::string meant(is_first ? command_meant_by(word) : "");
    if (is_first && meant.empty()) meant = task_meant_by(extra, !like.empty());
    return orch_and(command) + " has no command \"" + shown + "\"" + remedy(meant, command, like);
  }
  return "\"" + shown + "\" is one word too many for " + orch_and(command) + "; write " +
         synopsis(command);
}

std::string missing(const CLI::App& command, const std::string& name) {
  const Words commands = names_of_commands(command);
  if (!commands.empty()) {
    std::string text = orch_and(command) + " needs a command";
    if (command.get_parent() == nullptr) return text + "; orch -h names them";
    text += ": ";
    for (const std::string& one : commands) text += (&one == &commands.front() ? "" : ", ") + one;
    return text;
  }
  return orch_and(command) + " needs " + name + "; write " + synopsis(command);
}

std::string before(const std::string& text, std::string_view end) {
  return text.substr(0, text.find(end));
}

// For an option whose value is refused: the values that it takes. `why` is the validator's text.
std::string not_allowed(const CLI::App& command, const std::string& name, std::string_view why) {
  const CLI::Option* option = command.get_option_no_throw(name);
  const bool has_value = option != nullptr && !option->results().empty();
  const std::string given = has_value ? " " + base::printable(option->results().back()) : "";
  const std::vector<std::string_view> words =
      base::split_at_blanks(value_words(command_path(command), name));
  std::string text = name + given + ": write ";
  if (words.empty()) return text + std::string(why);
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text += words[i];
  }
  return text;
}

}  // namespace

const CLI::App& reached_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  return *command;
}

std::string usage_error_text(const CLI::App& app, std::string_view first_word,
                             const CLI::ParseError& error) {
  const CLI::App& command = reached_command(app);
  const std::string what = error.what();
  const Words extra = app.remaining(true);
  if (!extra.empty()) {
    // An option in front is orch's own: the text of `orch -p "explain"` is not a command.
    const bool in_front = extra.front() == first_word && first_word.starts_with('-');
    return unexpected(app, in_front ? app : command, extra);
  }
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::RequiredError:
      return missing(command, before(what, " is required"));
    case CLI::ExitCodes::ArgumentMismatch:
      return before(what, ":") + " needs a value; see " + orch_and(command) + " --help";
    case CLI::ExitCodes::ConversionError: {
      constexpr std::string_view kStart = "Could not convert: ";
      if (!what.starts_with(kStart)) break;
      const std::string rest = what.substr(kStart.size());  // --max-turns = x
      const std::string name = before(rest, " = ");
      const std::string value = rest.substr(std::min(rest.size(), name.size() + 3));
      return name + " " + base::printable(value) + ": write a whole number" +
             (base::is_number(value)
                  ? ", at most " + std::to_string(std::numeric_limits<int>::max())
                  : "");
    }
    case CLI::ExitCodes::ValidationError:
      return not_allowed(command, before(what, ":"),
                         std::string_view(what).substr(std::min(what.size(), what.find(": ") + 2)));
    default:
      break;
  }
  return base::printable(what) + "; see " + orch_and(command) + " --help";
}

}  // namespace orch::cli
