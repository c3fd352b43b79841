#include "mask/stream_masker.h"

#include <algorithm>
#include <utility>

#include "mask/text.h"

namespace orch::mask {

std::string StreamMasker::pass(std::string_view bytes) {
  marker_.feed(bytes);
  held_.append(bytes);
  cover_found();
  const auto settled = static_cast<size_t>(std::max(marker_.settled(), begin_) - begin_);
  std::string out = held_.substr(0, settled);
  held_.erase(0, settled);
  begin_ += settled;
  return out;
}

std::string StreamMasker::release() {
  begin_ += held_.size();
  return std::exchange(held_, {});
}

// If the beginning of a secret was released already, the rest of it is covered.
void StreamMasker::cover_found() {
  for (const Span& span : joined(marker_.take_spans())) {
    if (span.to <= begin_) continue;
    cover(held_, static_cast<size_t>(std::max(span.from, begin_) - begin_),
          static_cast<size_t>(span.to - begin_));
  }
}

}  // namespace orch::mask
