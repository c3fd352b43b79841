#include <cstdio>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/new_command.h"
#include "cli/standing.h"
#include "client/find.h"
#include "client/sessions.h"

namespace orch::cli {
namespace {

struct KeysOptions {
  std::string issue;
  std::vector<std::string> keys;
  bool json = false;
  std::optional<std::string> state_dir;
};

int type_keys(const KeysOptions& options, const client::Place& place) {
  const base::Result<client::Answered> typed =
      client::ask_running(place, options.issue, wire::Keys{options.keys});
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
  CommandWith<KeysOptions> command(app, chosen, "keys", "type keys into a session", type_keys);
  command.option("issue", command->issue, "an issue or a session's name").required();
  command
      .option("keys", command->keys,
              "Escape Enter Tab BTab Space Backspace Delete Up Down Left Right Home End PageUp "
              "PageDown C-a ... C-z, or one character")
      .required();
  command.flag("--json", command->json, "print the typed keys as JSON");
  command.state_dir();
  command.footer(
      "Each key is a write of its own. What they do is the agent's business: they go "
      "into dialogs, too.\nExit code 4: the session does not exist.\n\n"
      "Examples:\n  orch keys 42 Escape\n  orch keys 42 Down Enter");
}

}  // namespace orch::cli
