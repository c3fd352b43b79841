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
SpawnPlan shell(std::string script);  // runs sh -c script
std::string errno_text(int errno_value);

// Records a child's output and how it ended, and waits for either by running the loop. A wait of 20
// s fails the test.
class Recorder final : public Observer {
 public:
  explicit Recorder(loop::Loop& loop) : loop_(loop) {}
  void on_output(std::string_view bytes) override;
  void on_end(ExitStatus status) override;

  bool wait_for(std::string_view text);  // false: it did not come
  ExitStatus wait_for_end();

  std::string output;
  std::optional<ExitStatus> end;

 private:
  bool wait_until(std::function<bool()> condition);

  loop::Loop& loop_;
  std::function<bool()> condition_;
};

// A named pipe with which a test lets a child go on.
class Gate {
 public:
  Gate();
  ~Gate();
  void open();  // lets one `read` from path() go on
  const std::string& path() const { return path_; }

 private:
  std::string directory_;
  std::string path_;
  base::Fd fd_;
};

// The number that follows `label` in text, such as a pid that a child printed.
pid_t number_after(const std::string& text, std::string_view label);

// Waits until our child `pid` is a zombie, and does not reap it.
void wait_for_zombie(pid_t pid);

// Waits for the end of a process that has become our child (see become_subreaper) and reaps it.
// Returns the signal that killed it, or 0.
int reap_adopted(pid_t pid);

}  // namespace orch::pty
