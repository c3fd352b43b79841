#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "demo/dialog.h"
#include "demo/input_box.h"
#include "demo/keys.h"
#include "demo/painter.h"
#include "demo/player.h"
#include "demo/scenarios.h"

namespace orch::demo {

// The terminal interface of a coding agent that follows a scenario. It gets the terminal's input
// and size and the time, and returns its output for the terminal. It owns no descriptor and no
// clock; times are milliseconds and never go back. After every on_*() take the output; call
// on_time() when the deadline has come.
class Agent {
 public:
  // An Enter that comes this soon after a paste counts as a part of the paste. Claude Code does the
  // same: without a pause an Enter never submitted, after 100 ms always (measured with 2.1.197 at a
  // settled prompt).
  static constexpr int64_t kPasteSettleMs = 80;
  // Every Enter is ignored for this long after the prompt appears, as in Claude Code (0.3 to 0.5 s,
  // measured likewise).
  static constexpr int64_t kDeafMs = 300;
  static constexpr int64_t kExitHintMs = 2000;  // how long a second Ctrl-C exits
  static constexpr int64_t kFrameMs = 120;      // between two frames of the spinner, before --speed

  Agent(const Scenario& scenario, const Pace& pace, int cols, int rows, int64_t now_ms);

  // Sets the messages of the session that is resumed; call it before anything else.
  void remember(std::vector<std::string> messages) { remembered_ = std::move(messages); }
  void on_input(std::string_view bytes, int64_t now_ms);
  void on_resize(int cols, int rows, int64_t now_ms);
  void on_time(int64_t now_ms);

  std::string take_output();
  // The messages accepted since the last call, byte for byte as they were received.
  std::vector<std::string> take_accepted();
  std::optional<int64_t> deadline() const;  // nullopt: only input can change anything
  std::optional<int> exit_code() const { return exit_code_; }

 private:
  enum class AskedBy : uint8_t { kStart, kTurn, kFault };

  void start();
  void on_key(const Key& key);
  void on_dialog_key(const Key& key);
  void on_enter();
  void on_paste(const std::string& text);
  void on_interrupt_key();
  void run_command(const std::string& name);
  void exit(int code);
  bool strikes(Fault fault);  // whether the scenario's fault is this one and has not struck yet
  void add_banner();

  // Brings dialogs, the queue and the screen up to date after something has happened.
  void settle();
  void draw();
  std::vector<Line> live_lines(Position* cursor) const;
  Line spinner() const;
  Line footer() const;
  void set_title(std::string_view title);
  std::string_view title() const;
  void report();
  std::string_view state() const;  // as it is reported
  size_t frame_number() const;     // of the spinner's animation

  const Scenario* scenario_;
  int64_t now_;
  int cols_, rows_;
  KeyReader keys_;
  InputBox box_;
  Player player_;
  Painter painter_;
  std::string output_;
  std::string title_;
  std::string_view reported_;
  std::vector<std::string> accepted_, remembered_;
  std::optional<int> exit_code_;

  std::optional<int64_t> start_at_;  // when the first drawing is due; empty after it
  int64_t prompt_at_ = 0;            // when the prompt was first drawn
  std::optional<int64_t> pasted_at_;
  std::optional<int64_t> exit_hint_until_;
  std::optional<int64_t> frozen_until_;  // nothing is drawn before this time
  bool fault_struck_ = false;

  std::optional<Dialog> dialog_;
  AskedBy asked_by_ = AskedBy::kStart;
  std::deque<std::string> queue_;  // messages sent while it was working
};

}  // namespace orch::demo
