#pragma once

#include <array>
#include <cstdint>

namespace orch::term {

// The state machine of a DEC/ECMA-48 terminal after Paul Williams, "A parser for DEC's
// ANSI-compatible video terminals", https://vt100.net/emu/dec_ansi_parser. It differs in these:
// - The input is UTF-8, so bytes from 0x80 on are never C1 controls. In the ground state and in an
//   OSC string they are text; in an escape or control sequence they cancel it and are then text
//   (kAbort).
// - BEL ends an OSC string, as in xterm. CAN and SUB discard the string.
// - A DCS string is collected as a whole, like an OSC string. SOS, PM and APC strings are read to
//   their end by one state, because none of them is used.
// - Colons are not errors but separators of subparameters (ISO 8613-6).
// - If a sequence has several intermediates, only that is kept: none of these sequences is known.
enum class State : uint8_t {
  kEscape,
  kEscapeIntermediate,
  kCsiEntry,
  kCsiParam,
  kCsiIntermediate,
  kCsiIgnore,
  kOscString,
  kDcsString,
  kIgnoredString,
  kGround,  // not in the table: the parser's own loop reads text and single controls
};
inline constexpr int kTableStates = 9;

enum class Action : uint8_t {
  kNone,
  kExecute,  // a C0 control
  kClear,    // a sequence begins
  kPrefix,   // CSI < = > ?
  kParam,    // a digit or a separator
  kIntermediate,
  kDispatchEscape,
  kDispatchCsi,
  kStringStart,
  kOscEnd,  // by BEL or ESC
  kDcsEnd,  // by ESC
  kAbort,   // go to ground, where the byte is read again
};

struct Transition {
  Action action;
  State next;
};

// transitions()[state][byte] has an entry for every byte.
using TransitionTable = std::array<std::array<Transition, 256>, kTableStates>;
const TransitionTable& transitions();

}  // namespace orch::term
