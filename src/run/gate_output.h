#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orch::run {

// What a gate wrote, as text that can be shown to anybody: without escape sequences and control
// characters but the line feed and the tab, a carriage return being the end of a line. Takes as
// much memory as its limits say, whatever comes. Pure.
class GateOutput {
 public:
  // Of what is longer the beginning and the end are kept.
  static constexpr size_t kHeadBytes = size_t{256} << 10, kTailBytes = size_t{768} << 10;
  // What is told of it: the last lines.
  static constexpr size_t kToldBytes = 3'000, kToldLines = 60;

  void feed(std::string_view bytes);

  // Valid UTF-8. Where something is left out, a line says how much.
  std::string text() const;
  // The end, from the beginning of a line on where there is one; without blank lines around it.
  std::string tail() const;

 private:
  enum class State : uint8_t { kText, kReturn, kEscape, kControl, kString, kStringEscape };
  void take(char byte);
  void keep(char byte);

  State state_ = State::kText;
  std::string head_;
  std::string tail_;  // at most twice its limit before it is cut
  size_t left_out_ = 0;
};

}  // namespace orch::run
