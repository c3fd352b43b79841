#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "loop/loop.h"

namespace orch::host {

// The work of `orch internal notify`: runs a --notify command in a shell, once for each event, with
// the event as a line of JSON on its standard input. The command's output is dropped. A few run at
// a time, begun in the order of the events; one that takes longer than 30 s is ended.
class NotifyDuty {
 public:
  NotifyDuty(loop::Loop& loop, std::string command, std::vector<std::string> environment);
  ~NotifyDuty();
  NotifyDuty(const NotifyDuty&) = delete;
  NotifyDuty& operator=(const NotifyDuty&) = delete;

  void tell(std::string_view json);
  // Calls on_done, once, when the command was run for all events; at once if it was already.
  void when_done(std::function<void()> on_done);

 private:
  class Command;
  void start_waiting();
  void on_ended(const Command* command);

  loop::Loop& loop_;
  std::string command_;
  std::vector<std::string> environment_;
  std::deque<std::string> waiting_;
  std::vector<std::unique_ptr<Command>> running_;
  std::function<void()> on_done_;
};

}  // namespace orch::host
