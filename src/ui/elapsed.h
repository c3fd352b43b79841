#pragma once

#include <cstdint>
#include <string>

namespace orch::ui {

// How long something has lasted, for people: "12s", "3m05s", "2h10m", "3d04h".
std::string elapsed_text(int64_t ms);

}  // namespace orch::ui
