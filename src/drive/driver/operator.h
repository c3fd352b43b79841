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

// Carries out a run's commands on an agent with a screen: types messages, answers and resets on the
// one keyboard, and reports when a turn is over. It does no I/O; its owner, the ScreenDriver, calls
// look() after every look at the screen and when next_deadline() has come.
class Operator {
 public:
  // `manifest` must outlive the operator. `resumes`: the agent continues an earlier conversation,
  // which it may draw after its first prompt.
  explicit Operator(const adapters::Manifest& manifest, bool resumes = false);
  ~Operator();

  // look() should be called right after this.
  void command(TimeMs now, const agent::Command& command);
  // The confirmed status changed. Lines that settled before the change must be passed first.
  void on_status(TimeMs now, const event::StatusChange& change);
  void on_line(const agent::Line& line);
  void on_typed(TimeMs now, std::string_view bytes);  // a user typed
  void on_replied(std::string_view replies);          // the terminal replied to the agent's queries
  void look(TimeMs now, InputView view, const detect::Detector& detector,
            const term::Screen& screen);
  void on_exit();

  TimeMs next_deadline() const;
  bool holds_keyboard() const;
  std::optional<int> wanted_rows() const { return desk_.wanted_rows(); }
  std::vector<agent::News> take_news();
  std::vector<std::string> take_writes() { return std::exchange(writes_, {}); }

 private:
  struct Turn {
    TimeMs accepted_at = 0;
    bool command = false;  // a command: most are done at once, without a sign of work
    bool by_hand = false;  // a user typed Enter: a turn only if the agent shows signs of work
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
  bool sees_start_over(const detect::Detector& detector) const;
  void write(std::string bytes);
  void tell(agent::News news);

  const adapters::Manifest& manifest_;
  std::optional<base::Pattern> placeholder_;
  std::optional<base::Pattern> started_;  // of the manifest's input.started
  event::AgentStatus status_ = event::AgentStatus::kStarting;
  event::Cause cause_ = event::Cause::kNone;

  DialogDesk desk_;
  bool dialog_open_ = false;  // DialogOpened was reported, DialogClosed was not

  std::string message_;  // the id of the message that delivery_ delivers
  std::optional<Delivery> delivery_;
  std::optional<Delivery> failed_;  // the failed delivery before, until its Enter's effect is drawn
  bool as_command_ = false;
  bool fresh_ = true;                    // no message was typed since the agent's start
  std::string left_in_box_;              // text that a failed delivery left in the input box
  std::string accepted_;                 // the text of the last message that the agent accepted
  TimeMs left_at_ = 0;                   // when that text was typed
  bool left_unseen_ = false;             // that text was never seen in the box
  std::optional<TimeMs> hand_typed_at_;  // when a user last typed a key that may fill the box
  std::string replies_;                  // the terminal's first replies to queries, up to a limit
  int64_t echo_ms_ = 0;                  // how long the last text took to appear in the box

  std::optional<Reset> reset_;
  std::optional<Turn> turn_;
  bool worked_ = false;  // the agent was seen working, or spoke, since the message was submitted
  bool attended_ = false;

  std::vector<agent::News> news_;
  std::vector<std::string> writes_;
};

}  // namespace orch::driver
