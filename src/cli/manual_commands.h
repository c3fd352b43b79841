#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}

namespace orch::cli {

// An option or an argument, as the manual tells it.
struct ManualOption {
  std::vector<std::string> names;  // "-n", "--dry-run"; of an argument its name: "issue"
  std::string value;               // "TEXT"; "" if it takes none
  std::string standard;            // what holds without it; "" if that is not said
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

// A command with all that is said of it: the manual pages and docs/cli.md are made of this.
struct ManualCommand {
  std::string name;  // "orch crew up"
  std::string about;
  std::vector<std::string> aliases;
  std::vector<ManualOption> arguments;
  std::vector<ManualGroup> groups;
  std::string footer;
  std::vector<ManualCommand> commands;  // its subcommands
};

// Describes a command line that has been set up. What belongs to no group is hidden from help and
// left out here, too.
ManualCommand describe(const CLI::App& app);

// "orch run [OPTIONS] issue...": how it is called, without markup.
std::string synopsis(const ManualCommand& command);

// What is said of an option, with its default where the text does not name that itself.
std::string told_about(const ManualOption& option);

// The command and all below it, each before its subcommands.
std::vector<const ManualCommand*> with_subcommands(const ManualCommand& command);

}  // namespace orch::cli
