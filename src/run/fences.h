#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace orch::run {

// "- one", "12. twelve": whether a line without blanks before it begins an item of a list.
bool begins_list_item(std::string_view line);

// Which lines of a Markdown text stand in a fenced block, by CommonMark 0.30, 4.5 and 5.2: a fence
// is indented by at most three columns more than the list item that it stands in, and one of
// backquotes has none behind it in its line; it ends with a fence as long of the same mark, or with
// its list item. Fences within a quotation are left out: nothing in a quotation counts.
class Fences {
 public:
  void on_line(std::string_view line);
  // The last line is in a fenced block, or begins one.
  bool open() const { return length_ > 0; }

 private:
  bool closes(std::string_view text, size_t indent) const;
  void begin(std::string_view text);

  std::vector<size_t> items_;  // columns at which the text begins of the list items around the line
  char mark_ = 0;
  size_t length_ = 0;  // 0: no fence is open
  size_t item_ = 0;    // the column of the list item that the fence stands in
};

}  // namespace orch::run
