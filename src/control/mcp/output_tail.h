#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orch::mcp {

// The end of a command's output; the beginning may be left out.
class OutputTail {
 public:
  explicit OutputTail(size_t most) : most_(most) {}

  void add(std::string_view bytes);

  // At most `most` bytes of the output's end, with a line before it if something is left out. It is
  // valid UTF-8 without control characters except line feed and tab; invisible characters are
  // written out.
  std::string text() const;

 private:
  size_t most_;
  std::string bytes_;  // at most twice as many as most_
  bool is_cut_ = false;
};

}  // namespace orch::mcp
