#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "term/sgr.h"
#include "term/simd/kernels.h"

namespace orch::term {

// Remembers the effects of SGR sequences. An application sends only a few different ones, over and
// over, and the effect of each is to keep some bits of the pen and to set others, whatever the pen
// is; so the bytes of its fields can be the key for that effect. Each key has two places; the first
// holds the one used last, and a new key replaces the other one. It takes 64 KB, so all screens
// that a thread feeds share one.
class SgrCache {
 public:
  // Made when a thread first asks for it; lives as long as the thread.
  static SgrCache& of_this_thread();

  // Applies to `pen` the sequence whose fields are the `length` bytes at `fields`, followed by an
  // m. Returns false if the sequence is not plain.
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

  // The empty key belongs to "CSI m", which keeps and sets nothing. A zeroed entry means the same,
  // so unused entries need no mark.
  struct alignas(64) Entry {
    Portable::Key key;
    Pen keep, set;
  };

  [[gnu::noinline]] static bool bring_first(const char* fields, size_t length, Entry* pair);

  std::array<Entry, size_t{2} << kIndexBits> entries_{};
};

}  // namespace orch::term
