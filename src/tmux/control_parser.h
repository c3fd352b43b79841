#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What `tmux -C` says: lines, most of which are notices that begin with '%'. Pure.
namespace orch::tmux {

// The answer to one command: what stands between its %begin and its %end or %error. Lines are the
// command's own and not escaped: a pane that shows "%end 1 2 1" has that line in a block, so only
// the words with which the block was opened close it. A pane that guesses these can end its own
// picture early, and say as notices what it likes of itself; so nothing is believed of a notice
// but that it is time to look.
struct Block {
  bool ok = true;      // false: %error; the lines say why
  bool asked = false;  // by this client on its standard input
  std::vector<std::string> lines;
  bool operator==(const Block&) const = default;
};

// Told what the lines say, in their order; what is given is valid during the call.
class ControlSink {
 public:
  virtual ~ControlSink() = default;
  // Bytes that a pane ("%0") was given, exactly. Characters may be cut anywhere.
  virtual void on_pane_output(std::string_view pane, std::string_view bytes) = 0;
  virtual void on_block(Block block) = 0;
  virtual void on_notice(std::string_view name, std::string_view rest) = 0;  // "pause", "%0"
};

// Total: whatever the bytes are, in pieces of any size, and with bounded memory. What is no line of
// the protocol is passed over.
class ControlParser {
 public:
  // A line of output is some KB long; one of a capture as long as a screen is wide.
  static constexpr size_t kMaxLine = size_t{1} << 20;
  static constexpr size_t kMaxBlock = size_t{16} << 20;  // of which more is dropped

  // Output of one pane that comes in one piece is told at once.
  void feed(std::string_view bytes, ControlSink& sink);

 private:
  struct Open {
    std::string mark;  // "TIME NUMBER": what must be said again
    Block block;
    size_t bytes = 0;
  };
  void take_line(std::string_view line, ControlSink& sink);
  void take_in_block(std::string_view line, ControlSink& sink);
  void take_output(std::string_view rest, bool extended, ControlSink& sink);
  void tell_output(ControlSink& sink);

  std::string partial_;    // a line without its end
  bool too_long_ = false;  // ... the rest of which is passed over
  std::optional<Open> open_;
  std::string pane_;    // of the output not told yet
  std::string output_;  // decoded
};

// The bytes that were written as \ooo and as themselves.
void append_unescaped(std::string& out, std::string_view text);

}  // namespace orch::tmux
