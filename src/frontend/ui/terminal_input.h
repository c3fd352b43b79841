#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orch::ui {

// One action of the user at the terminal.
struct TerminalInput {
  enum class Kind : uint8_t {
    kText,   // one printable character, in `text`
    kPaste,  // text that was pasted (2004), in `text`
    kKey,    // a key under its name in term::key_bytes(), in `text`: "Up", "C-c"
    kClick,  // the left button went down at row and col, from 0
    kWheelUp,
    kWheelDown,
  };
  Kind kind = Kind::kKey;
  std::string text;
  int row = 0, col = 0;
  bool operator==(const TerminalInput&) const = default;
};

// Splits a terminal's bytes into inputs: keys as xterm sends them in normal or application mode,
// mouse reports in SGR's form (1006), and bracketed paste. It accepts any bytes, drops unknown
// sequences, and keeps a bounded number of bytes.
class InputReader {
 public:
  static constexpr size_t kMaxSequenceBytes = 64, kMaxPasteBytes = 4096;

  std::vector<TerminalInput> feed(std::string_view bytes);
  // The last sequence is incomplete: a lone ESC may be the Escape key or the beginning of one.
  bool waits() const { return !pasting_ && !pending_.empty(); }
  // Call it when nothing has followed for a while: a lone ESC was the Escape key.
  std::vector<TerminalInput> flush();

 private:
  // Returns how many bytes of pending_ it has taken; 0: more bytes are needed.
  size_t take(std::vector<TerminalInput>& out);
  size_t take_escape(std::vector<TerminalInput>& out);
  size_t take_paste(std::vector<TerminalInput>& out);
  void take_sequence(std::string_view parameters, char final, std::vector<TerminalInput>& out);

  std::string pending_, paste_;
  bool pasting_ = false;
};

}  // namespace orch::ui
