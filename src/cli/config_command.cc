#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
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

}  // namespace

void add_config_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("config", "what holds for orch run when no option says otherwise");
  auto as_json = std::make_shared<bool>(false);
  auto as_schema = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "as JSON");
  command->add_flag("--schema", *as_schema,
                    "the JSON Schema of a configuration file, by which an editor completes and "
                    "checks it");
  command->footer(
      "$XDG_CONFIG_HOME/orch/config.json, then .orch/config.json, then $ORCH_<KEY>, then options.\n"
      "Before orch trust a repository's file sets only size, color, live and bell, and a timeout,\n"
      "idle-timeout or check-calls that is stricter. A file is one JSON object:\n"
      "  {\"session-manager\": \"tmux\", \"timeout\": \"2h\", \"bell\": false}\n\n"
      "Examples:\n  orch config\n  orch config --schema > .orch/config.schema.json\n  "
      "ORCH_SESSION_MANAGER=native orch config --json");
  command->callback([as_json, as_schema, &chosen] {
    chosen = [as_json, as_schema] {
      if (!*as_schema) return config(*as_json);
      std::fputs(setup::config_schema().c_str(), stdout);
      return 0;
    };
  });
}

}  // namespace orch::cli
