#include "term/sgr_cache.h"

#include <memory>
#include <utility>

#include "term/fields.h"

namespace orch::term {

SgrCache& SgrCache::of_this_thread() {
  // Not in the thread's own storage, which each thread pays for whether it feeds a screen or not.
  thread_local const auto kCache = std::make_unique<SgrCache>();
  return *kCache;
}

// Learns a new sequence by trying it: because f(pen) = (pen & keep) | set, f(all ones) serves as
// keep and f(0) is set.
bool SgrCache::bring_first(const char* fields, size_t length, Entry* pair) {
  const Portable::Key key = Portable::key(fields, length);
  std::swap(pair[0], pair[1]);
  if (Portable::same(pair[0].key, key)) return true;
  ControlSequence sequence;
  if (!read_fields(fields, length, sequence)) return false;
  pair[0] = {key, {~0U, ~0U, ~0U}, {}};
  apply_sgr(sequence, pair[0].keep);
  apply_sgr(sequence, pair[0].set);
  return true;
}

}  // namespace orch::term
