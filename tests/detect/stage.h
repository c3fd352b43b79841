#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "detect/detector.h"
#include "term/screen.h"

namespace orch::detect {

// Rules of a made-up agent: a box between rules of ─ with the prompt "> ", dialogs with numbered
// choices, "* " in the title while it works, "● Error" in the transcript.
RuleSetSpec sample_rules();
RuleSet compiled(const RuleSetSpec& spec);

// Rows as an application draws a whole screen: erased, then row by row.
using Lines = std::vector<std::string>;
std::string frame(const Lines& rows);
std::string titled(std::string_view title);  // OSC 2

// What the made-up agent shows: its transcript above an input box with `text` in it.
Lines with_box(Lines transcript, const std::string& text = "");
extern const Lines kPermission;     // a dialog that a rule knows
extern const Lines kUnknownDialog;  // one that only looks like a dialog

// A screen with rows, their facts and their layout, without time.
struct Picture {
  Picture(const RuleSet& rules, const Lines& rows);
  Layout layout;
  Rows rows;
  term::Screen screen;
};

// A detector before a screen, with a clock that is set: time passes in wait(), which runs the
// timers at their times, and in pass().
class Stage {
 public:
  explicit Stage(const RuleSetSpec& spec = sample_rules());

  void draw(std::string_view bytes);
  void type(std::string_view bytes) { detector_.on_input(now_, bytes); }
  void resize(term::Size size);
  void wait(TimeMs ms);
  void pass(TimeMs ms) { now_ += ms; }  // the owner is busy: no timer runs
  // Types a key, draws an empty box, and waits until the agent is idle and nothing is due.
  void settle_idle();

  // "1061 waiting/permission" for every change since the last call.
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
