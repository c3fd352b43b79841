#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::cli {

// A part of the text below a command's options.
struct FooterBlock {
  std::string heading;             // "Exit codes"; "" for none
  std::vector<std::string> lines;  // without the indentation that all of them have
  bool literal = false;            // its lines stand as they are, as in an example

  bool operator==(const FooterBlock&) const = default;
};

// Reads a footer as it is shown by --help. Indented lines are literal; a line alone such as
// "Exit codes:" is the heading of what follows; all else are paragraphs, which end at an empty
// line.
std::vector<FooterBlock> read_footer(std::string_view footer);

}  // namespace orch::cli
