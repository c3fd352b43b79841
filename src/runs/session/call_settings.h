#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/call_spec.h"
#include "adapters/fence_spec.h"

namespace orch::session {

// The settings that make an agent report its calls, merged with those that exist already. Settings
// are JSON text; "" means none.

// The administrator's settings, which those of the call check replace; nullopt: they cannot be
// read.
std::optional<std::string> base_settings(const adapters::CallSpec& spec,
                                         const std::vector<std::string>& env);
// The administrator's settings with these over them, and the hooks of both.
std::string over_base(const std::string& base, const std::string& settings);
// The value for a variable of the call check. If the value holds settings, they are merged into the
// variable's present settings.
std::string joined_value(const std::string& before, const std::string& value);

// The parts of the project's own settings that affect the call check.
struct ProjectSettings {
  // They name hooks, or sources of hooks, that could replace a call after it was read; or they
  // cannot be read.
  bool replaces = false;
  bool allows = false;  // they hold, and let calls run without a dialog
  std::string rules;    // the rules that forbid or ask, as JSON text
};
ProjectSettings project_settings(const adapters::CallSpec& spec, const std::string& work_dir);
// The settings with these rules of a project next to their own.
std::string with_rules(const adapters::CallSpec& spec, const std::string& settings,
                       const std::string& rules);
// Whether a file of the user's settings lets calls run without a dialog, or cannot be read.
bool any_allows(const adapters::CallSpec& spec, const adapters::Variables& variables);

}  // namespace orch::session
