#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"
#include "agent/line.h"
#include "base/pattern.h"

namespace orch::driver {

using agent::Line;
using agent::Speaker;

// Tells by an agent's markers who says the rows of its transcript: a marker at a row's start begins
// a block, rows without one go on with the block they are in. Immutable; compiled, and having seen
// rows, the patterns take 120 KB, so the sessions of one agent share them.
class Speakers {
 public:
  // Patterns were checked when the manifest was read. `user_message` may be empty.
  Speakers(const adapters::TranscriptSpec& spec, const std::string& user_message);
  static std::shared_ptr<const Speakers> of(const adapters::Manifest& manifest);

  // A row that is not blank, after one of `before`.
  struct Reading {
    Speaker speaker;   // whose block the row is in or, where it ends one, what comes next
    bool line = true;  // false: no line of the transcript
  };
  Reading read(std::string_view row, Speaker before) const;
  // The row as a line: without its marker, its indentation and, of a tool, its frame.
  Line line(std::string_view row, Speaker speaker) const;

  // What goes on after a blank row.
  Speaker after_blank(Speaker before) const;
  bool begins_block(std::string_view row) const;  // it has a marker
  bool may_change(std::string_view row) const;    // a tool that is still under way
  // A row without what an interface draws at its right edge: a scroll bar.
  void cut_margin(std::string& row) const;
  bool smears() const { return smears_; }
  // A program whose every row is its words.
  bool plain() const { return plain_; }

 private:
  base::PatternBits add(const std::string& expression);  // none for an empty one

  base::PatternSet patterns_;
  base::PatternBits user_, user_end_, agent_, tool_, notice_, chrome_, side_, busy_, drop_;
  std::vector<base::Pattern> frame_;
  std::optional<base::Pattern> margin_;
  size_t indent_;
  bool smears_, plain_;
};

}  // namespace orch::driver
