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
#include "ui/foot_rows.h"
#include "ui/output_stream.h"
#include "ui/painter.h"

namespace orch::ui {

// One session's part of the status line, "orch-42 working (tool) 1m23s turn 2", or a row of its
// own.
struct LineEntry {
  enum class Phase : uint8_t { kQueued, kRunning, kEnded };

  event::AgentStatus status = event::AgentStatus::kStarting;
  event::Cause cause = event::Cause::kNone;
  int64_t started_ms = 0;
  int turn = 0;
  Phase phase = Phase::kRunning;
  std::string agent = {};
  std::string words = {};     // the agent's last words
  std::string question = {};  // the question of the dialog that waits; "" without one
  std::string ended = {};     // how the session ended: "complete (0)"
  int64_t ended_ms = 0;
  std::string tokens = {};  // tokens used, "1.2k"; "" if the agent does not report them
  int gate = 0;             // the number of the gate that runs; 0 if none does
  std::string gate_command = {};
  int64_t gate_ms = 0;  // since when it runs
};
// Updates the entry with an event of its session, which came at `now_ms`.
void update_entry(LineEntry& entry, const event::Event& event, int64_t now_ms);

// The whole line, cut to `columns`; `tick` moves the spinner of the agents that are at work.
std::string status_text(const std::map<std::string, LineEntry>& entries, int64_t now_ms,
                        size_t tick, size_t columns);

// The rows of several sessions as `orch top` shows them, the neediest first, in at most `most_rows`
// > 1 rows of at most `columns`. If there is not enough room, the last row counts the rest.
std::vector<std::string> status_rows(const std::map<std::string, LineEntry>& entries,
                                     int64_t now_ms, size_t columns, size_t most_rows, Ink ink);

// The line is drawn at most this often, however much is printed.
inline constexpr int64_t kRedrawMs = 80;

// A line at the foot of the terminal that shows the sessions' states while they run. If the
// terminal has room, several sessions get a row each. Other rows may stand above. Print through
// print(), or call hide() first; the line comes back by itself. Nothing is drawn while the terminal
// belongs to somebody else or has not yet taken the output before.
class StatusLine {
 public:
  // The limit of text kept for the next drawing.
  static constexpr size_t kMostPrintedBytes = 16 << 10;

  struct Place {
    OutputStream& stream;             // a terminal
    std::function<size_t()> columns;  // its width
    std::function<bool()> is_ours;    // whether this process may draw on it now
    bool in_color = true;
    std::function<size_t()> most_rows = {};  // how many rows it may take; without it: one
    // The rows to show above the line, as FootRows wants them; without it: none.
    std::function<std::vector<std::string>()> rows_above = {};
  };
  StatusLine(loop::Loop& loop, Place place);

  // The entry of a session, to be changed; from now on the session is shown.
  LineEntry& entry(const std::string& session);
  void queue(const std::string& session);  // the session will start later
  // The session has ended: where there are several rows, its row stays and says how it ended.
  void finish(const std::string& session, std::string how);
  // Prints whole lines above the line: together with its next drawing where it is shown, otherwise
  // at once.
  void print(std::string lines);
  void print_now();                                  // draws now if print() has kept something
  void redraw_soon();                                // the rows above the line have changed
  void redraw_now();                                 // after something was printed without print()
  int64_t now_ms() const { return loop_.now_ms(); }  // by the clock of LineEntry
  void clear();    // forgets all sessions; nothing is shown any more
  void hide();     // until the next drawing, so that something can be printed
  void suspend();  // hides it until resume()
  void resume();
  void forget();  // call it when the terminal may have lost or moved the line

 private:
  void draw();
  void draw_soon();
  void show(std::vector<std::string> rows);
  bool has_rows() const;

  loop::Loop& loop_;
  Place place_;
  std::map<std::string, LineEntry> entries_;
  loop::Timer timer_;
  size_t tick_ = 0;
  int64_t drawn_at_ms_;
  int64_t ticked_at_ms_ = 0;
  FootRows foot_;
  std::string printed_;  // kept by print(); "" unless the rows are shown
  bool suspended_ = false;
};

}  // namespace orch::ui
