#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "options/run_option.h"

namespace orch::setup {

// Where a value comes from: of two the later one holds.
enum class Origin : uint8_t {
  kDefault,
  kUser,         // $XDG_CONFIG_HOME/orch/config.json
  kRepository,   // .orch/config.json
  kEnvironment,  // $ORCH_<KEY>
};
std::string_view name(Origin origin);

// The options of `orch run` for which a default can be set: a key of a configuration file is the
// option's config_name, its variable ORCH_<NAME>.
std::vector<const options::RunOption*> config_keys();

struct Setting {
  const options::RunOption* option = nullptr;
  std::string value;
  Origin origin = Origin::kDefault;
  std::string place;  // the file or the variable; ""
};

struct Config {
  std::vector<Setting> settings;   // one for each key, in their order
  std::vector<std::string> notes;  // lines for stderr: what was left out, and why
};

// A text of a configuration file, read into `config`: only what is harmless where it is not
// `trusted`. A wrong value is an error that names file and key; an unknown key is a note.
enum class Trusted : uint8_t { kNo, kYes };
base::Status read_config(std::string_view text, const std::string& file, Origin origin,
                         Trusted trusted, Config& config);
Config built_in_config();

// What holds for runs in this repository, by the files and this process's environment.
base::Result<Config> load_config(const std::string& repository);

// Sets what was not `given` as an option ("--timeout").
void apply(const Config& config, const std::set<std::string>& given, options::RunRequest& request);

}  // namespace orch::setup
