#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/result.h"

// The files of settings of the programs that orch itself starts (own_program.h). Such a program
// obeys them, and some name a further program that it runs.
namespace orch::base {

// An error, in one line with the remedy, if the file or folder lies where agents may write, or has
// a second name. `what` names it: "--kubeconfig".
Status check_settings(std::string_view what, const std::string& path);
// The same for files and folders in the home: ".kube/config".
Status check_settings_at_home(std::initializer_list<std::string_view> names);

// The same for the variables with these names in orch's environment; each may hold several paths,
// with colons between them.
Status check_settings_variables(std::initializer_list<const char*> names);

}  // namespace orch::base
