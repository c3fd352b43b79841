#include "report/hidden_rows.h"

#include <algorithm>
#include <string>

#include "mask/text.h"
#include "term/render.h"
#include "term/svg.h"

namespace orch::report {
namespace {

// Where in the text of all rows the text of one of their runs stands.
struct Place {
  int row = 0;
  size_t run = 0;
  size_t begin = 0;
};

int characters(std::string_view text) {
  return static_cast<int>(
      std::ranges::count_if(text, [](char byte) { return (byte & '\xC0') != '\x80'; }));
}

void cover_run(term::PaintedRun& run, size_t from, size_t to) {
  if (run.one_character) {
    run.text = run.cols == 2 ? "＊" : "*";
  } else {
    mask::cover(run.text, from, to);
  }
}

}  // namespace

std::map<int, std::vector<term::PaintedRun>> hidden_rows(
    const term::Screen& screen, const std::shared_ptr<const mask::Secrets>& secrets) {
  std::map<int, std::vector<term::PaintedRun>> hidden;
  if (mask::find(secrets, term::render_text(screen)).empty()) return hidden;
  std::vector<std::vector<term::PaintedRun>> rows;
  std::vector<Place> places;
  std::string text;
  for (int i = 0; i < screen.size().rows; ++i) {
    rows.push_back(term::painted_row(screen, i));
    for (size_t k = 0; k < rows.back().size(); ++k) {
      const term::PaintedRun& run = rows.back()[k];
      places.push_back({i, k, text.size()});
      text += run.text;
      // Blanks at a run's end are left out of its text.
      if (!run.one_character && characters(run.text) < run.cols) text += ' ';
    }
    text += '\n';
  }
  for (const mask::Span& span : mask::find(secrets, text)) {
    for (const Place& place : places) {
      term::PaintedRun& run = rows[static_cast<size_t>(place.row)][place.run];
      const size_t end = place.begin + run.text.size();
      const size_t from = std::max<size_t>(span.from, place.begin),
                   to = std::min<size_t>(span.to, end);
      if (from < to) {
        cover_run(run, from - place.begin, to - place.begin);
        hidden[place.row];
      }
    }
  }
  for (auto& [row, runs] : hidden) runs = std::move(rows[static_cast<size_t>(row)]);
  return hidden;
}

std::string masked_svg(const term::Screen& screen,
                       const std::shared_ptr<const mask::Secrets>& secrets) {
  return term::render_svg(screen, hidden_rows(screen, secrets));
}

}  // namespace orch::report
