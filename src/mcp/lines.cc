#include "mcp/lines.h"

#include <utility>

namespace orch::mcp {

void LineReader::read(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    is_too_long_ = is_too_long_ || part.size() > most_ - line_.size();
    if (is_too_long_) {
      line_ = {};
    } else {
      line_ += part;
    }
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    end_line();
  }
}

void LineReader::end_line() {
  std::string line = std::exchange(line_, {});
  if (std::exchange(is_too_long_, false)) return told_.too_long();
  if (line.ends_with('\r')) line.pop_back();
  told_.line(line);
}

}  // namespace orch::mcp
