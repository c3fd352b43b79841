#include "cli/manual_markdown.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "cli/manual_footer.h"
#include "cli/manual_topics.h"
#include "event/exit_reason.h"

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

// The anchor that a heading of letters, digits, blanks and hyphens has.
std::string anchor_of(std::string heading) {
  std::replace(heading.begin(), heading.end(), ' ', '-');
  return "#" + heading;
}

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

void append_footer(std::string& out, std::string_view footer) {
  for (const FooterBlock& block : read_footer(footer)) {
    if (!block.heading.empty()) out += "\n**" + plain(block.heading) + "**\n";
    out += '\n';
    for (const std::string& line : block.lines) {
      if (block.literal && !line.empty()) out += "    " + base::printable(line);
      if (!block.literal) out += plain(line);
      out += '\n';
    }
  }
}

// The options that the page describes once: those that every command has, and those of `orch run`.
class KnownOptions {
 public:
  explicit KnownOptions(std::span<const ManualCommand* const> commands) {
    for (const ManualCommand* command : commands) {
      if (command->name != "orch run") continue;
      for (const ManualGroup& group : command->groups) {
        for (const ManualOption& one : group.options) {
          if (!is_common(one)) of_run_.insert(line_of(one));
        }
      }
    }
  }

  static bool is_common(const ManualOption& option) {
    const auto has = [&option](std::string_view name) {
      return std::ranges::find(option.names, name) != option.names.end();
    };
    return has("--help") || has("--help-all") || has("--state-dir");
  }
  bool is_of_run(const ManualOption& option) const { return of_run_.contains(line_of(option)); }

 private:
  static std::string line_of(const ManualOption& option) {
    return entry(words_of(option), told_about(option));
  }

  std::set<std::string> of_run_;
};

void append_options(std::string& out, const ManualCommand& command, const KnownOptions& known) {
  const bool is_program = command.name.find(' ') == std::string::npos;
  std::string as_in_run;
  for (const ManualGroup& group : command.groups) {
    std::string lines;
    for (const ManualOption& one : group.options) {
      if (!is_program && KnownOptions::is_common(one)) continue;
      if (command.name != "orch run" && known.is_of_run(one)) {
        as_in_run += (as_in_run.empty() ? "" : ", ") + code(one.names.back());
      } else {
        lines += entry(words_of(one), told_about(one));
      }
    }
    if (lines.empty()) continue;
    out += command.groups.size() > 1 ? "\n**" + plain(group.title) + "**\n\n" : "\n";
    out += lines;
  }
  if (!as_in_run.empty()) out += "\nAs in [orch run](#orch-run): " + as_in_run + ".\n";
}

void append_command(std::string& out, const ManualCommand& command, const KnownOptions& known) {
  out += "\n## " + command.name + "\n\n" + plain(command.about) + "\n\n    " + synopsis(command);
  out += '\n';
  if (!command.arguments.empty()) out += '\n';
  for (const ManualOption& one : command.arguments) out += entry(words_of(one), told_about(one));
  append_options(out, command, known);
  append_footer(out, command.footer);
}

void append_topics(std::string& out, std::string_view title, std::span<const ManualTopic> topics) {
  out += "\n## ";
  out += title;
  out += "\n\n";
  for (const ManualTopic& topic : topics) out += entry(topic.name, topic.about);
}

void append_exit_codes(std::string& out) {
  out += "\n## Exit codes of a run\n\n";
  for (const event::ExitRow& row : event::exit_table()) {
    if (event::is_reserved(row.reason)) continue;
    out += entry(std::to_string(row.code) + " " + std::string(row.name), row.description);
  }
}

}  // namespace

std::string manual_markdown(const ManualCommand& program) {
  std::string out =
      "# The commands of orch\n\n"
      "<!-- script/pages writes this page from the commands themselves. -->\n\n";
  const std::vector<const ManualCommand*> commands = with_subcommands(program);
  for (const ManualCommand* one : commands) {
    out += "- [" + one->name + "](" + anchor_of(one->name) + ")\n";
  }
  out +=
      "\nEvery command has `-h, --help` and `--help-all`. Those that look at runs or sessions have "
      "`--state-dir FOLDER`, too: where runs are kept (default: `$XDG_STATE_HOME/orch`).\n";
  const KnownOptions known(commands);
  for (const ManualCommand* one : commands) append_command(out, *one, known);
  append_exit_codes(out);
  append_topics(out, "Environment", manual_variables());
  append_topics(out, "Files", manual_files());
  return out;
}

}  // namespace orch::cli
