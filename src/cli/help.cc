#include "cli/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/completion.h"
#include "options/run_option.h"

namespace orch::cli {
namespace {

constexpr size_t kIndent = 2;
constexpr size_t kAboutColumn = 26;   // where the descriptions of options begin
constexpr size_t kNarrowest = 40;     // a narrower window breaks the lines itself
constexpr size_t kWidest = 100;       // longer lines are hard to read
constexpr size_t kFewOptions = 12;    // a command with no more of them shows all
constexpr size_t kShortExamples = 5;  // how many examples a page without all options shows
constexpr size_t kFirstExamples = 4;  // ... and the overview

// Appends words, which begin in column `at`, and continues lines that would be too long in column
// `indent`.
void append_wrapped(std::string& text, std::string_view words, size_t at, size_t indent,
                    size_t columns) {
  bool first = true;
  for (const std::string_view word : base::split_at_blanks(words)) {
    if (!first && at + 1 + word.size() > columns) {
      text.append("\n").append(indent, ' ');
      at = indent;
    } else if (!first) {
      text += ' ';
      ++at;
    }
    text += word;
    at += word.size();
    first = false;
  }
  text += '\n';
}

// Appends a row of a list: a name and its description.
void append_row(std::string& text, const std::string& name, std::string_view about,
                size_t about_column, size_t columns) {
  text.append(kIndent, ' ').append(name);
  size_t at = kIndent + name.size();
  if (at + 2 > about_column) {
    text += '\n';
    at = 0;
  }
  text.append(about_column - at, ' ');
  append_wrapped(text, about, about_column, about_column, columns);
}

// Lines that begin with a blank stay as they are; the others are paragraphs.
std::string reflow(std::string_view text, size_t columns) {
  std::string out, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) append_wrapped(out, paragraph, 0, 0, columns);
    paragraph.clear();
  };
  for (const std::string_view line : base::split_lines(text)) {
    const bool is_verbatim = line.empty() || line.front() == ' ';
    if (!is_verbatim) {
      paragraph.append(paragraph.empty() ? "" : " ").append(line);
      continue;
    }
    end_paragraph();
    out.append(line).append("\n");
  }
  end_paragraph();
  return out;
}

// The first examples of a footer: the indented lines below "Examples:".
std::string first_examples(std::string_view footer, size_t most) {
  std::string text;
  size_t left = 0;
  for (const std::string_view line : base::split_lines(footer)) {
    if (line.starts_with("Example")) left = most;
    if (left == 0 || !line.starts_with(' ')) continue;
    text.append(line).append("\n");
    --left;
  }
  return text;
}

std::string upper(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c == '_' ? '-' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  });
  return text;
}

bool is_option(const CLI::Option& option) { return option.nonpositional(); }

// "--detach", or "-h" without a long name; for an argument, its name.
std::string lookup_name(const CLI::Option& option) {
  if (!is_option(option)) return option.get_name(true);
  return option.get_lnames().empty() ? "-" + option.get_snames().front()
                                     : "--" + option.get_lnames().front();
}

const options::RunOption* run_option(const CLI::Option& option) {
  return options::find_run_option(lookup_name(option));
}

// Whether this is the option of `orch run`, here or in another command. Another command may have an
// option of the same name, but not of the same meaning.
bool is_same(const CLI::Option& option, const options::RunOption* known) {
  if (known == nullptr) return false;
  const std::string& about = option.get_description();
  return about == known->help || about == help_in(*known, options::Also::kCrew);
}

// "-p, --prompt PROMPT"
std::string option_name(const CLI::Option& option, const std::string& command) {
  std::string name;
  for (const std::string& letter : option.get_snames()) name += "-" + letter + ", ";
  for (const std::string& word : option.get_lnames()) name += "--" + word + ", ";
  name.resize(name.size() - 2);
  const std::string value = value_name(option, command);
  return value.empty() ? name : name + " " + value;
}

// "[ISSUE]..."
std::string argument_name(const CLI::Option& option) {
  std::string name = upper(option.get_name(true));
  if (!option.get_required()) name = "[" + name + "]";
  return option.get_items_expected_max() > 1 ? name + "..." : name;
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return !is_option(*option); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> options = command.get_options(
      [](const CLI::Option* option) { return is_option(*option) && !option->get_group().empty(); });
  // Every command has -h and --help, which its last line names.
  std::erase_if(options, [&](const CLI::Option* option) {
    return option == command.get_help_ptr() || option == command.get_help_all_ptr();
  });
  return options;
}

// The options of a page that has not room for all.
std::vector<const CLI::Option*> common_options(const CLI::App& command) {
  std::vector<const CLI::Option*> options = options_of(command);
  if (options.size() <= kFewOptions) return options;
  std::erase_if(options, [](const CLI::Option* option) {
    const options::RunOption* known = run_option(*option);
    // No user writes these.
    const bool is_for_jobs =
        option->check_lname("request") || option->check_lname("request-sha256");
    return is_for_jobs || (known != nullptr && !known->common);
  });
  return options;
}

// The description, with the default if the description does not mention it.
std::string with_default(const CLI::Option& option) {
  const std::string& about = option.get_description();
  const std::string by_default = option.get_default_str();
  const bool is_told = by_default.empty() || about.find("(default") != std::string::npos;
  return is_told ? about : about + " (default: " + by_default + ")";
}

void append_arguments(std::string& text, const CLI::App& command, size_t columns) {
  for (const CLI::Option* argument : arguments_of(command)) {
    append_row(text, argument_name(*argument), argument->get_description(), kAboutColumn, columns);
  }
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

// The groups of things, in the order of their first appearance.
template <typename Things>
std::vector<std::string> groups_of(const Things& things) {
  std::vector<std::string> groups;
  for (const auto* thing : things) {
    if (std::find(groups.begin(), groups.end(), thing->get_group()) == groups.end()) {
      groups.push_back(thing->get_group());
    }
  }
  return groups;
}

constexpr size_t kCommandColumn = 16;  // where the descriptions of commands begin

void append_commands(std::string& text, const CLI::App& command, size_t columns) {
  const std::vector<const CLI::App*> commands = subcommands_of(command);
  for (const std::string& group : groups_of(commands)) {
    text += "\n" + group + ":\n";
    for (const CLI::App* one : commands) {
      if (one->get_group() != group) continue;
      append_row(text, one->get_name(), one->get_description(), kCommandColumn, columns);
    }
  }
}

void append_options(std::string& text, const CLI::App& command, size_t columns) {
  const std::vector<const CLI::Option*> options = options_of(command);
  const std::string path = command_path(command);
  for (const std::string& group : groups_of(options)) {
    text += "\n" + group + ":\n";
    for (const CLI::Option* option : options) {
      if (option->get_group() != group) continue;
      append_row(text, option_name(*option, path), with_default(*option), kAboutColumn, columns);
    }
  }
}

struct ValueName {
  std::string_view option, value;
};

// The value names of the options that `orch run` lacks and that take a text of a certain form.
constexpr auto kValueNames = std::to_array<ValueName>({
    {"--agents", "AGENT,..."},  {"--at", "SECONDS"},        {"--cli-path", "FILE"},
    {"--crew-max-cost", "USD"}, {"--crew-max-tokens", "N"}, {"--detach-key", "KEY"},
    {"--dialog", "ID"},         {"--flag", "WORD"},         {"--forget", "RUN"},
    {"--git", "FOLDER"},        {"--issue", "ISSUE"},       {"--meta-url", "URL"},
    {"--older-than", "TIME"},   {"--on", "RECORDING"},      {"--only", "PATH"},
    {"--resume", "ID"},         {"--since", "TIME"},        {"--status", "ID"},
    {"--tool", "NAME=BOOL"},    {"--trust-file", "HASH"},   {"--workdir", "FOLDER"},
});

size_t usable(size_t columns) { return std::clamp(columns, kNarrowest, kWidest); }

}  // namespace

std::string value_name(const CLI::Option& option, const std::string& command) {
  if (option.get_items_expected_max() == 0) return "";
  const options::RunOption* known = run_option(option);
  const std::vector<std::string_view> words =
      base::split_at_blanks(value_words(command, lookup_name(option)));
  // An option of the same name has the same value name, unless it takes other words.
  const bool has_words = !words.empty() && !words.front().starts_with('{');
  if (known != nullptr && !known->value.empty() && (is_same(option, known) || !has_words)) {
    return std::string(known->value);
  }
  const std::string name = lookup_name(option);
  const auto named = std::find_if(kValueNames.begin(), kValueNames.end(),
                                  [&name](const ValueName& each) { return each.option == name; });
  if (named != kValueNames.end()) return std::string(named->value);
  std::string text;
  for (std::string_view word : words) {
    if (!text.empty()) text += '|';
    const bool is_placeholder = word.starts_with('{');
    if (is_placeholder) word = word.substr(1, word.size() - 3);  // {files}: FILE
    text += is_placeholder ? upper(word) : std::string(word);
  }
  if (!text.empty()) return text;
  const std::string type = option.get_type_name();
  if (type.starts_with("INT") || type.starts_with("UINT")) return "N";
  return type.substr(0, type.find(':'));
}

std::string command_path(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "";
  const std::string before = command_path(*command.get_parent());
  return before.empty() ? command.get_name() : before + " " + command.get_name();
}

std::string synopsis(const CLI::App& command) {
  std::string line = "orch";
  const std::string path = command_path(command);
  if (!path.empty()) line += " " + path;
  if (!subcommands_of(command).empty()) {
    return line + (command.get_require_subcommand_min() > 0 ? " COMMAND" : " [COMMAND] [OPTIONS]");
  }
  if (!options_of(command).empty()) line += " [OPTIONS]";
  for (const CLI::Option* argument : arguments_of(command)) line += " " + argument_name(*argument);
  return line;
}

std::string overview(const CLI::App& app, size_t columns) {
  columns = usable(columns);
  std::string text =
      app.get_description() + "\n\n" + first_examples(app.get_footer(), kFirstExamples) + "\n";
  const std::vector<const CLI::App*> commands = subcommands_of(app);
  for (const std::string& group : groups_of(commands)) {
    std::string names;
    for (const CLI::App* one : commands) {
      if (one->get_group() == group) names += (names.empty() ? "" : ", ") + one->get_name();
    }
    append_row(text, group, names, kCommandColumn + kIndent, columns);
  }
  return text + "\n" +
         reflow("What each command does: orch help. Its options: orch COMMAND --help.", columns);
}

std::string help_page(const CLI::App& command, size_t columns) {
  constexpr size_t kPageColumns = 80;
  const auto lines_of = [](const std::string& text) {
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  };
  if (lines_of(full_help(command, kPageColumns)) <= kPageLines) return full_help(command, columns);
  columns = usable(columns);
  std::string text = "Usage: " + synopsis(command) + "\n";
  append_wrapped(text, command.get_description(), 0, 0, columns);
  const std::string path = command_path(command);
  text += "\n";
  append_arguments(text, command, columns);
  append_commands(text, command, columns);
  for (const CLI::Option* option : common_options(command)) {
    append_row(text, option_name(*option, path), with_default(*option), kAboutColumn, columns);
  }
  const std::string examples = first_examples(command.get_footer(), kShortExamples);
  if (!examples.empty()) text += "\nExamples:\n" + examples;
  return text + "\nAll options and exit codes: orch " + path + " --help-all\n";
}

std::string full_help(const CLI::App& command, size_t columns) {
  columns = usable(columns);
  std::string text = "Usage: " + synopsis(command) + "\n";
  append_wrapped(text, command.get_description(), 0, 0, columns);
  if (!arguments_of(command).empty()) text += "\n";
  append_arguments(text, command, columns);
  append_commands(text, command, columns);
  append_options(text, command, columns);
  if (command.get_footer().empty()) return text;
  return text + "\n" + reflow(command.get_footer(), columns);
}

}  // namespace orch::cli
