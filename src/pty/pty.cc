#include "pty/pty.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "loop/loop.h"
#include "pty/containment.h"
#include "pty/init.h"
#include "pty/spawn.h"

namespace orch::pty {
namespace {

// How long a process that the child left behind may keep the terminal open before the end is
// reported.
constexpr int64_t kDrainDeadlineMs = 2000;

struct Terminal {
  base::Fd master;
  base::Fd slave;
};

bool set_size(int fd, int cols, int rows) {
  const auto limit = [](int n) { return static_cast<unsigned short>(std::clamp(n, 1, 0xFFFF)); };
  const winsize size{limit(rows), limit(cols), 0, 0};
  return ::ioctl(fd, TIOCSWINSZ, &size) == 0;
}

base::Fd open_slave(int master) {
  constexpr int kFlags = O_RDWR | O_NOCTTY | O_CLOEXEC;
  base::Fd slave(::ioctl(master, TIOCGPTPEER, kFlags));  // works in any mount namespace; Linux 4.13
  std::array<char, 64> name{};
  if (!slave.valid() && ::ptsname_r(master, name.data(), name.size()) == 0) {
    slave.reset(::open(name.data(), kFlags));
  }
  return slave;
}

// Opens both ends of a new terminal with this size. The master is non-blocking; the slave has the
// kernel's default modes, plus IUTF8, so that erasing a character erases all of its bytes.
base::Result<Terminal> open_terminal(int cols, int rows) {
  Terminal terminal;
  terminal.master.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  const int master = terminal.master.get();
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) {
    base::Error error = base::system_error("open a pseudo-terminal", errno);
    if (errno == ENOSPC) error.code = base::ErrorCode::kShortage;  // too few ptys
    return error;
  }
  terminal.slave = open_slave(master);
  termios modes{};
  if (!terminal.slave.valid() || ::tcgetattr(terminal.slave.get(), &modes) != 0) {
    return base::system_error("open a pseudo-terminal's slave", errno);
  }
  modes.c_iflag |= IUTF8;
  if (::tcsetattr(terminal.slave.get(), TCSANOW, &modes) != 0 || !set_size(master, cols, rows)) {
    return base::system_error("set up a pseudo-terminal", errno);
  }
  return terminal;
}

}  // namespace

base::Result<Started> start_on_terminal(const SpawnPlan& plan, int terminal) {
  return start_on(plan, {ChildStdio::Kind::kTerminal, {terminal, terminal, terminal}});
}

base::Result<Started> start_on(const SpawnPlan& plan, const ChildStdio& stdio) {
  if (plan.run != nullptr) return plan.run->start(plan.argv, plan.cwd, plan.env, stdio);
  const base::Result<pid_t> pid = spawn_child(plan.argv, plan.cwd, plan.env, stdio);
  if (!pid) return pid.error();
  return Started{*pid, nullptr};
}

TerminalSize size_of(int terminal) {
  winsize size{};
  if (::ioctl(terminal, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

bool is_canonical(int terminal) {
  termios modes{};
  return ::tcgetattr(terminal, &modes) == 0 && (modes.c_lflag & ICANON) != 0;
}

bool asks_secret(int terminal) {
  termios modes{};
  return ::tcgetattr(terminal, &modes) == 0 && (modes.c_lflag & (ICANON | ECHO)) == ICANON;
}

base::Result<std::unique_ptr<Pty>> Pty::spawn(loop::Loop& loop, const SpawnPlan& plan,
                                              Observer& observer) {
  base::Result<Terminal> terminal = open_terminal(plan.cols, plan.rows);
  if (!terminal) return terminal.error();
  const int slave = terminal->slave.get();
  base::Result<Started> child = start_on_terminal(plan, slave);
  if (!child) return child.error();
  return std::unique_ptr<Pty>(new Pty(loop, std::move(terminal->master), std::move(terminal->slave),
                                      std::move(child).value(), observer));
}

Pty::Pty(loop::Loop& loop, base::Fd master, base::Fd slave, Started child, Observer& observer)
    : observer_(observer),
      master_(loop, std::move(master)),
      slave_(std::move(slave)),
      drain_(loop),
      child_(
          loop, child.pid, [this](ExitStatus status) { on_reaped(status); },
          std::move(child.init)) {
  watch();
}

Pty::~Pty() = default;

void Pty::watch() {
  const int events =
      (reading_ == Reading::kOn ? loop::kReadable : 0) | (queue_.empty() ? 0 : loop::kWritable);
  if (events == 0) {
    master_.stop();
  } else {
    master_.start(events, [this](int ready) { on_ready(ready); });
  }
}

void Pty::write(std::string bytes) {
  if (phase_ != Phase::kRunning || bytes.empty()) return;
  const bool behind_others = !queue_.empty();
  queue_.push(std::move(bytes));
  if (behind_others) return;
  if (!queue_.flush(master_.get())) queue_.clear();
  if (!queue_.empty()) watch();
}

void Pty::resize(int cols, int rows) { set_size(master_.get(), cols, rows); }

void Pty::pause_reading() {
  if (reading_ != Reading::kOn || phase_ == Phase::kEnded) return;
  reading_ = Reading::kPaused;
  drain_.stop();
  watch();
}

void Pty::resume_reading() {
  if (reading_ != Reading::kPaused || phase_ == Phase::kEnded) return;
  reading_ = Reading::kOn;
  watch();
  if (phase_ != Phase::kRunning) await_end(kDrainDeadlineMs);
}

void Pty::stop(std::string quit_keys, int64_t quit_ms, int64_t term_ms) {
  const StopTimes times{quit_keys.empty() ? 0 : quit_ms, term_ms};
  if (child_.stop(times) == StopStep::kQuitKeys) write(std::move(quit_keys));
}

void Pty::on_ready(int events) {
  if ((events & loop::kWritable) != 0) {
    if (!queue_.flush(master_.get())) queue_.clear();
    if (queue_.empty()) watch();
  }
  if ((events & loop::kReadable) != 0) on_readable();
}

void Pty::on_readable() {
  std::array<char, kReadBufferBytes> buffer;
  const ReadBurst burst = read_burst(master_.get(), buffer);
  if (!burst.bytes.empty()) {
    observer_.on_output(burst.bytes);  // may have destroyed us; the end is seen by the next read
  } else if (burst.at_end) {
    reading_ = Reading::kAtEnd;
    queue_.clear();
    watch();
    if (phase_ != Phase::kRunning) end();
  }
}

void Pty::on_reaped(ExitStatus status) {
  status_ = status;
  phase_ = Phase::kDraining;
  slave_.reset();
  queue_.clear();
  if (reading_ == Reading::kAtEnd || status.left != 0) return end();
  watch();
  if (reading_ == Reading::kOn) await_end(kDrainDeadlineMs);
}

void Pty::await_end(int64_t delay_ms) {
  drain_.start(delay_ms, [this] { on_drain_deadline(); });
}

void Pty::on_drain_deadline() {
  if (phase_ == Phase::kLastRead) return end();
  phase_ = Phase::kLastRead;
  await_end(1);  // a late loop runs timers before it reads bytes that are already there
}

void Pty::end() {
  phase_ = Phase::kEnded;
  master_.stop();
  drain_.stop();
  observer_.on_end(status_);
}

}  // namespace orch::pty
