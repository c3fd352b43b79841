#pragma once

#include <string>
#include <vector>

#include "task/task_spec.h"

namespace orch::task {

// The fields of this task file that only the user may set, under their names in messages
// ("runner.meta.env.PATH"). They choose a program or an image, add words or variables to a command,
// name a server or the variable with a key, or weaken the worker's sandbox. Empty: anybody may have
// written the file.
std::vector<std::string> fields_that_need_trust(const TaskSpec& task);

inline constexpr const char* kNoSandbox = "runner.sandbox: none";  // one of these fields

}  // namespace orch::task
