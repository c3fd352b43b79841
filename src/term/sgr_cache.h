#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "term/sgr.h"
#include "term/simd/kernels.h"

namespace orch::term {

// Remembers what SGR sequences do. An application sends few different ones, over and over, and each
// keeps some bits of the pen and sets others whatever the pen is, so the fields' bytes can stand
// for that effect. Each has two places, the one used last in the first; a new one takes the place
// of the other.
class SgrCache {
 public:
  // Does to `pen` what the sequence does whose fields are the `length` bytes at `fields`, with an m
  // behind them; false when it is no plain sequence.
  template <class Kernels>
  bool apply(Kernels, const char* fields, size_t length, Pen& pen) {
    const Portable::Key key = Kernels::key(fields, length);
    Entry* const pair = &entries_[Kernels::hash(key) >> (64 - kIndexBits) << 1];
    Entry& entry = pair[0];
    if (!Kernels::same(entry.key, key)) [[unlikely]] {
      if (!bring_first(fields, length, pair)) return false;
    }
    Kernels::change(pen, entry.keep, entry.set);
    return true;
  }

 private:
  static constexpr int kIndexBits = 9;

  // An empty key is "CSI m", which keeps and sets nothing: a new cache needs no mark for unused
  // entries.
  struct alignas(64) Entry {
    Portable::Key key;
    Pen keep, set;
  };

  [[gnu::noinline]] static bool bring_first(const char* fields, size_t length, Entry* pair);

  std::array<Entry, size_t{2} << kIndexBits> entries_{};
};

}  // namespace orch::term
