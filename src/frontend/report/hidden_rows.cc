#include "report/hidden_rows.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "mask/text.h"
#include "term/svg.h"

namespace orch::report {
namespace {

// The offset in bytes of the character with this number.
size_t begin_of(std::string_view text, int number) {
  size_t at = 0;
  for (; number > 0 && at < text.size(); --number) at += base::decode_utf8(text.substr(at)).length;
  return at;
}

// Covers the part of a run that is in columns [from, to).
void cover_run(term::PaintedRun& run, int from, int to) {
  from = std::max(from, run.col);
  to = std::min(to, run.col + run.cols);
  if (from >= to) return;
  if (run.one_character) {
    run.text = run.cols == 2 ? "＊" : "*";
  } else {
    mask::cover(run.text, begin_of(run.text, from - run.col), begin_of(run.text, to - run.col));
  }
}

}  // namespace

std::map<int, std::vector<term::PaintedRun>> hidden_rows(
    const term::Screen& screen, const std::shared_ptr<const mask::Secrets>& secrets,
    const std::vector<mask::Cells>& also) {
  std::map<int, std::vector<term::PaintedRun>> hidden;
  std::vector<mask::Cells> cells = mask::find_on(secrets, screen);
  cells.insert(cells.end(), also.begin(), also.end());
  for (const auto& [row, from, to] : cells) {
    const auto [entry, is_new] = hidden.try_emplace(row);
    if (is_new) entry->second = term::painted_row(screen, row);
    for (term::PaintedRun& run : entry->second) cover_run(run, from, to);
  }
  return hidden;
}

std::string masked_svg(const term::Screen& screen,
                       const std::shared_ptr<const mask::Secrets>& secrets) {
  return term::render_svg(screen, hidden_rows(screen, secrets));
}

}  // namespace orch::report
