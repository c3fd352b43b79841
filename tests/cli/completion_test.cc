#include "cli/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <catch2/catch.hpp>

#include "cli/command.h"
#include "setup/diagnostics.h"

using namespace orch::cli;
using Words = std::vector<std::string>;

namespace {

struct WholeApp {
  CLI::App app{"", "orch"};
  orch::setup::Diagnostics diagnostics;
  Chosen chosen;

  WholeApp() { add_commands(app, {}, {}, diagnostics, chosen); }
};

KnownNames known() {
  return {[] {
            return Words{"42", "mend; rm -rf ~", "$(id)"};
          },
          [] { return Words{"20261124T000000-42-a1b2"}; },
          [] {
            return Words{"claude", "codex"};
          },
          [] {
            return Words{"planner", "reviewer"};
          },
          [] {
            return Words{"agent", "timeout"};
          },
          [] { return Words{"mend-net"}; },
          [] { return Words{"last"}; }};
}

Words after(const Words& words) {
  WholeApp whole;
  Words found;
  for (const Candidate& one : complete(whole.app, words, known()).candidates) {
    found.push_back(one.word);
  }
  return found;
}

bool files_after(const Words& words) {
  WholeApp whole;
  return complete(whole.app, words, known()).files;
}

bool holds(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("a command is added alone by its name, and all are added for any other word") {
  const WholeApp whole;
  const std::vector<const CLI::App*> all = whole.app.get_subcommands({});
  CHECK(all.size() > 30);
  for (const CLI::App* command : all) {
    INFO(command->get_name());
    if (command->get_name() == "help") continue;  // it tells of the others
    CLI::App app{"", "orch"};
    orch::setup::Diagnostics diagnostics;
    Chosen chosen;
    add_commands(app, command->get_name(), {}, diagnostics, chosen);
    const std::vector<const CLI::App*> added =
        static_cast<const CLI::App&>(app).get_subcommands({});
    REQUIRE(added.size() == 1);
    CHECK(added.front()->get_name() == command->get_name());
  }
  CLI::App app{"", "orch"};
  orch::setup::Diagnostics diagnostics;
  Chosen chosen;
  add_commands(app, "ru", {}, diagnostics, chosen);
  CHECK(static_cast<const CLI::App&>(app).get_subcommands({}).size() == all.size());
}

TEST_CASE("commands and their subcommands are completed") {
  CHECK(after({"rep"}) == Words{"replay", "report"});
  CHECK(holds(after({""}), "run"));
  CHECK(after({"crew", "n"}) == Words{"nudge"});
  CHECK(holds(after({"-v", ""}), "run"));
  CHECK(after({"no-such-command", ""}).empty());
  CHECK(after({}).size() == after({""}).size());
}

TEST_CASE("options are completed where one was begun") {
  CHECK(after({"run", "--ou"}) == Words{"--output", "--output-schema"});
  CHECK_FALSE(holds(after({"status", ""}), "--json"));
  WholeApp whole;
  const Completion json = complete(whole.app, {"status", "--js"}, known());
  REQUIRE(json.candidates.size() == 1);
  CHECK_FALSE(json.candidates.front().about.empty());
}

TEST_CASE("what an option takes is completed, and nothing else there") {
  CHECK(after({"run", "--output", ""}) == Words{"json", "quiet", "raw", "text"});
  CHECK(after({"run", "--agent", "cl"}) == Words{"claude"});
  CHECK(after({"run", "--approve", "a"}) == Words{"all"});
  CHECK(files_after({"run", "--approve", "a"}));
  CHECK(after({"run", "--prompt", ""}).empty());
  CHECK_FALSE(files_after({"run", "--prompt", ""}));
  CHECK(after({"run", "--output=j"}).empty());  // a shell passes that as two words
}

TEST_CASE("arguments are completed by what is there now") {
  // The others contain characters that a shell would interpret.
  CHECK(after({"status", ""}) == Words{"42"});
  CHECK(after({"status", "--json", "4"}) == Words{"42"});
  CHECK(after({"status", "42", ""}).empty());
  CHECK(after({"wait", "42", ""}) == Words{"42"});
  CHECK(after({"retry", ""}) == Words{"20261124T000000-42-a1b2"});
  CHECK(after({"crew", "nudge", ""}) == Words{"planner", "reviewer"});
  CHECK(after({"crew", "nudge", "planner", ""}).empty());
  CHECK(files_after({"replay", ""}));
  CHECK(files_after({"run", "42", "--", "make", ""}));
  CHECK(after({"run", "42", "--", "st"}).empty());
}

TEST_CASE("each value that is offered is one that the help of its option names") {
  WholeApp whole;
  for (const OptionValue& one : option_values()) {
    size_t options = 0;
    const auto check = [&](const CLI::App& command) {
      const CLI::Option* option = command.get_option_no_throw(one.option);
      if (option == nullptr) return;
      ++options;
      INFO(command.get_name() << " " << one.option << " " << one.value);
      CHECK(option->get_description().find(one.value) != std::string::npos);
    };
    for (const CLI::App* command : whole.app.get_subcommands(nullptr)) {
      if (one.command.empty() || one.command == command->get_name()) check(*command);
      for (const CLI::App* inner : command->get_subcommands(nullptr)) {
        const std::string path = command->get_name() + " " + inner->get_name();
        if (one.command.empty() || one.command == path) check(*inner);
      }
    }
    INFO(one.command << " " << one.option);
    CHECK(options > 0);
  }
}
