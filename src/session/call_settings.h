#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/call_spec.h"

namespace orch::session {

// The settings by which an agent is made to tell its calls, beside those that are there already.
// Settings are JSON text; "" are none.

// The administrator's settings, whose place the call check's take; nothing if they cannot be read.
std::optional<std::string> base_settings(const adapters::CallSpec& spec,
                                         const std::vector<std::string>& env);
// The administrator's settings with these over them, and the hooks of both.
std::string over_base(const std::string& base, const std::string& settings);
// The value of a variable of the call check: where it holds settings, they are added to those that
// it would have without it.
std::string joined_value(const std::string& before, const std::string& value);

// What of the project's own settings bears on the call check.
struct ProjectSettings {
  // They name hooks, or what brings hooks, that could replace a call after it was read; or they
  // cannot be read.
  bool replaces = false;
  std::string rules;  // those that forbid or ask
};
ProjectSettings project_settings(const adapters::CallSpec& spec, const std::string& work_dir);

}  // namespace orch::session
