#pragma once

#include <string>

#include "detect/rows.h"
#include "detect/rules.h"

namespace orch::detect {

struct RowRange {
  int begin = 0, end = 0;  // [begin, end), screen rows
  bool empty() const { return begin >= end; }
};

// Where the parts of an agent's interface are on the screen.
struct Layout {
  bool box = false;
  RowRange box_rows;      // the text rows of the input box
  int box_top = 0;        // the first row that belongs to the box (its upper border)
  int box_end = 0;        // the row after its lower border
  int turn_begin = 0;     // the row after the last message of the user
  RowRange choices;       // the rows of the last list of choices; empty without one
  bool numbered = false;  // ... and they have numbers
  RowRange dialog;  // what stands at the end, from the last rule, frame or bullet above the choices
  int used = 0;     // rows up to the last non-blank one
};

Layout find_layout(const RuleSet& rules, const Rows& rows);

// The rows of a region of the screen (not of kTitle, kReport, kProgress, which are empty here).
RowRange region_rows(const RegionSpec& spec, const Layout& layout);

// The region's rows, trimmed of frames and blanks and joined by single spaces.
std::string joined(const Rows& rows, RowRange range);

// A list of at least two choices with the cursor on one: numbered, or aligned under each other.
bool has_menu(const RuleSet& rules, const Rows& rows, const Layout& layout, RowRange range);

// What was typed into the box: its rows joined, without the prompt glyph; "" when it is empty or
// shows its placeholder.
std::string box_text(const RuleSet& rules, const Rows& rows, const Layout& layout);

// A row of box-drawing or block glyphs and nothing else: a rule, the edge of a frame.
bool is_rule(std::string_view text);

// `text` without leading and trailing blanks (also U+00A0) and frame glyphs.
std::string_view bare(std::string_view text);

// How many characters of `row` stand before `part`, which is a part of it.
size_t column_of(std::string_view row, std::string_view part);

}  // namespace orch::detect
