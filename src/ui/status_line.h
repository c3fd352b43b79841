#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "event/event.h"
#include "event/status.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "ui/output_stream.h"
#include "ui/painter.h"

namespace orch::ui {

// One session's part of the line, "orch-42 working (tool) 1m23s turn 2", or a row of its own.
struct LineEntry {
  enum class Phase : uint8_t { kQueued, kRunning, kEnded };

  event::AgentStatus status = event::AgentStatus::kStarting;
  event::Cause cause = event::Cause::kNone;
  int64_t started_ms = 0;
  int turn = 0;
  Phase phase = Phase::kRunning;
  std::string agent = {};
  std::string words = {};     // the last that the agent said
  std::string question = {};  // of the dialog that waits; "" without one
  std::string ended = {};     // how: "complete (0)"
  int64_t ended_ms = 0;
};
// Takes what the entry tells of an event of its session.
void update_entry(LineEntry& entry, const event::Event& event);

// The whole line, cut to `columns`; `tick` moves the spinner of those at work.
std::string status_text(const std::map<std::string, LineEntry>& entries, int64_t now_ms,
                        size_t tick, size_t columns);

// The rows of several sessions, who needs somebody first, as `orch top` shows them; in at most
// `most_rows` > 1 rows of at most `columns`. What there is no room for is counted in the last.
std::vector<std::string> status_rows(const std::map<std::string, LineEntry>& entries,
                                     int64_t now_ms, size_t columns, size_t most_rows, Ink ink);

// How often the line is drawn at most, whatever is printed meanwhile.
inline constexpr int64_t kRedrawMs = 50;

// A line at the foot of the terminal that tells how sessions stand while they run; of several
// sessions a row each, where the terminal has room for that. Whoever prints
// on the terminal hides it first; it comes back by itself. Nothing is drawn while the terminal is
// somebody else's or does not take what was printed before.
class StatusLine {
 public:
  struct Place {
    OutputStream& stream;             // a terminal
    std::function<size_t()> columns;  // its width
    std::function<bool()> is_ours;    // whether this process may draw on it now
    bool in_color = true;
    std::function<size_t()> most_rows = {};  // that it may take; without: one
  };
  StatusLine(loop::Loop& loop, Place place);

  // For what is to be changed of a session's part, which is shown from now on.
  LineEntry& entry(const std::string& session);
  void queue(const std::string& session);  // it will start later
  // It has ended: its row stays to say how, where there are rows.
  void finish(const std::string& session, std::string how);
  void clear();    // of all sessions; nothing is shown any more
  void hide();     // until something is printed
  void suspend();  // hides it until resume()
  void resume();
  void forget();  // what is on the terminal is no longer ours, or not in its place

 private:
  void draw();
  void draw_soon();
  void show(const std::vector<std::string>& rows);
  bool has_rows() const;

  loop::Loop& loop_;
  Place place_;
  std::map<std::string, LineEntry> entries_;
  loop::Timer timer_;
  size_t tick_ = 0;
  int64_t drawn_at_ms_;
  int64_t ticked_at_ms_ = 0;
  size_t shown_rows_ = 0;
  bool suspended_ = false;
};

}  // namespace orch::ui
