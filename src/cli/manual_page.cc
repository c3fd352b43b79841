#include "cli/manual_page.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "cli/manual_footer.h"
#include "cli/manual_roff.h"
#include "cli/manual_topics.h"
#include "event/exit_reason.h"

namespace orch::cli {
namespace {

constexpr std::string_view kExitCodes = "Exit codes";

std::string bold(std::string_view text) { return "\\fB" + roff_word(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff_word(text) + "\\fR"; }

// "orch-run(1)", as a line of its own; `after` follows it without a blank.
std::string reference(std::string_view page, std::string_view after = "") {
  return ".BR " + roff_word(page) + " (1)" + std::string(after) + "\n";
}

// The title of a section of man-pages(7) for a heading of a footer.
std::string section_of(std::string_view heading) {
  return heading == kExitCodes ? "EXIT STATUS" : base::upper(heading);
}

// Builds one page from top to bottom.
class Page {
 public:
  void section(std::string_view title) { out_ += ".SH " + roff_argument(title) + "\n"; }
  void subsection(std::string_view title) { out_ += ".SS " + roff_argument(title) + "\n"; }
  void add(std::string_view roff) { out_ += roff; }

  // A paragraph with a tag: an option, a variable.
  void tagged(std::string_view roff_tag, std::string_view about) {
    out_ += ".TP\n";
    out_ += roff_tag;
    out_ += '\n';
    for (const std::string_view line : base::split_lines(about)) out_ += roff_line(line) + "\n";
  }

  void block(const FooterBlock& block) {
    out_ += block.literal ? ".PP\n.EX\n" : ".PP\n";
    for (const std::string& line : block.lines) {
      // An empty line of input would be a request to leave one, which is fine in an example only.
      out_ += line.empty() ? ".sp\n" : roff_line(line) + "\n";
    }
    if (block.literal) out_ += ".EE\n";
  }

  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

std::string tag_of(const ManualOption& option, bool is_argument) {
  std::string tag;
  for (const std::string& name : option.names) {
    tag += (tag.empty() ? "" : ", ") + (is_argument ? italic(name) : bold(name));
  }
  if (option.repeated) tag += "...";
  if (!option.value.empty()) tag += " " + italic(option.value);
  return tag;
}

void add_options(Page& page, const ManualCommand& command) {
  if (!command.arguments.empty()) {
    page.section("ARGUMENTS");
    for (const ManualOption& one : command.arguments)
      page.tagged(tag_of(one, true), told_about(one));
  }
  page.section("OPTIONS");
  for (const ManualGroup& group : command.groups) {
    if (command.groups.size() > 1) page.subsection(group.title);
    for (const ManualOption& one : group.options) page.tagged(tag_of(one, false), told_about(one));
  }
}

void add_commands(Page& page, const ManualCommand& command) {
  if (command.commands.empty()) return;
  page.section("COMMANDS");
  for (const ManualCommand& one : command.commands) {
    std::string about = one.about;
    for (const std::string& alias : one.aliases) about += "; also called " + alias;
    page.tagged(bold(manual_page_name(one)) + "(1)", about);
  }
}

void add_topics(Page& page, std::string_view title, std::span<const ManualTopic> topics) {
  page.section(title);
  for (const ManualTopic& topic : topics) page.tagged(bold(topic.name), topic.about);
}

void add_exit_codes(Page& page) {
  page.section("EXIT STATUS");
  page.add(
      "A command that only looks exits with 0, with 2 when it was called wrongly, with 4 when\n"
      "a session or run does not exist, or with 125 when orch itself failed.\n"
      "A run exits with:\n");
  for (const event::ExitRow& row : event::exit_table()) {
    if (event::is_reserved(row.reason)) continue;
    page.tagged(bold(std::to_string(row.code)) + " " + italic(row.name), row.description);
  }
}

// "makes an agent behave", from "orch makes an agent behave.": apropos(1) finds the page by this
// line.
std::string_view what_it_does(const ManualCommand& command) {
  std::string_view about = command.about;
  if (about.starts_with(command.name + " ")) about.remove_prefix(command.name.size() + 1);
  if (about.ends_with('.')) about.remove_suffix(1);
  return about;
}

using Footer = std::vector<FooterBlock>;

// The blocks after a heading belong to it. Exit codes come first, as in the pages of other
// programs.
void add_headed(Page& page, const Footer& footer) {
  std::vector<Footer> sections;
  for (const FooterBlock& block : footer) {
    if (!block.heading.empty()) sections.emplace_back();
    if (!sections.empty()) sections.back().push_back(block);
  }
  std::stable_partition(sections.begin(), sections.end(),
                        [](const Footer& one) { return one.front().heading == kExitCodes; });
  for (const Footer& section : sections) {
    page.section(section_of(section.front().heading));
    for (const FooterBlock& block : section) page.block(block);
  }
}

void add_description(Page& page, const ManualCommand& command, const Footer& footer) {
  page.section("DESCRIPTION");
  if (footer.empty() || !footer.front().heading.empty()) page.add(roff_line(command.about) + "\n");
  for (const FooterBlock& block : footer) {
    if (!block.heading.empty()) break;
    page.block(block);
  }
}

void add_see_also(Page& page, const ManualCommand& command, const ManualCommand& program) {
  page.section("SEE ALSO");
  std::vector<const ManualCommand*> others;
  for (const ManualCommand* one : with_subcommands(program)) {
    // The commands above it and, if it is a subcommand, its siblings.
    const bool above = command.name.starts_with(one->name + " ");
    const std::string parent = command.name.substr(0, command.name.rfind(' '));
    const bool beside = parent != program.name && one->name.starts_with(parent + " ");
    if (one != &command && (above || beside)) others.push_back(one);
  }
  for (size_t i = 0; i < others.size(); ++i) {
    page.add(reference(manual_page_name(*others[i]), i + 1 < others.size() ? "," : ""));
  }
  if (others.empty())
    page.add("The pages of its commands, and the documents in the folder doc/orch.\n");
}

}  // namespace

std::string manual_page_name(const ManualCommand& command) {
  std::string name = command.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string manual_page(const ManualCommand& command, const ManualCommand& program,
                        std::string_view version) {
  const std::string name = manual_page_name(command);
  const bool is_program = &command == &program;
  const Footer footer = read_footer(command.footer);
  Page page;
  page.add(".\\\" Written by orch itself from its commands and options.\n");
  page.add(".TH " + roff_argument(base::upper(name)) + " 1 \"\" " +
           roff_argument("orch " + std::string(version)) + " \"Manual of orch\"\n.nh\n.ad l\n");
  page.section("NAME");
  page.add(roff_word(name) + " \\- " + roff_word(what_it_does(command)) + "\n");
  page.section("SYNOPSIS");
  page.add(bold(command.name) + roff_word(synopsis(command).substr(command.name.size())) + "\n");
  add_description(page, command, footer);
  add_commands(page, command);
  add_options(page, command);
  if (is_program) {
    add_exit_codes(page);
    add_topics(page, "ENVIRONMENT", manual_variables());
    add_topics(page, "FILES", manual_files());
  }
  add_headed(page, footer);
  add_see_also(page, command, program);
  return page.take();
}

}  // namespace orch::cli
