#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orch::ui {

// Removes from a terminal's byte stream the sequences that ask the terminal something: its kind,
// the cursor's position, colours, modes, the clipboard. orch's own screen answers the agent; if the
// terminal that only shows the stream answered, too, its answers would be typed into the shell
// behind it. All other bytes pass unchanged, however the stream is split into pieces: only the
// beginning of a possible question is held back, at most kMostHeldBytes.
//
// The sequences are those of xterm's ctlseqs and of the documents of kitty and iTerm2. 8-bit
// controls are recognised as UTF-8 (U+0090 to U+009F), the way terminals read them today.
class QueryFilter {
 public:
  std::string pass(std::string_view bytes);

 private:
  enum class State : uint8_t {
    kText,
    kFirstOfTwo,  // 0xC2, the first byte of an 8-bit control in UTF-8
    kEscape,
    kControl,       // CSI
    kCommand,       // OSC, until it is known which command it is
    kDevice,        // DCS, until its final byte
    kGraphics,      // APC, until its first argument's end
    kPassString,    // the rest of a string that is let through
    kDropString,    // the rest of a string that is removed
    kStringEscape,  // ESC in a string: its end, or the start of a new sequence
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
  void give();  // lets the held bytes through
  void drop();
  void give_string();
  void drop_string();

  State state_ = State::kText;
  State string_ = State::kPassString;  // of the present string: kPassString or kDropString
  std::string out_;
  std::string held_;  // from the first byte of the sequence on
  std::string body_;  // ... without its introducer
};

inline constexpr size_t kMostHeldBytes = 4096;

}  // namespace orch::ui
