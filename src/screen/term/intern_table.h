#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/check.h"

namespace orch::term {

// Keeps each value once and gives it a small id; id 0 is the value-initialised one. It forgets
// nothing by itself: when it is full its owner marks the ids that are still in use and calls
// compact(). Memory follows use: the capacity doubles, up to `max`, only if more than half of it is
// in use after compaction.
template <class Value, class Hash>
class InternTable {
 public:
  InternTable(uint32_t initial, uint32_t max) : capacity_(initial), max_(max) { rehash({Value{}}); }

  const Value& operator[](uint32_t id) const { return values_[id]; }
  uint32_t size() const { return static_cast<uint32_t>(values_.size()); }

  // Returns nullopt if the table is full.
  std::optional<uint32_t> find_or_add(const Value& value) {
    size_t slot = slot_of(value);
    for (; slots_[slot] != kFree; slot = (slot + 1) & mask_) {
      if (values_[slots_[slot]] == value) return slots_[slot];
    }
    return add(value, slot);
  }

  // False while compaction could gain little. Compaction costs a walk over all cells, so a table
  // whose every value is in use is compacted again only after new values for a quarter of its
  // capacity were asked for.
  bool worth_compacting() const { return asked_ >= capacity_ / 4; }

  // Keeps id 0 and the ids with in_use[id]. Returns the new id for each old one, 0 for forgotten
  // ones.
  std::vector<uint32_t> compact(const std::vector<bool>& in_use) {
    ORCH_CHECK(in_use.size() == values_.size());
    std::vector<uint32_t> renamed(values_.size(), 0);
    std::vector<Value> kept{values_.front()};
    for (uint32_t id = 1; id < size(); ++id) {
      if (!in_use[id]) continue;
      renamed[id] = static_cast<uint32_t>(kept.size());
      kept.push_back(values_[id]);
    }
    if (kept.size() > capacity_ / 2 && capacity_ < max_) capacity_ *= 2;
    rehash(std::move(kept));
    return renamed;
  }

 private:
  static constexpr uint32_t kFree = 0xFFFFFFFF;

  size_t slot_of(const Value& value) const { return Hash{}(value) >> 32 & mask_; }

  std::optional<uint32_t> add(const Value& value, size_t slot) {
    ++asked_;
    if (size() == capacity_) return std::nullopt;
    slots_[slot] = size();
    values_.push_back(value);
    return slots_[slot];
  }

  void rehash(std::vector<Value> values) {
    values_ = std::move(values);
    slots_.assign(2 * static_cast<size_t>(capacity_), kFree);
    mask_ = slots_.size() - 1;
    asked_ = 0;
    for (uint32_t id = 0; id < size(); ++id) {
      size_t slot = slot_of(values_[id]);
      while (slots_[slot] != kFree) slot = (slot + 1) & mask_;
      slots_[slot] = id;
    }
  }

  uint32_t capacity_, max_;  // powers of two
  uint32_t asked_ = 0;       // new values asked for since the last compaction
  size_t mask_ = 0;
  std::vector<Value> values_;    // by id
  std::vector<uint32_t> slots_;  // open addressing, at most half full
};

}  // namespace orch::term
