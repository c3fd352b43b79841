#include "term/block.h"

#include <cstring>

#include "base/text.h"

namespace orch::term {

void Block::refill(std::string_view& bytes) {
  std::memmove(bytes_.data(), end(), cut_);
  const size_t taken = bytes.copy(bytes_.data() + cut_, kBytes - cut_);
  bytes.remove_prefix(taken);
  const size_t all = cut_ + taken;
  cut_ = base::incomplete_utf8_tail({bytes_.data(), all});
  size_ = all - cut_;
  std::memset(bytes_.data() + all, 0, kPadding);
}

}  // namespace orch::term
