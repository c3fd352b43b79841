#include "term/sgr_cache.h"

namespace orch::term {

// f(pen) = (pen & keep) | set, so f(all ones) serves as keep and f(0) is set.
bool SgrCache::learn(const char* fields, int length, const FieldBytes& key, Entry& entry) {
  ControlSequence sequence;
  if (!read_fields(fields, length, sequence)) return false;
  Effect effect{{~0U, ~0U, ~0U}, {}};
  apply_sgr(sequence, effect.keep);
  apply_sgr(sequence, effect.set);
  entry = {key, effect};
  return true;
}

}  // namespace orch::term
