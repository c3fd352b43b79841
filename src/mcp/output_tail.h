#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orch::mcp {

// The end of what a command wrote, of which the beginning may be left out.
class OutputTail {
 public:
  explicit OutputTail(size_t most) : most_(most) {}

  void add(std::string_view bytes);

  // At most `most` bytes of it, and a line that says so where something is left out. Valid UTF-8
  // without control characters but line feed and tab; what is invisible is written out.
  std::string text() const;

 private:
  size_t most_;
  std::string bytes_;  // at most twice as many
  bool is_cut_ = false;
};

}  // namespace orch::mcp
