#pragma once

#include <cstdint>
#include <string>

namespace orch::ui {

// How long something has lasted, for people: "12s", "3m05s", "2h10m", "3d04h".
std::string elapsed_text(int64_t ms);
// The same for sentences: "23 s", "3 min 5 s", "2 h 10 min", "3 d 4 h".
std::string elapsed_words(int64_t ms);
// A time in the form of store/time_text.h, converted to the user's time zone: "2026-11-27
// 14:10:43". Other text is returned unchanged.
std::string local_time_text(const std::string& rfc3339);

}  // namespace orch::ui
