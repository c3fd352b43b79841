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

// Reads a footer of --help. Indented lines are literal; a line such as "Exit codes:" by itself is
// the heading of the lines after it; everything else is paragraphs, which end at an empty line.
std::vector<FooterBlock> read_footer(std::string_view footer);

}  // namespace orch::cli
