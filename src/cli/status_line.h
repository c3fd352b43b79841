#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "event/status.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace orch::cli {

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

// A line at the foot of the terminal that tells how sessions stand while they run. Whoever writes
// to the terminal hides it first. Moves by itself only while somebody works.
class StatusLine {
 public:
  // `fd` is a terminal; `columns` asks for its width.
  StatusLine(loop::Loop& loop, int fd, std::function<size_t()> columns);
  ~StatusLine();

  LineEntry& entry(const std::string& session);  // shown from now on
  void remove(const std::string& session);
  void hide();
  void show();

 private:
  void move();

  loop::Loop& loop_;
  int fd_;
  std::function<size_t()> columns_;
  std::map<std::string, LineEntry> entries_;
  loop::Timer timer_;
  size_t tick_ = 0;
  bool shown_ = false;
};

}  // namespace orch::cli
