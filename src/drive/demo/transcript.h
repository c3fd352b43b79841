#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "demo/line.h"

namespace orch::demo {

enum class EntryKind : uint8_t {
  kBanner,
  kUser,    // » text
  kSaid,    // ● text
  kTool,    // ● Name(arguments)
  kResult,  //   ⎿ text, right below the entry before it
  kFailed,  // ● API Error: ...
  kWorked,  // ✻ Worked for 3s
};

// Everything that was said and done, laid out in rows of the current width. Only the last entry can
// change.
class Transcript {
 public:
  explicit Transcript(int width) : width_(width) {}

  void add(EntryKind kind, std::string_view text);
  void append(std::string_view text);   // to the last entry; must be whole characters
  void replace(std::string_view text);  // replaces the last entry's text
  void clear();
  void set_width(int width);

  const std::vector<Line>& rows() const { return rows_; }

 private:
  struct Entry {
    EntryKind kind;
    std::string text;  // drawable
  };

  void lay_out(const Entry& entry);
  void lay_out_line(const Entry& entry, size_t begin);  // lays out the text from `begin` on

  int width_;
  std::vector<Entry> entries_;
  std::vector<Line> rows_;
  size_t entry_row_ = 0;  // the first row of the last entry
  // The beginning of the last entry's last line, which append() lays out again:
  size_t line_begin_ = 0;  // in its text
  size_t line_row_ = 0;
};

}  // namespace orch::demo
