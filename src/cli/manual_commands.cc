#include "cli/manual_commands.h"

#include <CLI/CLI.hpp>

#include "cli/help.h"

namespace orch::cli {
namespace {

ManualOption option_of(const CLI::Option& option, const std::string& command) {
  ManualOption told;
  told.about = option.get_description();
  told.required = option.get_required();
  if (option.get_positional()) {
    told.names = {option.get_name(true)};
    told.repeated = option.get_items_expected_max() > 1;
  } else {
    for (const std::string& name : option.get_snames()) told.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) told.names.push_back("--" + name);
    told.value = value_name(option, command);
  }
  told.standard = option.get_default_str();
  return told;
}

void append_subcommands(const ManualCommand& command, std::vector<const ManualCommand*>& all) {
  all.push_back(&command);
  for (const ManualCommand& one : command.commands) append_subcommands(one, all);
}

ManualCommand describe(const CLI::App& app, const std::string& above) {
  ManualCommand told;
  told.name = above.empty() ? app.get_name() : above + " " + app.get_name();
  told.about = app.get_description();
  told.aliases = app.get_aliases();
  told.footer = app.get_footer();
  for (const std::string& title : app.get_groups()) {
    if (title.empty()) continue;
    ManualGroup group{title, {}};
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() != title) continue;
      (option->get_positional() ? told.arguments : group.options)
          .push_back(option_of(*option, command_path(app)));
    }
    if (!group.options.empty()) told.groups.push_back(std::move(group));
  }
  for (const CLI::App* one : app.get_subcommands(nullptr)) {
    if (!one->get_group().empty()) told.commands.push_back(describe(*one, told.name));
  }
  return told;
}

}  // namespace

ManualCommand describe(const CLI::App& app) { return describe(app, ""); }

std::string synopsis(const ManualCommand& command) {
  std::string line = command.name + " [OPTIONS]";
  for (const ManualOption& argument : command.arguments) {
    const std::string name = argument.names.front() + (argument.repeated ? "..." : "");
    line += argument.required ? " " + name : " [" + name + "]";
  }
  if (!command.commands.empty()) line += " COMMAND";
  return line;
}

std::string told_about(const ManualOption& option) {
  const bool says_so = option.about.find("default") != std::string::npos;
  if (option.standard.empty() || says_so) return option.about;
  return option.about + " (default: " + option.standard + ")";
}

std::vector<const ManualCommand*> with_subcommands(const ManualCommand& command) {
  std::vector<const ManualCommand*> all;
  append_subcommands(command, all);
  return all;
}

}  // namespace orch::cli
