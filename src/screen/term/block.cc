#include "term/block.h"

#include <cstring>

#include "base/text.h"

namespace orch::term {

void Block::refill(std::string_view& bytes) {
  char* const begin = bytes_.data() + kLead;
  std::memmove(begin, end(), cut_);
  const size_t taken = bytes.copy(begin + cut_, kBytes - cut_);
  bytes.remove_prefix(taken);
  const size_t all = cut_ + taken;
  cut_ = base::incomplete_utf8_tail({begin, all});
  size_ = all - cut_;
  std::memset(begin + all, 0, kPadding);
}

}  // namespace orch::term
