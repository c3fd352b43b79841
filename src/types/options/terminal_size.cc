#include "options/terminal_size.h"

#include <charconv>
#include <string>

namespace orch::options {

base::Result<TerminalSize> parse_terminal_size(std::string_view text) {
  TerminalSize size;
  const char* end = text.data() + text.size();
  const auto [x, first] = std::from_chars(text.data(), end, size.cols);
  const bool has_x = first == std::errc() && x != end && *x == 'x';
  const auto [rest, second] = std::from_chars(has_x ? x + 1 : end, end, size.rows);
  if (!has_x || second != std::errc() || rest != end) {
    return base::usage_error("write COLSxROWS, like 120x40");
  }
  if (size.cols < 20 || size.rows < 5 || size.cols > size.kMaxCols || size.rows > size.kMaxRows) {
    return base::usage_error("write a size from 20x5 to " + std::to_string(size.kMaxCols) + "x" +
                             std::to_string(size.kMaxRows));
  }
  return size;
}

}  // namespace orch::options
