#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/command.h"
#include "cli/standing.h"
#include "client/find.h"
#include "client/sessions.h"
#include "setup/paths.h"

namespace orch::cli {
namespace {

struct KeysOptions {
  std::string issue;
  std::vector<std::string> keys;
  bool json = false;
  std::optional<std::string> state_dir;
};

int type_keys(const KeysOptions& options) {
  const base::Result<client::Place> place = setup::place_of(options.state_dir);
  if (!place) return report(place.error());
  const base::Result<client::Answered> typed =
      client::ask_running(*place, options.issue, wire::Keys{options.keys});
  if (!typed) return report_no_session(typed.error());
  if (options.json) {
    base::Json json = identity_json(typed->session);
    json["result"] = "typed";
    json["keys"] = options.keys;
    std::printf("%s\n", base::json_line(json).c_str());
  }
  return 0;
}

}  // namespace

void add_keys_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("keys", "type keys into a session");
  auto options = std::make_shared<KeysOptions>();
  command->add_option("issue", options->issue, "an issue or a session's name")->required();
  command
      ->add_option(
          "keys", options->keys,
          "Escape Enter Tab BTab Space Backspace Delete Up Down Left Right Home End PageUp "
          "PageDown C-a ... C-z, or one character")
      ->required();
  command->add_flag("--json", options->json, "print the typed keys as JSON");
  command->add_option("--state-dir", options->state_dir, "where runs are kept");
  command->footer(
      "Each key is a write of its own. What they do is the agent's business: they go "
      "into dialogs, too.\nExit code 4: the session does not exist.\n\n"
      "Examples:\n  orch keys 42 Escape\n  orch keys 42 Down Enter");
  command->callback([options, &chosen] { chosen = [options] { return type_keys(*options); }; });
}

}  // namespace orch::cli
