#pragma once

#include <string_view>

#include "base/result.h"

namespace orch::options {

struct TerminalSize {
  static constexpr int kMaxCols = 1000, kMaxRows = 1000;  // the same as a screen's

  int cols = 0, rows = 0;
  bool operator==(const TerminalSize&) const = default;
};

// Parses "120x40", columns and rows, at least 20x5. An error says what to write.
base::Result<TerminalSize> parse_terminal_size(std::string_view text);

}  // namespace orch::options
