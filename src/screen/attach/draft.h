#pragma once

#include <string>
#include <string_view>

namespace orch::attach {

// Follows a user's keys, to know whether they have begun a text and not sent it yet. It looks only
// at the bytes: text and pastes begin a draft; Enter, Escape, Ctrl-C, Ctrl-D and Ctrl-U end it.
// Reports of the terminal (focus, mouse) and keys that only move the cursor change nothing.
class Draft {
 public:
  void on_typed(std::string_view bytes);
  void forget() { open_ = false; }
  bool open() const { return open_; }

 private:
  enum class State : uint8_t { kGround, kEscape, kSequence, kOneMore };

  void on_byte(char byte);
  void on_sequence_end(char last);

  State state_ = State::kGround;
  std::string parameters_;  // of the sequence that is being read, cut at kMostParameters
  int left_to_skip_ = 0;    // remaining bytes of an SS3 sequence or an X10 mouse report
  bool open_ = false;
};

}  // namespace orch::attach
