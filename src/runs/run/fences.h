#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace orch::run {

// Whether a line, which must not begin with blanks, begins a list item: "- one", "12. twelve".
bool begins_list_item(std::string_view line);

// Finds the lines of a Markdown text that are in a fenced block, by CommonMark 0.30, sections 4.5
// and 5.2. A fence is indented by at most three columns more than the list item that contains it. A
// fence of backquotes has no backquotes after it in its line. The block ends with a fence of the
// same character that is at least as long, or with its list item. Fences in a quotation are not
// found, because nothing in a quotation counts.
class Fences {
 public:
  void on_line(std::string_view line);
  // Whether the last line is in a fenced block or begins one.
  bool open() const { return length_ > 0; }

 private:
  bool closes(std::string_view text, size_t indent) const;
  void begin(std::string_view text);

  std::vector<size_t> items_;  // for each list item around the line, the column of its text
  char mark_ = 0;              // the character of the open fence
  size_t length_ = 0;          // the length of the open fence; 0: no fence is open
  size_t item_ = 0;            // the column of the text of the list item that contains the fence
};

}  // namespace orch::run
