#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_cutter.h"

// Parses the output of `tmux -C`: lines, mostly notices that begin with '%'. Pure.
namespace orch::mux::tmux {

// The answer to one command: the lines between its %begin and its %end or %error. The lines are the
// command's output and are not escaped: when a pane shows "%end 1 2 1", the block has that line. So
// a block is closed only by the time and number that opened it. A pane that guesses these could end
// its own capture early and then fake notices; therefore a notice is never more than a hint to
// look.
struct Block {
  bool ok = true;      // false: it ended with %error, and the lines say why
  bool asked = false;  // this client asked for it on its standard input
  std::vector<std::string> lines;
  bool operator==(const Block&) const = default;
};

// Receives the content of the lines, in their order. The arguments are valid only during the call.
class ControlSink {
 public:
  virtual ~ControlSink() = default;
  // The exact bytes that a pane ("%0") has output. They may be split within a character.
  virtual void on_pane_output(std::string_view pane, std::string_view bytes) = 0;
  virtual void on_block(Block block) = 0;
  // A notice such as "pause" with "%0".
  virtual void on_notice(std::string_view name, std::string_view rest) = 0;
};

// Accepts any bytes, in pieces of any size, with bounded memory. Lines that are not of the protocol
// are ignored.
class ControlParser {
 public:
  // A line of output is some KB long; a captured line is as long as the screen is wide.
  static constexpr size_t kMaxLine = size_t{1} << 20;
  static constexpr size_t kMaxBlock = size_t{16} << 20;  // bytes beyond this are dropped

  // Output of one pane that comes in one piece is passed on in one call.
  void feed(std::string_view bytes, ControlSink& sink);

 private:
  struct Open {
    std::string mark;  // "TIME NUMBER", which the closing line has to repeat
    Block block;
    size_t bytes = 0;
  };
  void take_line(std::string_view line, ControlSink& sink);
  void take_in_block(std::string_view line, ControlSink& sink);
  void take_output(std::string_view rest, bool extended, ControlSink& sink);
  void tell_output(ControlSink& sink);

  base::LineCutter lines_{kMaxLine};  // a longer one is skipped
  std::optional<Open> open_;
  std::string pane_;    // the pane of the output that was not passed on yet
  std::string output_;  // that output, decoded
};

// Decodes bytes that tmux has written as \ooo or as themselves.
void append_unescaped(std::string& out, std::string_view text);

}  // namespace orch::mux::tmux
