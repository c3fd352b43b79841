#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"
#include "agent/line.h"
#include "base/pattern.h"
#include "driver/screen_row.h"

namespace orch::driver {

using agent::Line;
using agent::Speaker;

// Finds the speaker of each row of a transcript by the markers that the agent draws: a marker at
// the start of a row begins a block, and rows without a marker continue their block. It is
// immutable. The compiled patterns take 120 KB once they have been used, so all sessions of one
// agent share them.
class Speakers {
 public:
  // The patterns must be valid, which is checked when a manifest is read. `user_message` may be
  // empty.
  Speakers(const adapters::TranscriptSpec& spec, const std::string& user_message);
  static std::shared_ptr<const Speakers> of(const adapters::Manifest& manifest);
  void prepare() const;  // compiles the patterns for the first row; see base::PatternSet::prepare()

  struct Reading {
    Speaker speaker;   // the speaker of the row's block; if the row ends a block, the next speaker
    bool line = true;  // the row is a line of the transcript
  };
  using Marks = base::PatternBits;
  Marks marks(const ScreenRow& row) const;  // which patterns the row matches
  // Reads a row that is not blank. `before` is the speaker of the row above it.
  Reading read(const Marks& marks, Speaker before) const;
  Reading read(const ScreenRow& row, Speaker before) const { return read(marks(row), before); }
  // The row as a line: without its marker, its indentation and the frame of a tool.
  Line line(std::string_view row, Speaker speaker) const;

  // The speaker whose block goes on after a blank row.
  Speaker after_blank(Speaker before) const;
  bool begins_block(std::string_view row) const;  // the row has a marker
  bool may_change(const Marks& marks) const;      // the row belongs to a tool that is still running
  // The row hangs below a tool's call; see TranscriptSpec::hangs.
  bool hangs(const ScreenRow& row) const { return hangs_ && hangs_->matches(row.text); }
  bool is_notice(const ScreenRow& row) const { return (marks(row) & notice_).any(); }
  bool knows_calls() const { return hangs_.has_value(); }
  // Removes decoration that the interface draws at the right edge of a row: a scroll bar.
  void cut_margin(std::string& row) const;
  bool smears() const { return smears_; }  // see TranscriptSpec::smears
  // The agent is a plain program without markers: all its rows are its own words.
  bool plain() const { return plain_; }

 private:
  base::PatternBits add(const std::string& expression);  // no bit if the expression is empty

  base::PatternSet patterns_;
  base::PatternBits user_, user_end_, agent_, tool_, notice_, chrome_, side_, busy_, drop_;
  base::PatternBits grey_tool_, colored_tool_, colored_user_,
      faint_user_;  // only match rows of that ink
  base::PatternBits words_;
  std::vector<base::Pattern> frame_;
  std::optional<base::Pattern> margin_;
  std::optional<base::Pattern> hangs_;  // alone, because it is searched for at every look
  size_t indent_;
  base::Pattern letter_;  // set in: the words themselves, no marker
  bool smears_, plain_, shaded_;
};

}  // namespace orch::driver
