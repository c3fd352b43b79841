#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "demo/scenarios.h"
#include "demo/transcript.h"

namespace orch::demo {

struct Pace {
  double speed = 1.0;  // multiplies every delay of the scenario and of its animation
  uint32_t seed = 1;   // of the random sizes of streamed pieces of text
  int lines = 0;       // for scenarios that count lines; 0: the scenario's own number
};

// Plays a scenario's turns into a transcript, one for each message. Times are milliseconds; the
// same calls at the same times always give the same transcript.
class Player {
 public:
  enum class State : uint8_t {
    kIdle,
    kBusy,       // thinking or running a tool: a spinner is shown
    kStreaming,  // text is being written, and no spinner is shown
    kAsking,     // question() waits for an answer
    kLeft,       // the agent has left, with code()
  };

  Player(const Scenario& scenario, const Pace& pace, int width);

  void begin(const std::string& message, int64_t now_ms);  // only when idle
  void on_time(int64_t now_ms);
  // Only while asking; no option means that the dialog was cancelled.
  void answer(std::optional<size_t> option, int64_t now_ms);
  void interrupt();

  State state() const { return state_; }
  bool working() const { return state_ == State::kBusy || state_ == State::kStreaming; }
  std::optional<int64_t> deadline() const;
  const DialogText& question() const { return *question_; }
  bool failed() const { return failed_; }  // the last turn
  std::string take_forged() { return std::exchange(forged_, {}); }
  int code() const { return code_; }

  std::string_view verb() const { return verb_; }
  int64_t turn_began() const { return began_; }
  int64_t scaled(int64_t ms) const;
  Transcript& transcript() { return transcript_; }
  const Transcript& transcript() const { return transcript_; }

 private:
  void next_step(int64_t now_ms);
  void begin_step(const Think& step, int64_t now_ms);
  void begin_step(const Say& step, int64_t now_ms);
  void begin_step(const Count& step, int64_t now_ms);
  void begin_step(const Tool& step, int64_t now_ms);
  void begin_step(const Permission& step, int64_t now_ms);
  void begin_step(const Question& step, int64_t now_ms);
  void begin_step(const Fail& step, int64_t now_ms);
  void begin_step(const Hang& step, int64_t now_ms);
  void begin_step(const Forge& step, int64_t now_ms);
  void begin_step(const Leave& step, int64_t now_ms);
  void be_busy(std::string_view verb, std::optional<int64_t> until_ms);
  void say(std::string text, int lines_per_tick, int64_t now_ms);
  void stream(int64_t now_ms);
  void finish_step(int64_t now_ms);
  void end_turn(int64_t now_ms);
  std::string filled(std::string_view text) const;

  const Scenario* scenario_;
  Pace pace_;
  Transcript transcript_;
  std::minstd_rand random_;

  State state_ = State::kIdle;
  size_t messages_ = 0;
  std::string message_;  // the message that this turn answers
  Turn turn_;
  size_t step_ = 0;  // index of the step that is being played
  int64_t began_ = 0;
  std::optional<int64_t> due_;  // when the step goes on
  std::string_view verb_;
  std::string stream_;  // the text that is being streamed
  size_t streamed_ = 0;
  int lines_per_tick_ = 0;  // 0: a few characters
  const DialogText* question_ = nullptr;
  bool failed_ = false;
  std::string forged_;
  int code_ = 0;
};

}  // namespace orch::demo
