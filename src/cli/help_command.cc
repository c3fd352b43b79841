#include "cli/help_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "base/name.h"
#include "base/text.h"
#include "cli/help.h"
#include "cli/new_command.h"
#include "ui/user_terminal.h"

namespace orch::cli {
namespace {

int show_help(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    std::vector<std::string_view> names;
    const CLI::App* next = nullptr;
    for (const CLI::App* one : command->get_subcommands(nullptr)) {
      if (one->get_name() == word) next = one;
      names.push_back(one->get_name());
    }
    if (next == nullptr) {
      return report(base::usage_error("there is no command \"" + base::printable(word) + "\"" +
                                      "; see orch help" + base::did_you_mean(word, names)));
    }
    command = next;
  }
  std::fputs(full_help(*command, help_columns()).c_str(), stdout);
  return 0;
}

}  // namespace

size_t help_columns() {
  constexpr size_t kUsual = 80;
  const std::optional<term::Size> terminal = ui::terminal_size();
  return terminal ? static_cast<size_t>(terminal->cols) : kUsual;
}

void add_help_command(CLI::App& app, Chosen& chosen) {
  CommandWith<std::vector<std::string>> command(
      app, chosen, "help", "what the commands do, or all about one",
      [&app](const std::vector<std::string>& words) { return show_help(app, words); });
  command.option("command", command.options(), "a command, as in: orch help crew up");
  command.footer("Examples:\n  orch help\n  orch help run");
}

void add_version_command(CLI::App& app, Chosen& chosen) {
  NewCommand(app, "version", "orch's version").does(chosen, [] {
    std::puts("orch " ORCH_VERSION);
    return 0;
  });
}

}  // namespace orch::cli
