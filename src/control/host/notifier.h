#pragma once

#include <sys/types.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "loop/child_watch.h"
#include "loop/loop.h"

namespace orch::host {

// Has the user's --notify command run for events, each as a line of JSON, without ever waiting for
// it: processes of their own run the command (`orch internal notify`, notify_duty.h). They get all
// their events at their start, and outlive this process.
class Notifier {
 public:
  Notifier(loop::Loop& loop, std::string command, std::vector<std::string> environment);
  ~Notifier();
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  void tell(std::string_view json);
  // No more events will come, and this process wants to end. Calls on_left, once: at once, because
  // other processes have taken over the remaining events. But as process 1 it waits for them, since
  // all processes of a container end with its process 1.
  void leave(std::function<void()> on_left);

 private:
  struct Duty {
    pid_t pid = 0;
    std::unique_ptr<loop::ChildWatch> watch;
  };
  void start(const std::string& lines);
  base::Result<pid_t> spawn(const std::string& lines) const;
  void on_ended(pid_t pid);

  loop::Loop& loop_;
  std::string command_;
  std::vector<std::string> environment_;
  std::deque<std::string> waiting_;
  std::vector<Duty> running_;
  std::function<void()> on_left_;
};

}  // namespace orch::host
