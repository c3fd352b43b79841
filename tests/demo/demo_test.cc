// The demo agent in a process of its own, on a real terminal.
#include "demo/demo.h"

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "base/fd.h"
#include "term/screen.h"

namespace {

using orch::base::Fd;

// A child process that runs the demo agent on a pty.
class Process {
 public:
  Process(const std::vector<std::string>& args, winsize size)
      : screen_({size.ws_col, size.ws_row}) {
    int master = -1;
    pid_ = forkpty(&master, nullptr, nullptr, &size);
    if (pid_ == 0) _exit(orch::demo::run_demo_agent(args));
    master_.reset(master);
  }
  ~Process() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }

  void type(std::string_view bytes) {
    REQUIRE(write(master_.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  void resize(winsize size) {
    screen_.resize({size.ws_col, size.ws_row});
    REQUIRE(ioctl(master_.get(), TIOCSWINSZ, &size) == 0);
  }
  // Reads until the text is on the screen; false if there is no output for `quiet_ms`.
  bool wait_for(std::string_view text, int quiet_ms = 10'000) {
    while (!shows(text)) {
      if (!read_more(quiet_ms)) return false;
    }
    return true;
  }
  int wait_for_exit() {
    while (read_more(10'000)) {
    }
    int status = 0;
    REQUIRE(waitpid(pid_, &status, 0) == pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  bool read_more(int quiet_ms) {
    pollfd readable{master_.get(), POLLIN, 0};
    if (poll(&readable, 1, quiet_ms) <= 0) return false;
    std::array<char, 4096> buffer;
    const ssize_t n = read(master_.get(), buffer.data(), buffer.size());
    if (n <= 0) return false;
    screen_.feed({buffer.data(), static_cast<size_t>(n)});
    if (const std::string replies = screen_.take_replies(); !replies.empty()) type(replies);
    return true;
  }
  bool shows(std::string_view text) const {
    std::string all;
    for (int i = 0; i < screen_.size().rows; ++i) {
      screen_.append_row_text(i, all);
      all += '\n';
    }
    return all.find(text) != std::string::npos;
  }

  Fd master_;
  pid_t pid_ = -1;
  orch::term::Screen screen_;
};

}  // namespace

TEST_CASE("on a real terminal: a message, its turn, the log, a resize, and out") {
  std::array<char, 32> path{"/tmp/orch-demo-log-XXXXXX"};
  const Fd log(mkstemp(path.data()));
  REQUIRE(log.valid());
  Process process({"--scenario", "swallow-enter", "--speed", "0.01", "--log", path.data()},
                  {24, 80, 0, 0});
  REQUIRE(process.wait_for("enter to send"));
  process.type("\x1b[200~hello\x1b[201~");
  REQUIRE(process.wait_for("»\u00a0hello"));
  // The agent ignores Enter at first, and so does the scenario; so Enter is repeated.
  for (int i = 0; i < 1000 && !process.wait_for("LOOP_COMPLETE", 50); ++i) process.type("\r");
  process.resize({30, 60, 0, 0});
  REQUIRE(process.wait_for("enter to send · /help                      swallow-enter"));
  process.type("/exit");
  REQUIRE(process.wait_for("»\u00a0/exit"));
  process.type("\r");
  CHECK(process.wait_for_exit() == 0);
  std::ifstream logged(path.data());
  std::string line, more;
  std::getline(logged, line);
  CHECK(line == R"({"message":"hello"})");
  CHECK_FALSE(std::getline(logged, more));
  std::remove(path.data());
}
