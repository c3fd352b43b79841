#include "ui/elapsed.h"

#include <fmt/format.h>

namespace orch::ui {

std::string elapsed_text(int64_t ms) {
  const int64_t s = ms / 1000;
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  if (s < 86'400) return fmt::format("{}h{:02}m", s / 3600, s / 60 % 60);
  return fmt::format("{}d{:02}h", s / 86'400, s / 3600 % 24);
}

}  // namespace orch::ui
