#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "loop/loop.h"
#include "pty/pty.h"

namespace orch::pty {

// The environment of every child in these tests.
std::vector<std::string> plain_env();
SpawnPlan shell(std::string script);  // sh -c script
std::string errno_text(int errno_value);

// Keeps what a child says and how it ended; waits for either by running the loop. A wait that takes
// 20 s fails the test instead of hanging it.
class Recorder final : public Observer {
 public:
  explicit Recorder(loop::Loop& loop) : loop_(loop) {}
  void on_output(std::string_view bytes) override;
  void on_end(ExitStatus status) override;

  bool wait_for(std::string_view text);  // true when the output holds it
  ExitStatus wait_for_end();

  std::string output;
  std::optional<ExitStatus> end;

 private:
  bool wait_until(std::function<bool()> condition);

  loop::Loop& loop_;
  std::function<bool()> condition_;
};

// A named pipe by which a test tells a child to go on.
class Gate {
 public:
  Gate();
  ~Gate();
  void open();  // lets one `read` of path() go on
  const std::string& path() const { return path_; }

 private:
  std::string directory_;
  std::string path_;
  base::Fd fd_;
};

// A number that follows `label` in text, such as a pid that a child printed.
pid_t number_after(const std::string& text, std::string_view label);

// Waits for the child `pid` of ours to become a zombie and leaves it one.
void wait_for_zombie(pid_t pid);

// Waits for the end of a process that has become our child (see become_subreaper) and reaps it; the
// signal it died of, or 0.
int reap_adopted(pid_t pid);

}  // namespace orch::pty
