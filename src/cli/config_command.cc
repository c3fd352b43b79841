#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "cli/new_command.h"
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
  if (value && value->empty()) {
    return report(base::usage_error("orch config set " + base::printable(key) +
                                    " needs a value; orch config unset " + base::printable(key) +
                                    " removes it"));
  }
  const base::Result<std::string> file = setup::change_own_config(key, value);
  if (!file) return report(file.error());
  std::fprintf(stderr, "orch: %s is %s in %s\n", base::printable(key).c_str(),
               value ? base::printable(*value).c_str() : "no longer set",
               base::printable(*file).c_str());
  return 0;
}

struct Default {
  std::string key, value;
};

void add_set(CLI::App& config, Chosen& chosen) {
  CommandWith<Default> command(
      config, chosen, "set", "write a default into your own configuration file",
      [](const Default& wanted) { return change(wanted.key, wanted.value); });
  command
      .option("key", command->key, "an option of orch run without its dashes: agent, timeout, ...")
      .required();
  command.option("value", command->value, "its value; true or false for an option without one")
      .required();
  command.footer(
      "Examples:\n  orch config set agent codex\n  orch config set timeout 2h\n"
      "  orch config set bell false");
}

void add_unset(CLI::App& config, Chosen& chosen) {
  CommandWith<Default> command(
      config, chosen, "unset", "remove a default from your own configuration file",
      [](const Default& unwanted) { return change(unwanted.key, std::nullopt); });
  command.option("key", command->key, "the default to remove").required();
  command.footer("Example:\n  orch config unset timeout");
}

}  // namespace

void add_config_command(CLI::App& app, Chosen& chosen) {
  struct Options {
    bool json = false, schema = false;
  };
  CommandWith<Options> command(app, chosen, "config", "the defaults of orch run: show and set them",
                               [](const Options& options) {
                                 if (!options.schema) return config(options.json);
                                 std::fputs(setup::config_schema().c_str(), stdout);
                                 return 0;
                               });
  command.takes_subcommand(false);
  command.flag("--json", command->json, "as JSON");
  command.flag("--schema", command->schema,
               "the JSON Schema of a configuration file, for completion in an editor");
  command.footer(
      "$XDG_CONFIG_HOME/orch/config.json, then .orch/config.json, then $ORCH_<KEY>, then options.\n"
      "Before orch trust a repository's file sets only size, color, live and bell, and a timeout,\n"
      "idle-timeout or check-calls that is stricter. A file is one JSON object:\n"
      "  {\"session-manager\": \"tmux\", \"timeout\": \"2h\", \"bell\": false}\n\n"
      "Examples:\n  orch config\n  orch config set agent codex\n  orch config --schema > "
      ".orch/config.schema.json\n  "
      "ORCH_SESSION_MANAGER=native orch config --json");
  add_set(command.app(), chosen);
  add_unset(command.app(), chosen);
}

}  // namespace orch::cli
