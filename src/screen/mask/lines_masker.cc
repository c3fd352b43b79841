#include "mask/lines_masker.h"

#include <algorithm>
#include <utility>

#include "mask/text.h"

namespace orch::mask {

namespace {

// Whether a word may continue in the line after this one. After a blank at its end none can.
bool may_be_broken(std::string_view line) {
  return !line.empty() && line.back() != ' ' && line.back() != '\t';
}

}  // namespace

void LinesMasker::add(std::string line, bool continues) {
  if (continues) {
    marker_.end_row(Gap::kRow);
  } else {
    marker_.end_row(last_may_be_broken_ ? Gap::kLine : Gap::kParagraph);
  }
  last_may_be_broken_ = may_be_broken(line);
  lines_.push_back({std::move(line), marker_.fed()});
  marker_.feed(lines_.back().text);
  note_spans();
}

void LinesMasker::note_spans() {
  for (const Span& span : marker_.take_spans()) {
    for (Line& line : lines_) {
      const uint64_t end = line.begin + line.text.size();
      const Span own{std::max(span.from, line.begin), std::min(span.to, end)};
      if (own.from < own.to) line.spans.push_back({own.from - line.begin, own.to - line.begin});
    }
  }
}

std::vector<std::string> LinesMasker::take_known() {
  const uint64_t settled = marker_.settled();
  if (marker_.fed() - settled < kLeastOpen) return take_all();
  size_t known = 0;
  while (known < lines_.size() && lines_[known].begin + lines_[known].text.size() <= settled) {
    ++known;
  }
  return take(known);
}

std::vector<std::string> LinesMasker::take_all() { return take(lines_.size()); }

std::vector<std::string> LinesMasker::take(size_t count) {
  std::vector<std::string> out;
  for (; count > 0; --count) {
    Line& line = lines_.front();
    out.push_back(starred(line.text, joined(std::move(line.spans))));
    lines_.pop_front();
  }
  return out;
}

}  // namespace orch::mask
