#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "peer/peer_process.h"
#include "setup/config.h"
#include "setup/paths.h"

namespace orch::cli {
namespace {

void print_json(const setup::Config& config) {
  base::Json list = base::Json::array();
  for (const setup::Setting& setting : config.settings) {
    list.push_back({{"option", std::string(options::config_name(*setting.option))},
                    {"value", setting.value},
                    {"from", std::string(name(setting.origin))},
                    {"place", base::or_null(setting.place)}});
  }
  std::fputs(base::json_text(list).c_str(), stdout);
}

int config(bool as_json) {
  const base::Result<std::string> folder = setup::resolve_folder(".");
  if (!folder) return report(folder.error());
  const base::Result<setup::Config> config = setup::load_config(setup::repository_of(*folder));
  if (!config) return report(config.error());
  for (const std::string& note : config->notes) {
    std::fprintf(stderr, "orch: %s\n", base::printable(note).c_str());
  }
  if (as_json) {
    print_json(*config);
    return 0;
  }
  for (const setup::Setting& setting : config->settings) {
    const std::string from =
        setting.place.empty() ? std::string(name(setting.origin)) : setting.place;
    const std::string line = fmt::format(
        "{:<16} {:<10} {}", options::config_name(*setting.option),
        setting.value.empty() ? "-" : base::printable(setting.value), base::printable(from));
    std::printf("%s\n", line.c_str());
  }
  return 0;
}

int change(const std::string& key, const std::optional<std::string>& value) {
  if (const std::string why = peer::refusal_of_this_process(); !why.empty()) {
    return report(base::usage_error(why));
  }
  const base::Result<std::string> file = setup::change_own_config(key, value);
  if (!file) return report(file.error());
  std::fprintf(stderr, "orch: %s is %s in %s\n", base::printable(key).c_str(),
               value ? base::printable(*value).c_str() : "no longer set",
               base::printable(*file).c_str());
  return 0;
}

void add_set(CLI::App& config, Chosen& chosen) {
  CLI::App* command =
      config.add_subcommand("set", "write a default into your own configuration file");
  auto key = std::make_shared<std::string>();
  auto value = std::make_shared<std::string>();
  command->add_option("key", *key, "an option of orch run without its dashes: agent, timeout, ...")
      ->required();
  command->add_option("value", *value, "its value; true or false for an option without one")
      ->required();
  command->footer(
      "Examples:\n  orch config set agent codex\n  orch config set timeout 2h\n"
      "  orch config set bell false");
  command->callback(
      [key, value, &chosen] { chosen = [key, value] { return change(*key, *value); }; });
}

void add_unset(CLI::App& config, Chosen& chosen) {
  CLI::App* command =
      config.add_subcommand("unset", "remove a default from your own configuration file");
  auto key = std::make_shared<std::string>();
  command->add_option("key", *key, "the default to remove")->required();
  command->footer("Example:\n  orch config unset timeout");
  command->callback([key, &chosen] { chosen = [key] { return change(*key, std::nullopt); }; });
}

}  // namespace

void add_config_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("config", "the defaults of orch run: show and set them");
  command->require_subcommand(0, 1);
  auto as_json = std::make_shared<bool>(false);
  auto as_schema = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "as JSON");
  command->add_flag("--schema", *as_schema,
                    "the JSON Schema of a configuration file, for completion in an editor");
  command->footer(
      "$XDG_CONFIG_HOME/orch/config.json, then .orch/config.json, then $ORCH_<KEY>, then options.\n"
      "Before orch trust a repository's file sets only size, color, live and bell, and a timeout,\n"
      "idle-timeout or check-calls that is stricter. A file is one JSON object:\n"
      "  {\"session-manager\": \"tmux\", \"timeout\": \"2h\", \"bell\": false}\n\n"
      "Examples:\n  orch config\n  orch config set agent codex\n  orch config --schema > "
      ".orch/config.schema.json\n  "
      "ORCH_SESSION_MANAGER=native orch config --json");
  add_set(*command, chosen);
  add_unset(*command, chosen);
  command->callback([command, as_json, as_schema, &chosen] {
    if (!command->get_subcommands().empty()) return;
    chosen = [as_json, as_schema] {
      if (!*as_schema) return config(*as_json);
      std::fputs(setup::config_schema().c_str(), stdout);
      return 0;
    };
  });
}

}  // namespace orch::cli
