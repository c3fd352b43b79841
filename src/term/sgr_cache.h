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
  // Does to `pen` what the sequence does whose fields are the `length` < 32 bytes at `fields`, with
  // an m behind them; false when it is no plain sequence. Reads as far as read_fields.
  bool apply(const char* fields, int length, Pen& pen) {
    const FieldBytes key(fields, length);
    Entry& entry = entries_[key.hash() % kEntries];
    if (!(entry.key == key) && !learn(fields, length, key, entry)) return false;
    pen.fg = (pen.fg & entry.effect.keep.fg) | entry.effect.set.fg;
    pen.bg = (pen.bg & entry.effect.keep.bg) | entry.effect.set.bg;
    pen.attributes = (pen.attributes & entry.effect.keep.attributes) | entry.effect.set.attributes;
    return true;
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

  static bool learn(const char* fields, int length, const FieldBytes& key, Entry& entry);

  std::array<Entry, kEntries> entries_{};
};

}  // namespace orch::term
