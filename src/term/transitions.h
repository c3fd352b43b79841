#pragma once

#include <array>
#include <cstdint>

namespace orch::term {

// The state machine of a DEC/ECMA-48 terminal after Paul Williams, "A parser for DEC's
// ANSI-compatible video terminals", https://vt100.net/emu/dec_ansi_parser. Departures:
// - The input is UTF-8, so bytes from 0x80 are never C1 controls. In ground and in an OSC string
// they
//   are text; within an escape or control sequence they cancel it and are text (kAbort).
// - BEL ends an OSC string, as in xterm. CAN and SUB throw the string away.
// - DCS, SOS, PM and APC strings are read to their end by one state: nothing here uses them.
// - Colons are parameter separators (ISO 8613-6), told apart from semicolons, instead of errors.
// - Of several intermediates only "more than one" is kept: no such sequence is known here.
enum class State : uint8_t {
  kEscape,
  kEscapeIntermediate,
  kCsiEntry,
  kCsiParam,
  kCsiIntermediate,
  kCsiIgnore,
  kOscString,
  kIgnoredString,
  kGround,  // outside the table: the parser's own loop reads text and lone controls
};
inline constexpr int kTableStates = 8;

enum class Action : uint8_t {
  kNone,
  kExecute,  // a C0 control
  kClear,    // a sequence begins
  kPrefix,   // CSI < = > ?
  kParam,    // a digit or a separator
  kIntermediate,
  kDispatchEscape,
  kDispatchCsi,
  kOscStart,
  kOscEnd,  // by BEL or ESC
  kAbort,   // to ground, and the byte is read again there
};

struct Transition {
  Action action;
  State next;
};

// transitions()[state][byte], total over all bytes.
using TransitionTable = std::array<std::array<Transition, 256>, kTableStates>;
const TransitionTable& transitions();

}  // namespace orch::term
