#pragma once

#include <cstddef>
#include <string>

#include "report/report.h"

namespace orch::report {

// The story of a run as list items: everything said, asked, decided and done, in this order. Each
// has its moment (data-t, in milliseconds) and a link to it. If this is longer than max_bytes,
// items in the middle are left out, and an item says so.
std::string story_of(const Report& report, size_t max_bytes);

// Whether the record is the answer to the dialog that was recorded before it.
bool is_answer_to(const event::Dialog& dialog, const event::Dialog& before);

}  // namespace orch::report
