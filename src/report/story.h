#pragma once

#include <cstddef>
#include <string>

#include "report/report.h"

namespace orch::report {

// What was said, asked, decided and done, in its order, as list items. Each has its moment
// (data-t, in milliseconds) and a link to it. Of more than max_bytes the middle is left out, which
// an item says.
std::string story_of(const Report& report, size_t max_bytes);

}  // namespace orch::report
