#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "term/cell.h"
#include "term/intern_table.h"
#include "term/pen.h"

namespace orch::term {

inline constexpr uint32_t kMaxStyles = 65536;  // as many as a StyleId can number

struct PenHash {
  size_t operator()(const Pen& pen) const {
    // Multiplicative hashing with the golden ratio and another odd number; the upper bits are mixed
    // best.
    const auto [colors, attributes] = pen.words();
    return (colors ^ attributes * 0xC2B2AE3D27D4EB4FULL) * 0x9E3779B97F4A7C15ULL;
  }
};

using StyleTable = InternTable<Pen, PenHash>;

// A direct-mapped cache of the ids of the last pens. It also holds the pens, because a look into
// their table costs the engine two instructions of a hundred.
class PenCache {
 public:
  // Returns nullptr if the pen is not in the cache.
  const StyleId* find(const Pen& pen) const {
    const Entry& entry = entries_[index(pen)];
    const auto [colors, attributes] = pen.words();
    return ((entry.colors ^ colors) | (entry.attributes ^ attributes)) == 0 ? &entry.id : nullptr;
  }
  void keep(const Pen& pen, StyleId id) {
    const auto [colors, attributes] = pen.words();
    entries_[index(pen)] = {colors, static_cast<uint32_t>(attributes), id};
  }
  void clear() { entries_ = {}; }  // when the table has new ids

 private:
  // An unused entry is the default pen with its id 0, so it needs no mark. Each screen has a cache,
  // so an entry is half as large as with a Pen, whose last word is never used.
  struct Entry {
    uint64_t colors = 0;
    uint32_t attributes = 0;
    StyleId id = 0;
  };
  static size_t index(const Pen& pen) {
    const auto [colors, attributes] = pen.words();
    return (colors ^ attributes << 24) * 0x9E3779B97F4A7C15ULL >> (64 - kIndexBits);
  }
  static constexpr int kIndexBits = 8;
  std::array<Entry, size_t{1} << kIndexBits> entries_{};
};

}  // namespace orch::term
