#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace orch::mcp {

// A message that is longer is refused.
inline constexpr size_t kMaxLineBytes = size_t{4} << 20;

// Cuts what a client writes into lines. Of one that is too long nothing is kept, so that memory
// never grows beyond `most` bytes. What follows the last line feed is no line.
class LineReader {
 public:
  struct Told {
    std::function<void(std::string_view line)> line;  // without its LF or CRLF
    std::function<void()> too_long;                   // at the end of such a line
  };
  explicit LineReader(Told told, size_t most = kMaxLineBytes)
      : told_(std::move(told)), most_(most) {}

  void read(std::string_view bytes);

 private:
  void end_line();

  Told told_;
  size_t most_;
  std::string line_;
  bool is_too_long_ = false;
};

}  // namespace orch::mcp
