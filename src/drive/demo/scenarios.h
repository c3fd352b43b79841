#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "demo/dialog.h"

namespace orch::demo {

// The steps of a turn. Times are milliseconds before --speed. In texts {n} stands for the message's
// number in this session, and {message} for the message as JSON in ASCII.
struct Think {
  int ms = 0;
  std::string_view verb = "Thinking";
};
struct Say {
  std::string_view text;
};
struct Count {  // says "line 1 of N" to "line N of N", `lines_per_tick` every kStreamTickMs
  int lines_per_tick = 1;
};
struct Tool {
  std::string_view call;
  int ms = 0;
  std::string_view result;
};
struct Permission {  // a tool that asks first; the answer No ends the turn with `refused`
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
struct Forge {  // bytes that the running tool itself writes to the terminal, past the agent
  std::string_view bytes;
  int ms = 0;
};
struct Leave {
  int code = 0;  // 0: it leaves in an orderly way; otherwise it dies and leaves the screen as it is
};
using Step = std::variant<Think, Say, Count, Tool, Permission, Question, Fail, Hang, Forge, Leave>;
using Turn = std::span<const Step>;

// A failure that strikes at the first message; for tests of the delivery of messages.
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
  std::span<const Turn> turns;  // one for each message; the last one is repeated
  Fault fault = Fault::kNone;
  int start_ms = 150;  // from the start of the process to the first drawing
  // the dialog's first option goes on, all others exit with code 1
  const DialogText* at_start = nullptr;
  int lines = 0;       // for Count, unless --lines is given
  bool clock = false;  // the time is drawn while there is a draft
  // It reports its state (OSC 7501), and its title does not show it.
  bool reports = false;
};

std::span<const Scenario> scenarios();
const Scenario* scenario_named(std::string_view name);  // nullptr if there is none

inline constexpr int kStreamTickMs = 40;
inline constexpr int kLateRepaintMs = 2000;
inline constexpr int kClockMs = 200;    // between two drawings of the clock; not scaled by --speed
extern const DialogText kInterruption;  // the dialog that kDialogOnPaste opens

}  // namespace orch::demo
