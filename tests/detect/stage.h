#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "detect/detector.h"
#include "term/screen.h"

namespace orch::detect {

// The rules of a made-up agent: an input box between rows of ─ with the prompt "> ", dialogs with
// numbered choices, "* " in the title while it works, "● Error" in the transcript.
RuleSetSpec sample_rules();
RuleSet compiled(const RuleSetSpec& spec);

// The output of an application that draws a whole screen: erases it, then writes the rows.
using Lines = std::vector<std::string>;
std::string frame(const Lines& rows);
std::string titled(std::string_view title);  // OSC 2

// The rows that the made-up agent shows: its transcript above an input box with `text` in it.
Lines with_box(Lines transcript, const std::string& text = "");
extern const Lines kPermission;     // a dialog that a rule knows
extern const Lines kUnknownDialog;  // one that only looks like a dialog

// A screen that shows rows, with their facts and their layout, at one moment.
struct Picture {
  Picture(const RuleSet& rules, const Lines& rows);
  Layout layout;
  Rows rows;
  term::Screen screen;
};

// A detector and its screen with a simulated clock. wait() lets time pass and runs the timers that
// are due; pass() lets time pass without them.
class Stage {
 public:
  explicit Stage(const RuleSetSpec& spec = sample_rules());

  void draw(std::string_view bytes);
  void type(std::string_view bytes) { detector_.on_input(now_, bytes); }
  void resize(term::Size size);
  void wait(TimeMs ms);
  void pass(TimeMs ms) { now_ += ms; }  // as if the owner were busy: no timer runs
  // Types a key, draws an empty box, and waits until the agent is idle and nothing is due.
  void settle_idle();

  // The status changes since the last call, as "1061 waiting/permission".
  Lines changes();
  const event::StatusChange& last_change() const { return last_change_; }
  TimeMs now() const { return now_; }
  Detector& detector() { return detector_; }

 private:
  const RuleSet rules_;
  term::Screen screen_{{60, 24}};
  Detector detector_{rules_, 0};
  TimeMs now_ = 0;
  Lines changes_;
  event::StatusChange last_change_;
};

}  // namespace orch::detect
