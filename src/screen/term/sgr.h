#pragma once

#include <string>

#include "term/sequence.h"
#include "term/style_table.h"

namespace orch::term {

// Applies CSI ... m to `pen`: ECMA-48 8.3.117 with the colours of ISO 8613-6 in both spellings
// (38;2;r;g;b, 38:2:<space>:r:g:b, 38:2:r:g:b, 38;5;n, 38:5:n) and underline styles (4:0 to 4:5,
// only as none and some). Underline colour (58, 59) and unknown parameters are skipped.
void apply_sgr(const ControlSequence& sequence, Pen& pen);

// Appends the sequence that switches to this style, whatever the style was before.
void append_sgr(const Style& style, std::string& out);

}  // namespace orch::term
