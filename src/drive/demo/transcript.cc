#include "demo/transcript.h"

#include <algorithm>

#include "base/check.h"

namespace orch::demo {
namespace {

struct Look {
  std::string_view first, rest;  // to the left of the first row and of the other rows
  Ink gutter, text;
  bool apart;  // a blank row comes before the entry
};

Look look_of(EntryKind kind) {
  switch (kind) {
    case EntryKind::kBanner:
      return {"", "", Ink::kAccent, Ink::kAccent, false};
    case EntryKind::kUser:
      return {"» ", "  ", Ink::kUser, Ink::kUser, true};
    case EntryKind::kSaid:
      return {"● ", "  ", Ink::kPlain, Ink::kPlain, true};
    case EntryKind::kTool:
      return {"● ", "  ", Ink::kAccent, Ink::kBold, true};
    case EntryKind::kResult:
      return {"  ⎿ ", "    ", Ink::kDim, Ink::kDim, false};
    case EntryKind::kFailed:
      return {"● ", "  ", Ink::kError, Ink::kError, true};
    case EntryKind::kWorked:
      return {"✻ ", "  ", Ink::kDim, Ink::kDim, true};
  }
  return {};
}

}  // namespace

void Transcript::add(EntryKind kind, std::string_view text) {
  entries_.push_back({kind, drawable(text)});
  lay_out(entries_.back());
}

void Transcript::append(std::string_view text) {
  ORCH_CHECK(!entries_.empty());
  Entry& entry = entries_.back();
  entry.text += drawable(text);
  rows_.resize(line_row_);
  lay_out_line(entry, line_begin_);
}

void Transcript::replace(std::string_view text) {
  ORCH_CHECK(!entries_.empty());
  entries_.back().text = drawable(text);
  rows_.resize(entry_row_);
  lay_out(entries_.back());
}

void Transcript::clear() {
  entries_.clear();
  rows_.clear();
}

void Transcript::set_width(int width) {
  width_ = width;
  rows_.clear();
  for (const Entry& entry : entries_) lay_out(entry);
}

void Transcript::lay_out(const Entry& entry) {
  entry_row_ = rows_.size();
  if (look_of(entry.kind).apart) rows_.emplace_back();
  lay_out_line(entry, 0);
}

void Transcript::lay_out_line(const Entry& entry, size_t begin) {
  const Look look = look_of(entry.kind);
  const std::string_view text = entry.text;
  for (;; begin = line_begin_) {
    line_begin_ = begin;
    line_row_ = rows_.size();
    const size_t end = std::min(text.find('\n', begin), text.size());
    const int room = std::max(width_ - columns_of(look.rest), 1);
    bool first = begin == 0;
    for (std::string& row : wrap_words(text.substr(begin, end - begin), room)) {
      const std::string_view gutter = first ? look.first : look.rest;
      first = false;
      rows_.push_back({{look.gutter, std::string(gutter)}, {look.text, std::move(row)}});
    }
    if (end == text.size()) return;
    line_begin_ = end + 1;
  }
}

}  // namespace orch::demo
