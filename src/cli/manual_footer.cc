#include "cli/manual_footer.h"

#include <algorithm>

#include "base/text.h"

namespace orch::cli {
namespace {

bool is_indented(std::string_view line) { return line.starts_with(' '); }

// "Examples:", "Exit codes:"; a sentence that ends in a colon is longer, or has a comma or the
// like.
bool is_heading(std::string_view line) {
  if (!line.ends_with(':') || line.front() < 'A' || line.front() > 'Z') return false;
  line.remove_suffix(1);
  return base::split_at_blanks(line).size() <= 3 &&
         std::all_of(line.begin(), line.end(), [](char c) {
           return c == ' ' || ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z');
         });
}

void remove_indentation(std::vector<std::string>& lines) {
  size_t least = std::string::npos;
  for (const std::string& line : lines) least = std::min(least, line.find_first_not_of(' '));
  for (std::string& line : lines) line.erase(0, std::min(least, line.size()));
}

// Puts the blocks together line by line.
class Reader {
 public:
  void read(std::string_view line) {
    if (base::trim(line).empty()) {
      ++empty_lines_;
    } else if (is_indented(line)) {
      read_literal(line);
    } else {
      if (block_.literal || empty_lines_ > 0) finish();
      if (block_.lines.empty() && block_.heading.empty() && is_heading(line)) {
        block_.heading = line.substr(0, line.size() - 1);
      } else {
        block_.lines.emplace_back(line);
      }
    }
    if (!base::trim(line).empty()) empty_lines_ = 0;
  }

  std::vector<FooterBlock> take() {
    finish();
    return std::move(blocks_);
  }

 private:
  void read_literal(std::string_view line) {
    if (!block_.literal && !block_.lines.empty()) finish();
    if (block_.literal) block_.lines.resize(block_.lines.size() + empty_lines_);
    block_.literal = true;
    block_.lines.emplace_back(line);
  }

  void finish() {
    if (block_.literal) remove_indentation(block_.lines);
    if (!block_.lines.empty() || !block_.heading.empty()) blocks_.push_back(std::move(block_));
    block_ = {};
  }

  std::vector<FooterBlock> blocks_;
  FooterBlock block_;
  size_t empty_lines_ = 0;
};

}  // namespace

std::vector<FooterBlock> read_footer(std::string_view footer) {
  Reader reader;
  for (const std::string_view line : base::split_lines(footer)) reader.read(line);
  return reader.take();
}

}  // namespace orch::cli
