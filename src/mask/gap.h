#pragma once

#include <cstdint>

namespace orch::mask {

// What stood between two bytes that are looked at. Of several it is the last of this list.
enum class Gap : uint8_t {
  kNone,
  kEscape,     // what is not seen: a change of colour
  kBlank,      // blanks, a frame
  kRow,        // a row ends: what follows may go on where it was broken
  kLine,       // a row ends of which nobody can say whether it was broken
  kParagraph,  // a row ends with which, as somebody knows, no word was broken
  kWall,       // nothing reaches over it
};

}  // namespace orch::mask
