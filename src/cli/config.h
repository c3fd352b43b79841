#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/run_options.h"

namespace orch::cli {

// Where a value comes from: of two the later one holds.
enum class Origin : uint8_t {
  kDefault,
  kUser,         // $XDG_CONFIG_HOME/orch/config.json
  kRepository,   // .orch/config.json
  kEnvironment,  // $ORCH_<KEY>
};
std::string_view name(Origin origin);

// A default of orch run that can be set. Its option is --<name>, its variable ORCH_<NAME>.
struct ConfigKey {
  std::string_view name;
  std::string_view built_in;  // what holds without any configuration
  // Whether a repository may set it without being trusted: nothing runs, and nothing is allowed,
  // that would not be otherwise.
  bool harmless;
  std::string_view option;  // of the command line, which says the same for one run
  base::Status (*apply)(const std::string& value, RunOptions& options);
};
std::span<const ConfigKey> config_keys();

struct Setting {
  const ConfigKey* key = nullptr;
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

// Sets what was not `given` as an option.
void apply(const Config& config, const std::set<std::string>& given, RunOptions& options);

}  // namespace orch::cli
