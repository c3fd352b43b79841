#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace orch::term {

// The flags of the kitty keyboard protocol (https://sw.kovidgoyal.net/kitty/keyboard-protocol).
// Each of the two screens keeps its own. A push beyond kMaxDepth forgets the oldest entry.
class KeyboardFlags {
 public:
  static constexpr size_t kMaxDepth = 16;
  static constexpr int kAllFlags = 31;

  uint8_t current() const { return current_; }
  // The flags that pops will restore, the oldest first.
  std::span<const uint8_t> below() const { return {below_.data(), depth_}; }

  void push(int flags) {
    if (depth_ == kMaxDepth) {
      for (size_t i = 1; i < kMaxDepth; ++i) below_[i - 1] = below_[i];
      --depth_;
    }
    below_[depth_++] = current_;
    current_ = static_cast<uint8_t>(flags & kAllFlags);
  }

  void pop(int count) {
    for (; count > 0 && depth_ > 0; --count) current_ = below_[--depth_];
    if (count > 0) current_ = 0;
  }

  // `how`: 1 replaces the flags, 2 adds, 3 takes away.
  void set(int flags, int how) {
    const int given = flags & kAllFlags;
    const int result = how == 1 ? given : how == 2 ? current_ | given : current_ & ~given;
    current_ = static_cast<uint8_t>(result);
  }

 private:
  std::array<uint8_t, kMaxDepth> below_{};
  size_t depth_ = 0;
  uint8_t current_ = 0;
};

}  // namespace orch::term
