#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "options/run_option.h"

namespace orch::setup {

// Where a value comes from. A later one of these takes precedence.
enum class Origin : uint8_t {
  kDefault,
  kUser,         // $XDG_CONFIG_HOME/orch/config.json
  kRepository,   // .orch/config.json
  kEnvironment,  // $ORCH_<KEY>
};
std::string_view name(Origin origin);

// The options of `orch run` whose defaults can be set. In a configuration file the key is the
// option's config_name; its environment variable is ORCH_<NAME>.
std::vector<const options::RunOption*> config_keys();

struct Setting {
  const options::RunOption* option = nullptr;
  std::string value;
  Origin origin = Origin::kDefault;
  std::string place;  // the file or the variable; "" for a built-in default
};

struct Config {
  std::vector<Setting> settings;   // one for each key, in the order of config_keys()
  std::vector<std::string> notes;  // lines for stderr: ignored settings, and why
};

// Reads the text of a configuration file into `config`; if it is not `trusted`, only the values
// that anyone may set (options::Config). A wrong value is an error that names file and key; an
// unknown key is a note.
enum class Trusted : uint8_t { kNo, kYes };
base::Status read_config(std::string_view text, const std::string& file, Origin origin,
                         Trusted trusted, Config& config);
Config built_in_config();

// The JSON Schema of a configuration file, made of config_keys(). An editor checks and completes
// with it.
std::string config_schema();

// The configuration for runs in this repository, from the files and this process's environment.
base::Result<Config> load_config(const std::string& repository);

// Writes a setting into the user's own file, or removes it (nullopt); returns the file's path. A
// usage error says what is wrong with the key or the value.
base::Result<std::string> change_own_config(const std::string& key,
                                            const std::optional<std::string>& value);

// Sets the options that were not `given` on the command line ("--timeout").
void apply(const Config& config, const std::set<std::string>& given, options::RunRequest& request);

}  // namespace orch::setup
