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

// A coding agent's terminal interface that follows a scenario: what the terminal sends, its size
// and the time go in, what it shows comes out. It owns no descriptor and no clock; times are
// milliseconds and never go back. After every on_*() take the output; call on_time() when the
// deadline has come.
class Agent {
 public:
  // Claude Code takes an Enter that comes this soon after a paste for a part of the paste: without
  // a pause it never submitted, after 100 ms always (measured on 2.1.197 at a settled prompt).
  static constexpr int64_t kPasteSettleMs = 80;
  // It swallows every Enter in the first moments of its prompt (0.3 to 0.5 s, measured likewise).
  static constexpr int64_t kDeafMs = 300;
  static constexpr int64_t kExitHintMs = 2000;  // the time for the second Ctrl-C
  static constexpr int64_t kFrameMs = 120;      // of the spinner, before --speed

  Agent(const Scenario& scenario, const Pace& pace, int cols, int rows, int64_t now_ms);

  // Before anything else: the messages of a session that it goes on with.
  void remember(std::vector<std::string> messages) { remembered_ = std::move(messages); }
  void on_input(std::string_view bytes, int64_t now_ms);
  void on_resize(int cols, int rows, int64_t now_ms);
  void on_time(int64_t now_ms);

  std::string take_output();
  // The messages accepted since the last call, byte for byte as they were received.
  std::vector<std::string> take_accepted();
  std::optional<int64_t> deadline() const;  // none: only input can change anything
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
  bool strikes(Fault fault);  // whether the scenario's fault is this one, the first time
  void add_banner();

  // Brings dialogs, the queue and the screen up to date after anything happened.
  void settle();
  void draw();
  std::vector<Line> live_lines(Position* cursor) const;
  Line spinner() const;
  Line footer() const;
  void set_title(std::string_view title);
  std::string_view title() const;
  size_t frame_number() const;  // of the spinner's animation

  const Scenario* scenario_;
  int64_t now_;
  int cols_, rows_;
  KeyReader keys_;
  InputBox box_;
  Player player_;
  Painter painter_;
  std::string output_;
  std::string title_;
  std::vector<std::string> accepted_, remembered_;
  std::optional<int> exit_code_;

  std::optional<int64_t> start_at_;  // until it is drawn for the first time
  int64_t prompt_at_ = 0;            // when the prompt was drawn first
  std::optional<int64_t> pasted_at_;
  std::optional<int64_t> exit_hint_until_;
  std::optional<int64_t> frozen_until_;  // nothing is drawn before
  bool fault_struck_ = false;

  std::optional<Dialog> dialog_;
  AskedBy asked_by_ = AskedBy::kStart;
  std::deque<std::string> queue_;  // sent while working
};

}  // namespace orch::demo
