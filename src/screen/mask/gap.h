#pragma once

#include <cstdint>

namespace orch::mask {

// The gap between two visible characters. If several gaps come together, the last of this list
// counts.
enum class Gap : uint8_t {
  kNone,
  kEscape,     // invisible: a change of colour
  kBlank,      // blanks or a frame
  kRow,        // a row ends, and a word may continue in the next one
  kLine,       // a row ends, and a word may or may not have been broken there
  kParagraph,  // a row ends, and no word was broken there
  kWall,       // no secret reaches across
};

}  // namespace orch::mask
