#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::session {

// One setting of git's configuration: [section "name"] key = value, as git understands it. Section
// and key are in lower case.
struct GitSetting {
  std::string section, name, key, value;
  // Written so simply that every reader understands it alike: the header and the setting each on a
  // line of its own, nothing quoted, escaped, continued or commented.
  bool plain = false;
};

struct GitConfig {
  std::vector<GitSetting> settings;
  bool understood = true;  // false: git itself would refuse the file after the last of the settings
};

// Never fails, because an agent may have written the text.
GitConfig read_git_config(std::string_view text);

// Whether a setting can start no program, directly or indirectly. Only plain settings of the kinds
// that git writes when it makes branches and remotes can be harmless. A remote whose address is a
// folder is not: git runs that folder's hooks.
bool is_harmless(const GitSetting& setting, const GitConfig& config);

// The settings that count when a configuration is compared: a line for each that is not harmless,
// and the whole text if it is not understood.
std::vector<std::string> settings_that_count(const std::string& text);

}  // namespace orch::session
