#include "term/sgr_cache.h"

namespace orch::term {

// f(pen) = (pen & keep) | set, so f(all ones) serves as keep and f(0) is set.
SgrCache::Effect SgrCache::effect_of(const char* fields, int length) {
  ControlSequence sequence;
  read_fields(fields, length, sequence);
  Effect effect{{~0U, ~0U, ~0U}, {}};
  apply_sgr(sequence, effect.keep);
  apply_sgr(sequence, effect.set);
  return effect;
}

}  // namespace orch::term
