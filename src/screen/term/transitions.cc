#include "term/transitions.h"

#include <cstddef>

namespace orch::term {
namespace {

struct Builder {
  TransitionTable table{};

  constexpr void set(State state, int from, int to, Action action, State next) {
    for (int byte = from; byte <= to; ++byte) {
      table[static_cast<size_t>(state)][static_cast<size_t>(byte)] = {action, next};
    }
  }
  // The effects of C0 controls, DEL and bytes from 0x80 inside an escape or control sequence.
  constexpr void set_sequence_defaults(State state) {
    set(state, 0x00, 0x1F, Action::kExecute, state);
    set(state, 0x7F, 0x7F, Action::kNone, state);
    set(state, 0x80, 0xFF, Action::kAbort, State::kGround);
  }
  // The diagram's "anywhere" arrows, which override what was set before.
  constexpr void set_anywhere(State state) {
    set(state, 0x18, 0x18, Action::kNone, State::kGround);
    set(state, 0x1A, 0x1A, Action::kNone, State::kGround);
    set(state, 0x1B, 0x1B, Action::kClear, State::kEscape);
  }
};

constexpr void build_strings(Builder& b) {
  b.set(State::kOscString, 0x00, 0x1F, Action::kNone, State::kOscString);
  b.set(State::kOscString, 0x07, 0x07, Action::kOscEnd, State::kGround);
  b.set(State::kOscString, 0x20, 0xFF, Action::kNone, State::kOscString);
  for (const State state : {State::kDcsString, State::kIgnoredString}) {
    b.set(state, 0x00, 0xFF, Action::kNone, state);
  }
}

constexpr void build_escape(Builder& b) {
  b.set_sequence_defaults(State::kEscape);
  b.set(State::kEscape, 0x20, 0x2F, Action::kIntermediate, State::kEscapeIntermediate);
  b.set(State::kEscape, 0x30, 0x7E, Action::kDispatchEscape, State::kGround);
  b.set(State::kEscape, '[', '[', Action::kClear, State::kCsiEntry);
  b.set(State::kEscape, ']', ']', Action::kStringStart, State::kOscString);
  b.set(State::kEscape, 'P', 'P', Action::kStringStart, State::kDcsString);
  for (const char c : {'X', '^', '_'}) {
    b.set(State::kEscape, c, c, Action::kNone, State::kIgnoredString);
  }
  b.set_sequence_defaults(State::kEscapeIntermediate);
  b.set(State::kEscapeIntermediate, 0x20, 0x2F, Action::kIntermediate, State::kEscapeIntermediate);
  b.set(State::kEscapeIntermediate, 0x30, 0x7E, Action::kDispatchEscape, State::kGround);
}

constexpr void build_control_sequence(Builder& b) {
  for (const State state :
       {State::kCsiEntry, State::kCsiParam, State::kCsiIntermediate, State::kCsiIgnore}) {
    b.set_sequence_defaults(state);
    b.set(state, 0x20, 0x3F, Action::kNone, State::kCsiIgnore);
    b.set(state, 0x40, 0x7E, Action::kDispatchCsi, State::kGround);
  }
  b.set(State::kCsiIgnore, 0x40, 0x7E, Action::kNone, State::kGround);
  for (const State state : {State::kCsiEntry, State::kCsiParam}) {
    b.set(state, 0x20, 0x2F, Action::kIntermediate, State::kCsiIntermediate);
    b.set(state, 0x30, 0x3B, Action::kParam, State::kCsiParam);
  }
  b.set(State::kCsiEntry, 0x3C, 0x3F, Action::kPrefix, State::kCsiParam);
  b.set(State::kCsiIntermediate, 0x20, 0x2F, Action::kIntermediate, State::kCsiIntermediate);
}

constexpr TransitionTable build() {
  Builder b;
  build_strings(b);
  build_escape(b);
  build_control_sequence(b);
  for (int state = 0; state < kTableStates; ++state) {
    b.set_anywhere(static_cast<State>(state));
  }
  b.set(State::kOscString, 0x1B, 0x1B, Action::kOscEnd, State::kEscape);
  b.set(State::kDcsString, 0x1B, 0x1B, Action::kDcsEnd, State::kEscape);
  return b.table;
}

constexpr TransitionTable kTable = build();

}  // namespace

const TransitionTable& transitions() { return kTable; }

}  // namespace orch::term
