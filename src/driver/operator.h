#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/manifest.h"
#include "agent/command.h"
#include "agent/news.h"
#include "base/pattern.h"
#include "detect/detector.h"
#include "driver/delivery.h"
#include "driver/dialog_desk.h"
#include "driver/reset.h"
#include "term/screen.h"

namespace orch::driver {

// Carries out what a run wants of an agent on a screen: messages, answers and resets, on the one
// keyboard there is, and tells when a turn is over. Pure; its owner shows it every look at the
// screen, and when next_deadline() has come.
class Operator {
 public:
  explicit Operator(const adapters::Manifest& manifest);  // which outlives this

  // An immediate look() should follow.
  void command(TimeMs now, const agent::Command& command);
  // The confirmed status changed; lines that settled before come first.
  void on_status(TimeMs now, const event::StatusChange& change);
  void on_line(const agent::Line& line);
  void on_typed(TimeMs now, std::string_view bytes);  // by a person
  void on_replied(std::string_view replies);          // the terminal, to the agent's queries
  void look(TimeMs now, InputView view, const detect::Detector& detector,
            const term::Screen& screen);
  void on_exit();

  TimeMs next_deadline() const;
  bool holds_keyboard() const;
  std::vector<agent::News> take_news() { return std::exchange(news_, {}); }
  std::vector<std::string> take_writes() { return std::exchange(writes_, {}); }

 private:
  struct Turn {
    TimeMs accepted_at = 0;
    bool command = false;  // most commands are done at once and are no work
    bool by_hand = false;  // a person's: without a sign of work it was none
  };

  void perform(TimeMs now, const agent::Deliver& deliver);
  void perform(TimeMs now, const agent::TakeBack& take_back);
  void perform(TimeMs now, const agent::Answer& answer);
  void perform(TimeMs now, const agent::Reset& reset);
  void step_dialog(TimeMs now, const InputView& view, const detect::Detector& detector,
                   const term::Screen& screen);
  void step_delivery(TimeMs now, const InputView& view);
  void step_reset(TimeMs now, const InputView& view, const term::Screen& screen);
  void consider_turn_end(TimeMs now);
  TimeMs turn_deadline() const;
  void forget_delivery();
  void write(std::string bytes);
  void tell(agent::News news) { news_.push_back(std::move(news)); }

  const adapters::Manifest& manifest_;
  std::optional<base::Pattern> placeholder_;
  event::AgentStatus status_ = event::AgentStatus::kStarting;
  event::Cause cause_ = event::Cause::kNone;

  DialogDesk desk_;
  bool dialog_open_ = false;  // DialogOpened was told, DialogClosed was not

  std::string message_;  // the id of the one that delivery_ is about
  std::optional<Delivery> delivery_;
  std::optional<Delivery> failed_;  // the one before, while what its Enter has begun is unseen
  bool as_command_ = false;
  bool fresh_ = true;                    // nothing was typed since the agent's start
  std::string left_in_box_;              // typed by a delivery that failed
  TimeMs left_at_ = 0;                   // when it was typed
  bool left_unseen_ = false;             // it has not been seen in the box
  std::optional<TimeMs> hand_typed_at_;  // the last of a person for the box
  std::string replies_;                  // of the terminal, the first of them
  int64_t echo_ms_ = 0;                  // how late the last message was seen in the box

  std::optional<Reset> reset_;
  std::optional<Turn> turn_;
  bool worked_ = false;  // since the message was sent off: seen at work, or heard
  bool attended_ = false;

  std::vector<agent::News> news_;
  std::vector<std::string> writes_;
};

}  // namespace orch::driver
