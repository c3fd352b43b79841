#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::session {

// One line of git's configuration: [section "name"] key = value, as git understands it. Section and
// key in lower case.
struct GitSetting {
  std::string section, name, key, value;
  // Written in the one way that every reader understands alike: its header and itself on a line of
  // their own, nothing quoted, escaped, continued or commented.
  bool plain = false;
};

struct GitConfig {
  std::vector<GitSetting> settings;
  bool understood = true;  // false: git itself would refuse it where the settings end
};

// Never fails: whoever can write the text chose it.
GitConfig read_git_config(std::string_view text);

// Whether a setting starts no program, now or by what it leads to: plain ones alone, of what git
// writes when branches and remotes are made. A remote that is a folder runs that folder's hooks.
bool is_harmless(const GitSetting& setting, const GitConfig& config);

// What of a configuration counts as a change: a line for each setting that is not harmless, and the
// whole text where it is not understood.
std::vector<std::string> settings_that_count(const std::string& text);

}  // namespace orch::session
