#include "demo/demo.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/fd.h"
#include "base/json.h"
#include "demo/agent.h"
#include "demo/command_line.h"
#include "demo/late_output.h"

namespace orch::demo {
namespace {

constexpr int kHungUp = 1;  // exit code when the terminal is gone

int64_t now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// Keeps the terminal in raw mode while it lives.
class RawTerminal {
 public:
  RawTerminal() {
    tcgetattr(STDIN_FILENO, &before_);
    termios raw = before_;
    cfmakeraw(&raw);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  ~RawTerminal() { tcsetattr(STDIN_FILENO, TCSANOW, &before_); }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  termios before_{};
};

winsize window_size() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    size.ws_col = 80;
    size.ws_row = 24;
  }
  return size;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

volatile std::sig_atomic_t window_changed = 0;

// SIGWINCH is blocked except while waiting, so that none is lost between looking at the flag and
// waiting.
sigset_t watch_window() {
  struct sigaction action {};
  action.sa_handler = [](int) { window_changed = 1; };
  sigaction(SIGWINCH, &action, nullptr);
  sigset_t winch, before;
  sigemptyset(&winch);
  sigaddset(&winch, SIGWINCH);
  sigprocmask(SIG_BLOCK, &winch, &before);
  sigdelset(&before, SIGWINCH);
  return before;
}

// Waits for input, a signal or the time. Returns false if the terminal has hung up.
bool wait_and_read(Agent& agent, std::optional<int64_t> until, const sigset_t& while_waiting) {
  timespec timeout{};
  if (until) {
    const int64_t ms = std::max<int64_t>(*until - now_ms(), 0);
    timeout = {ms / 1000, ms % 1000 * 1'000'000};
  }
  pollfd terminal{STDIN_FILENO, POLLIN, 0};
  const int ready = ppoll(&terminal, 1, until ? &timeout : nullptr, &while_waiting);
  if (ready <= 0) return ready == 0 || errno == EINTR;
  std::array<char, 16384> buffer;
  const ssize_t n = read(STDIN_FILENO, buffer.data(), buffer.size());
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (n > 0) agent.on_input({buffer.data(), static_cast<size_t>(n)}, now_ms());
  return n > 0;
}

std::string log_lines(const std::vector<std::string>& messages) {
  std::string lines;
  for (const std::string& message : messages) {
    lines += base::json_line(base::Json{{"message", message}}) + "\n";
  }
  return lines;
}

// The file of a session's messages; invalid without a session, or if the file cannot be opened.
struct Memory {
  base::Fd file;
  std::vector<std::string> messages;  // of earlier processes
};

// Returns nullopt, and writes an error, if the session to resume does not exist or the new one
// exists already.
std::optional<Memory> open_memory(const CommandLine& line) {
  Memory memory;
  if (line.session.empty()) return memory;
  std::error_code failure;
  std::filesystem::create_directories(line.memory, failure);
  const std::string path = line.memory + "/" + line.session + ".jsonl";
  const int flags = line.resumes ? O_APPEND : O_CREAT | O_EXCL;
  memory.file.reset(open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0600));
  if (!memory.file.valid() && (line.resumes || errno == EEXIST)) {
    std::fprintf(
        stderr,
        line.resumes ? "demo-agent: no session %s\n" : "demo-agent: session %s is there already\n",
        line.session.c_str());
    return std::nullopt;
  }
  std::ifstream before(path);
  for (std::string text; line.resumes && std::getline(before, text);) {
    const auto json = base::parse_json(text);
    if (json.is_object()) memory.messages.push_back(json.value("message", ""));
  }
  return memory;
}

std::optional<int64_t> earlier(std::optional<int64_t> one, std::optional<int64_t> other) {
  return one && other ? std::min(one, other) : one ? one : other;
}

// Writes the output that is still on its way when the agent has ended.
bool write_rest(LateOutput& late) {
  while (const auto due = late.deadline()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(*due - now_ms()));
    if (!write_all(STDOUT_FILENO, late.take(now_ms()))) return false;
  }
  return true;
}

int drive(Agent& agent, LateOutput late, int log, int memory) {
  const sigset_t while_waiting = watch_window();
  for (;;) {
    late.add(agent.take_output(), now_ms());
    if (!write_all(STDOUT_FILENO, late.take(now_ms()))) return kHungUp;
    const std::string lines = log_lines(agent.take_accepted());
    if (log >= 0 && !lines.empty() && !write_all(log, lines)) std::perror("demo-agent: log");
    if (memory >= 0) write_all(memory, lines);  // if this fails, there will be nothing to resume
    if (agent.exit_code()) return write_rest(late) ? *agent.exit_code() : kHungUp;
    const std::optional<int64_t> until = earlier(agent.deadline(), late.deadline());
    if (!wait_and_read(agent, until, while_waiting)) return kHungUp;
    if (window_changed != 0) {
      window_changed = 0;
      const winsize size = window_size();
      agent.on_resize(size.ws_col, size.ws_row, now_ms());
    }
    agent.on_time(now_ms());
  }
}

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

int run_demo_agent(std::span<const std::string> args) {
  const auto line = parse_command_line(args, environment);
  if (!line) {
    std::fprintf(stderr, "%s\n", line.error().text.c_str());
    return 2;
  }
  if (line.value().scenario == nullptr) {
    std::fputs(help_text().c_str(), stdout);
    return 0;
  }
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    std::fputs("demo-agent: stdin and stdout must be a terminal\n", stderr);
    return 2;
  }
  base::Fd log;
  if (const std::string& path = line.value().log; !path.empty()) {
    log.reset(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    if (!log.valid()) {
      std::fprintf(stderr, "%s\n", base::system_error("demo-agent: " + path, errno).text.c_str());
      return 2;
    }
  }
  std::optional<Memory> memory = open_memory(*line);
  if (!memory) return 1;
  const RawTerminal raw;
  const winsize size = window_size();
  Agent agent(*line.value().scenario, line.value().pace, size.ws_col, size.ws_row, now_ms());
  agent.remember(std::move(memory->messages));
  return drive(agent, LateOutput(line->lag_ms), log.get(), memory->file.get());
}

}  // namespace orch::demo
