#include "cli/manual_markdown.h"

#include <algorithm>
#include <span>
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

void append_command(std::string& out, const ManualCommand& command) {
  out += "\n## " + command.name + "\n\n" + plain(command.about) + "\n\n    " + synopsis(command);
  out += '\n';
  if (!command.arguments.empty()) out += '\n';
  for (const ManualOption& one : command.arguments) out += entry(words_of(one), told_about(one));
  for (const ManualGroup& group : command.groups) {
    out += command.groups.size() > 1 ? "\n**" + plain(group.title) + "**\n\n" : "\n";
    for (const ManualOption& one : group.options) out += entry(words_of(one), told_about(one));
  }
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
    out += "- [" + one->name + "](" + anchor_of(one->name) + "): " + plain(one->about) + "\n";
  }
  for (const ManualCommand* one : commands) append_command(out, *one);
  append_exit_codes(out);
  append_topics(out, "Environment", manual_variables());
  append_topics(out, "Files", manual_files());
  return out;
}

}  // namespace orch::cli
