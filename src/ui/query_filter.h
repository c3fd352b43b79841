#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orch::ui {

// Takes out of a terminal's byte stream what asks the terminal something - its kind, the cursor's
// place, colours, modes, the clipboard. orch's own screen answers the agent; the answers of the
// terminal on which the stream is only shown would be typed into the shell behind. All else passes
// byte by byte, however it comes in pieces: only the beginning of what may be a question is held
// back, of kMostHeldBytes at most.
//
// The sequences are those of xterm's ctlseqs, kitty's and iTerm2's documents. Controls of 8 bits
// are known as UTF-8 (U+0090 to U+009F), which is how terminals read them today.
class QueryFilter {
 public:
  std::string pass(std::string_view bytes);

 private:
  enum class State : uint8_t {
    kText,
    kFirstOfTwo,  // 0xC2, which begins a control of 8 bits
    kEscape,
    kControl,       // CSI
    kCommand,       // OSC, until it is known what it is
    kDevice,        // DCS, until its final byte
    kGraphics,      // APC, until its first argument's end
    kPassString,    // the rest of a string that passes
    kDropString,    // ... that does not
    kStringEscape,  // ESC in one: its end, or a new sequence
    kStringFirstOfTwo
  };

  void take(char c);
  void begin(State state, char c);
  void in_text(char c);
  void after_escape(char c);
  void in_control(char c);
  void in_command(char c);
  void in_device(char c);
  void in_graphics(char c);
  void in_string(char c);
  bool ends_string(char c);
  void give();  // what is held
  void drop();
  void give_string();
  void drop_string();

  State state_ = State::kText;
  State string_ = State::kPassString;  // what the string is in whose end we may be
  std::string out_;
  std::string held_;  // from the first byte of the sequence on
  std::string body_;  // ... without its introducer
};

inline constexpr size_t kMostHeldBytes = 4096;

}  // namespace orch::ui
