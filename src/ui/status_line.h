#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "event/status.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "ui/output_stream.h"

namespace orch::ui {

// One session's part of the line: "orch-42 working (tool) 1m23s turn 2".
struct LineEntry {
  event::AgentStatus status = event::AgentStatus::kStarting;
  event::Cause cause = event::Cause::kNone;
  int64_t started_ms = 0;
  int turn = 0;
};
// The whole line, cut to `columns`; `tick` moves the spinner of those at work.
std::string status_text(const std::map<std::string, LineEntry>& entries, int64_t now_ms,
                        size_t tick, size_t columns);

// How often the line is drawn at most, whatever is printed meanwhile.
inline constexpr int64_t kRedrawMs = 50;

// A line at the foot of the terminal that tells how sessions stand while they run. Whoever prints
// on the terminal hides it first; it comes back by itself. Nothing is drawn while the terminal is
// somebody else's or does not take what was printed before.
class StatusLine {
 public:
  struct Place {
    OutputStream& stream;             // a terminal
    std::function<size_t()> columns;  // its width
    std::function<bool()> is_ours;    // whether this process may draw on it now
    bool in_color = true;
  };
  StatusLine(loop::Loop& loop, Place place);

  // For what is to be changed of a session's part, which is shown from now on.
  LineEntry& entry(const std::string& session);
  void remove(const std::string& session);
  void hide();     // until something is printed
  void suspend();  // hides it until resume()
  void resume();
  void forget();  // what is on the terminal is no longer ours, or not in its place

 private:
  void draw();
  void draw_soon();

  loop::Loop& loop_;
  Place place_;
  std::map<std::string, LineEntry> entries_;
  loop::Timer timer_;
  size_t tick_ = 0;
  int64_t drawn_at_ms_;
  int64_t ticked_at_ms_ = 0;
  bool shown_ = false;
  bool suspended_ = false;
};

}  // namespace orch::ui
