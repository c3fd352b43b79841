#include "base/own_settings.h"

#include <cstdlib>

#include "base/own_program.h"
#include "base/text.h"

namespace orch::base {

Status check_settings(std::string_view what, const std::string& path) {
  if (path.empty()) return Ok{};
  const std::string place = folder_of_agents_with(path);
  if (place.empty() && has_other_names(path)) {
    return usage_error(std::string(what) + ": " + printable(path) +
                       " has a second name (a hard link), perhaps where agents may write, and may "
                       "name a program that is then run: orch does not use it; make it a copy");
  }
  if (place.empty()) return Ok{};
  return usage_error(std::string(what) + ": " + printable(path) + " lies in " + printable(place) +
                     ", where agents may write, and may name a program that is then run: orch does "
                     "not use it; keep it elsewhere");
}

Status check_settings_at_home(std::initializer_list<std::string_view> names) {
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): no thread sets it
  if (home == nullptr || *home == '\0') return Ok{};
  for (const std::string_view name : names) {
    const std::string below = "/" + std::string(name);
    if (Status s = check_settings("~" + below, home + below); !s) return s;
  }
  return Ok{};
}

Status check_settings_variables(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread sets it
    for (const std::string_view file : split(value == nullptr ? "" : value, ':')) {
      if (Status s = check_settings(name, std::string(file)); !s) return s;
    }
  }
  return Ok{};
}

}  // namespace orch::base
