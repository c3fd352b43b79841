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

// Never fails, for an agent may have written the text.
GitConfig read_git_config(std::string_view text);

// Whether a setting can start no program, neither itself nor through what it leads to. Only plain
// settings can be harmless, of those that git writes when branches and remotes are made. A remote
// whose address is a folder is not: git runs that folder's hooks.
bool is_harmless(const GitSetting& setting, const GitConfig& config);

// What counts as a change of a configuration: a line for each setting that is not harmless, and the
// whole text if it is not understood.
std::vector<std::string> settings_that_count(const std::string& text);

}  // namespace orch::session
