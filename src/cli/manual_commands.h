#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}

namespace orch::cli {

// An option or an argument, as the manual describes it.
struct ManualOption {
  std::vector<std::string> names;  // "-n", "--dry-run"; for an argument its name: "issue"
  std::string value;               // "TEXT"; "" if it takes none
  std::string standard;            // the default; "" if none is mentioned
  std::string about;
  bool required = false;
  bool repeated = false;  // an argument that may stand several times

  bool operator==(const ManualOption&) const = default;
};

struct ManualGroup {
  std::string title;
  std::vector<ManualOption> options;

  bool operator==(const ManualGroup&) const = default;
};

// A command with its whole description: the source of the manual pages and docs/cli.md.
struct ManualCommand {
  std::string name;  // "orch crew up"
  std::string about;
  std::vector<std::string> aliases;
  std::vector<ManualOption> arguments;
  std::vector<ManualGroup> groups;
  std::string footer;
  std::vector<ManualCommand> commands;  // its subcommands
};

// Describes a command line that has been set up. Options and commands without a group are hidden
// from help and left out here, too.
ManualCommand describe(const CLI::App& app);

// "orch run [OPTIONS] issue...": the synopsis, without markup.
std::string synopsis(const ManualCommand& command);

// The description of an option, with its default if the text does not mention it.
std::string told_about(const ManualOption& option);

// The command and all below it, each before its subcommands.
std::vector<const ManualCommand*> with_subcommands(const ManualCommand& command);

}  // namespace orch::cli
