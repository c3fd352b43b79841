#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orch::run {

// Turns the output of a gate into text that is safe to show: without escape sequences, and without
// control characters except line feed and tab. A carriage return ends a line. However much output
// comes, the memory that it takes is bounded.
class GateOutput {
 public:
  // Of longer output only the beginning and the end are kept.
  static constexpr size_t kHeadBytes = size_t{256} << 10, kTailBytes = size_t{768} << 10;
  // The most that tail() returns.
  static constexpr size_t kToldBytes = 3'000, kToldLines = 60;

  void feed(std::string_view bytes);

  // The output as valid UTF-8. A line says how many bytes were left out, if any.
  std::string text() const;
  // The end of the output, without blank lines around it. It begins at the beginning of a line,
  // unless a single line is longer than kToldBytes.
  std::string tail() const;

 private:
  enum class State : uint8_t { kText, kReturn, kEscape, kControl, kString, kStringEscape };
  void take(char byte);
  void keep(char byte);

  State state_ = State::kText;
  std::string head_;
  std::string tail_;     // cut to kTailBytes whenever it reaches twice that
  size_t left_out_ = 0;  // bytes between head_ and tail_
};

}  // namespace orch::run
