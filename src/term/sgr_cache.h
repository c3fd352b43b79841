#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "term/fast_sequence.h"
#include "term/sgr.h"

namespace orch::term {

// Remembers what SGR sequences do. An application sends few different ones, over and over, and each
// keeps some bits of the pen and sets others whatever the pen is, so the fields' bytes can stand
// for that effect. Direct-mapped: a new sequence takes the place of the one it collides with.
class SgrCache {
 public:
  // What "CSI <fields> m" does to `pen`. `fields` are `length` < 32 bytes of digits and semicolons,
  // and 32 bytes are readable there.
  void apply(const char* fields, int length, Pen& pen) {
    const FieldBytes key(fields, length);
    Entry& entry = entries_[key.hash() % kEntries];
    if (!(entry.key == key)) entry = {key, effect_of(fields, length)};
    pen.fg = (pen.fg & entry.effect.keep.fg) | entry.effect.set.fg;
    pen.bg = (pen.bg & entry.effect.keep.bg) | entry.effect.set.bg;
    pen.attributes = (pen.attributes & entry.effect.keep.attributes) | entry.effect.set.attributes;
  }

 private:
  static constexpr size_t kEntries = 1024;

  struct Effect {
    Pen keep, set;
  };
  // An empty key is "CSI m", whose effect is Effect{}: a new cache needs no mark for unused
  // entries.
  struct alignas(64) Entry {
    FieldBytes key;
    Effect effect;
  };

  static Effect effect_of(const char* fields, int length);

  std::array<Entry, kEntries> entries_{};
};

}  // namespace orch::term
