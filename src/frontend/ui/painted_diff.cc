#include "ui/painted_diff.h"

#include <charconv>
#include <cstdint>

#include "base/text.h"
#include "ui/color.h"

namespace orch::ui {
namespace {

// The lines of the old and of the new file that are left in a hunk.
struct Rest {
  int64_t removed = 0, added = 0;
  bool inside() const { return removed > 0 || added > 0; }
};

// Parses "12" or "12,3" and removes it; returns how many lines it means.
int64_t take_count(std::string_view& text) {
  int64_t first = 0, count = 1;
  const char* const end = text.data() + text.size();
  const char* at = std::from_chars(text.data(), end, first).ptr;
  if (at != end && *at == ',') at = std::from_chars(at + 1, end, count).ptr;
  text.remove_prefix(static_cast<size_t>(at - text.data()));
  return count;
}

// The line counts in a line "@@ -1,3 +1,4 @@ ...".
Rest promised(std::string_view line) {
  constexpr std::string_view kOld = "@@ -", kNew = " +";
  Rest rest;
  if (!line.starts_with(kOld)) return rest;
  line.remove_prefix(kOld.size());
  rest.removed = take_count(line);
  if (!line.starts_with(kNew)) return {};
  line.remove_prefix(kNew.size());
  rest.added = take_count(line);
  return rest;
}

Color take_line(std::string_view line, Rest& rest) {
  const char mark = line.empty() ? ' ' : line.front();
  if (!rest.inside()) {
    rest = promised(line);
    return rest.inside() ? Color::kYellow : Color::kDim;
  }
  if (mark == '-') return --rest.removed, Color::kRed;
  if (mark == '+') return --rest.added, Color::kGreen;
  if (mark == ' ') --rest.removed, --rest.added;
  return Color::kPlain;  // also "\ No newline at end of file"
}

}  // namespace

std::string painted_diff(std::string_view patch, bool in_color) {
  std::string out;
  out.reserve(patch.size());
  Rest rest;
  for (const std::string_view line : base::split_lines(patch)) {
    const Color color = take_line(line, rest);
    out += colored(base::printable(line), color, in_color);
    out += '\n';
  }
  return out;
}

}  // namespace orch::ui
