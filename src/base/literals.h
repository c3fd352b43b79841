#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orch::base {

// Literals for an expression (RE2 syntax): every text that matches it contains at least one. Empty
// if none are known, which says nothing about the expression. They apply to text from frame_text():
// ASCII letters are lower case there, and "\n" is before the first and after the last character, so
// that anchors are part of the literals ("\n● " for "^● ").
std::vector<std::string> required_literals(std::string_view expression);

// Writes to `out` the text in the form that literals apply to, with padding that LiteralScan needs
// at the end.
void frame_text(std::string_view text, std::string& out);

// Finds out whether a framed text contains any of a set of literals, in one pass over it. A
// position is a candidate if its first four bytes may begin a literal; candidates are compared in
// full.
class LiteralScan {
 public:
  void add(const std::vector<std::string>& literals);
  bool any_in(std::string_view framed) const;

  static constexpr size_t kWindow = 4;
  static constexpr char kAnyHigh = '\xff';  // in a literal: any byte >= 0x80

 private:
  static constexpr size_t kGroups = 64;  // of literals, in the order of their addition

  // Groups with a literal that may have this byte at this place.
  std::array<std::array<uint64_t, 256>, kWindow> groups_at_{};
  std::array<std::vector<std::string>, kGroups> literals_;
  size_t added_ = 0;
};

}  // namespace orch::base
