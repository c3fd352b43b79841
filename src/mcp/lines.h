#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace orch::mcp {

// A longer message is refused.
inline constexpr size_t kMaxLineBytes = size_t{4} << 20;

// Splits what a client writes into lines. Nothing is kept of a line that is too long, so memory
// never exceeds `most` bytes. Text after the last line feed is not a line yet.
class LineReader {
 public:
  struct Told {
    std::function<void(std::string_view line)> line;  // without its LF or CRLF
    std::function<void()> too_long;                   // called at the end of such a line
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
