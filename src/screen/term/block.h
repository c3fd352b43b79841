#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace orch::term {

// A copy of the piece of output that is being parsed, with zeros behind it, so that vector
// instructions can read many bytes at once at any position. It ends between two characters: the
// bytes of a character that was cut go to the beginning of the next piece.
class Block {
 public:
  static constexpr size_t kBytes = 4096;  // as much as one read of a pty returns
  static constexpr size_t kPadding = 64;  // how far beyond end() may be read
  // how far before begin() may be read; begin() is a multiple of it
  static constexpr size_t kLead = 32;

  // Takes the next piece off `bytes`, which is not empty.
  void refill(std::string_view& bytes);

  const char* begin() const { return bytes_.data() + kLead; }
  const char* end() const { return begin() + size_; }
  // The bytes of a cut character, which will come first in the next piece.
  std::string_view cut() const { return {end(), cut_}; }

 private:
  size_t size_ = 0;
  size_t cut_ = 0;  // bytes of a cut character behind end()
  alignas(kLead) std::array<char, kLead + kBytes + kPadding> bytes_{};
};

}  // namespace orch::term
