#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orch::base {

// Literals of which every text that matches `expression` (RE2 syntax) holds at least one; empty
// when none are known, which says nothing about the expression. They are over framed() text: ASCII
// letters are small, and "\n" stands before the first and after the last character, so that anchors
// are part of the literals ("\n● " for "^● ").
std::vector<std::string> required_literals(std::string_view expression);

// The text as the literals see it, in `out`, and room for the scan to read on.
void frame_text(std::string_view text, std::string& out);

// Tells whether a framed text holds any of a set of literals, in one pass over it. A position is
// a candidate when its first four bytes may begin a literal; candidates are compared in full.
class LiteralScan {
 public:
  void add(const std::vector<std::string>& literals);
  bool any_in(std::string_view framed) const;

  static constexpr size_t kWindow = 4;
  static constexpr char kAnyHigh = '\xff';  // in a literal: any byte from 0x80 on

 private:
  static constexpr size_t kGroups = 64;  // of literals, by the order in which they were added

  std::array<std::array<uint64_t, 256>, kWindow> groups_at_{};  // that may have a byte there
  std::array<std::vector<std::string>, kGroups> literals_;
  size_t added_ = 0;
};

}  // namespace orch::base
