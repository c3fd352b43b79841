#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace orch::term {

// The piece of output that is being read: a copy with zeros behind it, so that many bytes can be
// looked at at once wherever one stands. It ends between two characters; the bytes of one that was
// cut come first in the next.
class Block {
 public:
  static constexpr size_t kBytes = 4096;  // what one read of a pty gives
  static constexpr size_t kPadding = 64;  // how far beyond end() may be read
  static constexpr size_t kLead = 32;     // ... and before begin(), which is a multiple of it

  // Takes the next piece off `bytes`, which is not empty.
  void refill(std::string_view& bytes);

  const char* begin() const { return bytes_.data() + kLead; }
  const char* end() const { return begin() + size_; }
  // The bytes of a cut character, which come first in the next piece.
  std::string_view cut() const { return {end(), cut_}; }

 private:
  size_t size_ = 0;
  size_t cut_ = 0;  // bytes behind the end
  alignas(kLead) std::array<char, kLead + kBytes + kPadding> bytes_{};
};

}  // namespace orch::term
