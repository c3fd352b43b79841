#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "cli/command.h"
#include "client/find.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class Option;
}

namespace orch::cli {

// An argument or an option of a command, while it is added.
class NewOption {
 public:
  explicit NewOption(CLI::Option* option) : option_(option) {}
  NewOption& required();
  NewOption& show_default();                      // in the help
  NewOption& type_name(const std::string& name);  // the name of its value in the help
  NewOption& group(const std::string& title);     // its heading in the help
  NewOption& take_all();                          // may be given several times
  NewOption& between(double least, double most);
  NewOption& one_word();  // each time it takes one word, and the next one is an argument again

 private:
  CLI::Option* option_;  // not owned
};

// A command while it is added to the command line, which keeps it alive.
class NewCommand {
 public:
  NewCommand(CLI::App& parent, const std::string& name, const std::string& about);
  // `T` is one of the types that new_command.cc lists.
  template <class T>
  NewOption option(const std::string& names, T& value, const std::string& about);
  NewOption flag(const std::string& names, bool& value, const std::string& about);
  void color(ui::ColorChoice& choice);  // --color auto|always|never
  void state_dir(std::optional<std::string>& state_dir,
                 const std::string& about = "where runs are kept");
  void footer(const std::string& text);
  void alias(const std::string& name);
  // One of its subcommands may be given, or has to be.
  void takes_subcommand(bool required);
  CLI::App& app() { return *app_; }

  // The work is done if the command line names this command and none of its subcommands.
  void does(Chosen& chosen, Chosen work);

 private:
  CLI::App* app_;  // not owned
};

// Does `work` at the place of this state directory, and returns the exit code.
int at_place(const std::optional<std::string>& state_dir,
             const std::function<int(const client::Place&)>& work);

// A command whose options are stored in `Options`. `work` gets them, and the place of
// `Options::state_dir` if it takes one; it returns the exit code.
template <class Options>
class CommandWith : public NewCommand {
 public:
  template <class Work>
  CommandWith(CLI::App& parent, Chosen& chosen, const std::string& name, const std::string& about,
              Work work)
      : NewCommand(parent, name, about) {
    does(chosen, [options = options_, work = std::move(work)] {
      if constexpr (std::is_invocable_v<Work, Options&, const client::Place&>) {
        return at_place(options->state_dir,
                        [&](const client::Place& place) { return work(*options, place); });
      } else {
        return work(*options);
      }
    });
  }
  Options* operator->() { return options_.get(); }
  Options& options() { return *options_; }
  using NewCommand::color;
  using NewCommand::state_dir;
  void color() { color(options_->color); }
  void state_dir() { state_dir(options_->state_dir); }

 private:
  std::shared_ptr<Options> options_ = std::make_shared<Options>();
};

}  // namespace orch::cli
