#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace orch::repo {

// A checksum (XXH64) of bytes that come piece by piece. It detects damage by a disk, but no
// manipulation: it is easy to make two files with one checksum.
class Checksum {
 public:
  Checksum();
  ~Checksum();
  void add(std::string_view bytes);
  uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace orch::repo
