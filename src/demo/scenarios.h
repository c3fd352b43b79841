#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "demo/dialog.h"

namespace orch::demo {

// The steps of a turn. Times are milliseconds before --speed. In texts {n} is the message's number
// in this session, {message} its text as JSON in ASCII.
struct Think {
  int ms = 0;
  std::string_view verb = "Thinking";
};
struct Say {
  std::string_view text;
};
struct Count {  // says "line 1 of N" to "line N of N", so many every kStreamTickMs
  int lines_per_tick = 1;
};
struct Tool {
  std::string_view call;
  int ms = 0;
  std::string_view result;
};
struct Permission {  // a tool that asks first; a No ends the turn with `refused`
  std::string_view call;
  const DialogText* dialog = nullptr;
  std::string_view result;
  std::string_view refused;
};
struct Question {
  const DialogText* dialog = nullptr;
};
struct Fail {
  std::string_view text;
};
struct Hang {};
struct Leave {
  int code = 0;  // 0: it says goodbye; else it dies with the screen as it is
};
using Step = std::variant<Think, Say, Count, Tool, Permission, Question, Fail, Hang, Leave>;
using Turn = std::span<const Step>;

// What goes wrong with the first message, for the tests of delivery.
enum class Fault : uint8_t {
  kNone,
  kSwallowEnter,   // the first Enter does nothing
  kLosePaste,      // the first paste does nothing
  kLateRepaint,    // after the first paste nothing is drawn for kLateRepaintMs
  kDialogOnPaste,  // the first paste opens a dialog
  kDieOnPaste,     // the first paste ends the process with code 1
};

struct Scenario {
  std::string_view name;
  std::string_view about;
  std::span<const Turn> turns;  // one per message; the last is repeated
  Fault fault = Fault::kNone;
  int start_ms = 150;                    // from the process's start to the first drawing
  const DialogText* at_start = nullptr;  // its first option goes on, all others exit with code 1
  int lines = 0;                         // for Count, unless --lines says otherwise
  bool clock = false;                    // while there is a draft it draws the time
};

std::span<const Scenario> scenarios();
const Scenario* scenario_named(std::string_view name);  // nullptr: there is none

inline constexpr int kStreamTickMs = 40;
inline constexpr int kLateRepaintMs = 2000;
inline constexpr int kClockMs = 200;    // between two drawings of the clock; not scaled
extern const DialogText kInterruption;  // what kDialogOnPaste opens

}  // namespace orch::demo
