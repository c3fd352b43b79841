#include "cli/manual_markdown.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/manual_footer.h"
#include "cli/manual_topics.h"

namespace orch::cli {
namespace {

// The text with all markup characters escaped.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : base::printable(text)) {
    if (std::string_view("\\`*_[]<>|~#").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string code(std::string_view text) { return "`" + base::printable(text) + "`"; }

std::string entry(std::string_view name, std::string_view about) {
  std::string line = "- " + code(name);
  if (!about.empty()) line += ": " + plain(about);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line + "\n";
}

std::string words_of(const ManualOption& option) {
  std::string words;
  for (const std::string& name : option.names) words += (words.empty() ? "" : ", ") + name;
  if (option.repeated) words += "...";
  return option.value.empty() ? words : words + " " + option.value;
}

// Without the examples: --help and the guides have them.
void append_footer(std::string& out, std::string_view footer) {
  for (const FooterBlock& block : read_footer(footer)) {
    if (block.heading == "Examples") continue;
    if (!block.heading.empty()) out += "\n**" + plain(block.heading) + "**\n";
    out += '\n';
    for (const std::string& line : block.lines) {
      if (block.literal && !line.empty()) out += "    " + base::printable(line);
      if (!block.literal) out += plain(line);
      out += '\n';
    }
  }
}

bool has(const ManualOption& option, std::string_view name) {
  return std::ranges::find(option.names, name) != option.names.end();
}

// Whether the page describes the option in its first lines.
bool is_common(const ManualOption& option) {
  return has(option, "--help") || has(option, "--help-all") || has(option, "--state-dir");
}

std::string entry_of(const ManualOption& option) {
  return entry(words_of(option), told_about(option));
}

// The options of `orch run`, which the page describes once: the name of each, by its entry.
class OptionsOfRun {
 public:
  explicit OptionsOfRun(std::span<const ManualCommand* const> commands) {
    for (const ManualCommand* command : commands) {
      if (command->name != "orch run") continue;
      for (const ManualGroup& group : command->groups) {
        for (const ManualOption& one : group.options) {
          if (is_common(one) || has(one, "--color")) continue;
          all_.emplace_back(entry_of(one), code(one.names.back()));
        }
      }
    }
  }

  bool contains(const ManualOption& option) const {
    return std::ranges::find(all_, entry_of(option), &Named::first) != all_.end();
  }

  // A line that names `taken`, or the other ones if these are fewer.
  std::string line_of(const std::set<std::string>& taken) const {
    const bool most = taken.size() > all_.size() / 2;
    std::string names;
    for (const auto& [entry, name] : all_) {
      if (taken.contains(entry) != most) names += (names.empty() ? "" : ", ") + name;
    }
    return "\nAs in [orch run](#orch-run): " + std::string(most ? "all but " : "") + names + ".\n";
  }

 private:
  using Named = std::pair<std::string, std::string>;
  std::vector<Named> all_;
};

void append_options(std::string& out, const ManualCommand& command, const OptionsOfRun& of_run) {
  const bool is_program = command.name.find(' ') == std::string::npos;
  const bool is_run = command.name == "orch run";
  std::set<std::string> as_in_run;
  for (const ManualGroup& group : command.groups) {
    std::string lines;
    for (const ManualOption& one : group.options) {
      if (!is_program && (is_common(one) || (!is_run && has(one, "--color")))) continue;
      if (!is_run && of_run.contains(one)) {
        as_in_run.insert(entry_of(one));
      } else {
        lines += entry_of(one);
      }
    }
    if (lines.empty()) continue;
    out += command.groups.size() > 1 ? "\n**" + plain(group.title) + "**\n\n" : "\n";
    out += lines;
  }
  if (!as_in_run.empty()) out += of_run.line_of(as_in_run);
}

void append_command(std::string& out, const ManualCommand& command, const OptionsOfRun& of_run) {
  out += "\n## " + command.name + "\n\n" + plain(command.about) + "\n\n    " + synopsis(command);
  out += '\n';
  if (!command.arguments.empty()) out += '\n';
  for (const ManualOption& one : command.arguments) out += entry(words_of(one), told_about(one));
  append_options(out, command, of_run);
  append_footer(out, command.footer);
}

void append_topics(std::string& out, std::string_view title, std::span<const ManualTopic> topics) {
  out += "\n## ";
  out += title;
  out += "\n\n";
  for (const ManualTopic& topic : topics) out += entry(topic.name, topic.about);
}

}  // namespace

std::string manual_markdown(const ManualCommand& program) {
  std::string out =
      "# The commands of orch\n\n"
      "<!-- script/pages writes this page from the commands themselves. -->\n\n";
  const std::vector<const ManualCommand*> commands = with_subcommands(program);
  out +=
      "Every command has `-h, --help`, with examples, and `--help-all`. Those that look at runs or "
      "sessions have `--state-dir FOLDER`, too: where runs are kept (default: "
      "`$XDG_STATE_HOME/orch`); those with colours have `--color auto|always|never`.\n";
  const OptionsOfRun of_run(commands);
  for (const ManualCommand* one : commands) append_command(out, *one, of_run);
  append_topics(out, "Environment", manual_variables());
  append_topics(out, "Files", manual_files());
  return out;
}

}  // namespace orch::cli
