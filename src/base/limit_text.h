#pragma once

#include <cstdint>
#include <string>

namespace orch::base {

// A time limit for messages: "15 s", "700 ms".
inline std::string limit_text(int64_t ms) {
  return ms % 1'000 == 0 ? std::to_string(ms / 1'000) + " s" : std::to_string(ms) + " ms";
}

}  // namespace orch::base
