#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace orch::repo {

// A checksum (XXH64) of bytes that come piece by piece. It tells damage by a disk; whoever wants to
// deceive can make two files of one checksum.
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
