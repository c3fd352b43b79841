#include "demo/late_output.h"

#include <utility>

namespace orch::demo {

void LateOutput::add(std::string bytes, int64_t now_ms) {
  if (!bytes.empty()) pieces_.push_back({now_ms + lag_ms_, std::move(bytes)});
}

std::string LateOutput::take(int64_t now_ms) {
  std::string bytes;
  while (!pieces_.empty() && pieces_.front().due_ms <= now_ms) {
    bytes += pieces_.front().bytes;
    pieces_.pop_front();
  }
  return bytes;
}

std::optional<int64_t> LateOutput::deadline() const {
  if (pieces_.empty()) return std::nullopt;
  return pieces_.front().due_ms;
}

}  // namespace orch::demo
