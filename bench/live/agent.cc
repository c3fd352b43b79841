// The agents of live_bench. They draw what Claude Code draws, as far as its rules look at it: the
// title, a spinner above the input box, the box, and the row below it.
//   live_agent stream FILE [GO DONE]  writes FILE in pieces of 4 KB as fast as it can; with GO and
//                                     DONE, waits for a writer of the pipe GO first, then opens
//                                     the pipe DONE, and stays
//   live_agent idle FILE              writes FILE, draws the prompt and stays
//   live_agent steady FILE N          the same as idle, and then writes N times a second what a
//   spinner
//                                     and a clock change
//   live_agent answers                takes messages for ever, and works at each for a tenth of a
//   second live_agent turns STAMPS N         takes a prompt, works and rests N times, and exits
//   live_agent flood STAMPS N         the same, while it writes lines without pause
// Each time the agent shows that it works, it appends a line "RUN NS" to the file STAMPS, where NS
// is CLOCK_MONOTONIC at the write; except the first time, which answers the prompt.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr size_t kPieceBytes = 4096;
constexpr size_t kForgetEvery = 64 * kPieceBytes;

constexpr std::string_view kReset = "\033c";  // RIS
constexpr std::string_view kFrame =
    "\x1b[36;1H────────────────────────────────────────────────────────────\x1b[K"
    "\x1b[37;1H❯\u00a0\x1b[K"
    "\x1b[38;1H────────────────────────────────────────────────────────────\x1b[K";
constexpr std::string_view kAtRest =
    "\x1b]0;✳ Claude Code\a\x1b[34;1H\x1b[K\x1b[39;1H  ? for shortcuts\x1b[K\x1b[37;3H";
constexpr std::string_view kAtWork =
    "\x1b]0;⠂ Claude Code\a\x1b[34;1H✳ Thinking… (1s · esc to interrupt)\x1b[K"
    "\x1b[39;1H  esc to interrupt\x1b[K\x1b[37;3H";

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

void say(std::string_view bytes) {
  if (!write_all(STDOUT_FILENO, bytes)) std::exit(1);
}

void take_over_keyboard() {
  termios modes{};
  ::tcgetattr(STDIN_FILENO, &modes);
  ::cfmakeraw(&modes);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &modes);
}

// Reads what was typed; exits when the terminal is gone.
std::string read_keys() {
  char keys[256];
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, keys, sizeof keys);
    if (n > 0) return std::string(keys, static_cast<size_t>(n));
    if (n == 0 || errno != EINTR) std::exit(0);
  }
}

[[noreturn]] void stay() {
  for (;;) read_keys();
}

// The typed text without keys and without the brackets of a paste.
std::string text_of(std::string_view typed) {
  std::string text;
  for (size_t i = 0; i < typed.size(); ++i) {
    if (typed[i] == '\x1b') {
      i = std::min(typed.find('~', i), typed.size());
    } else if (typed[i] >= ' ') {
      text += typed[i];
    }
  }
  return text;
}

// Writes the file to the terminal, and discards the replies to queries in it, which would fill the
// pty.
bool write_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info {};
  if (file < 0 || ::fstat(file, &info) != 0) return false;
  const auto size = static_cast<size_t>(info.st_size);
  const void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  if (at == MAP_FAILED) return false;
  const std::string_view bytes(static_cast<const char*>(at), size);
  for (size_t begin = 0; begin < size; begin += kPieceBytes) {
    say(bytes.substr(begin, kPieceBytes));
    if (begin % kForgetEvery == 0) ::tcflush(STDIN_FILENO, TCIFLUSH);
  }
  return true;
}

int stream(const std::string& path, const char* go, const char* done) {
  if (go != nullptr && ::open(go, O_RDONLY | O_CLOEXEC) < 0) return 2;
  if (!write_file(path)) return 2;
  if (done == nullptr) return 0;
  if (::open(done, O_WRONLY | O_CLOEXEC) < 0) return 2;
  stay();
}

class Turns {
 public:
  explicit Turns(const std::string& stamps)
      : stamps_(::open(stamps.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)) {
    const char* run = std::getenv("ORCH_RUN");
    if (run != nullptr) run_ = run;
  }

  void draw_rest() { say(kAtRest); }
  void draw_work() { say(kAtWork); }
  void draw_stamped_work() {
    const auto at = std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
    say(kAtWork);
    write_all(stamps_, run_ + " " + std::to_string(at) + "\n");
  }
  // Adds a random delay, so that agents that run at once do not keep step.
  milliseconds about(int ms) { return milliseconds(ms + static_cast<int>(random_() % 100)); }

 private:
  int stamps_;
  std::string run_;
  std::minstd_rand random_{static_cast<unsigned>(::getpid())};
};

void take_prompt() {
  say(std::string("\x1b[?2004h\x1b[2J").append(kFrame).append(kAtRest));
  for (std::string typed = read_keys(); !typed.ends_with('\r'); typed = read_keys()) {
    say("\x1b[37;3H" + text_of(typed));
  }
  say(kFrame);
}

// Rests until the detector has believed it, and then is quiet for 200 ms.
int turns(const std::string& stamps, int count) {
  Turns agent(stamps);
  take_prompt();
  agent.draw_work();
  for (int i = 0; i <= count; ++i) {
    std::this_thread::sleep_for(agent.about(50));
    agent.draw_rest();
    std::this_thread::sleep_for(agent.about(450));
    if (i < count) agent.draw_stamped_work();
  }
  return 0;
}

// A piece of output that scrolls above the box. Its lines are words of the agent, so each makes a
// record.
std::string flood_piece() {
  std::string piece;
  for (int line = 0; piece.size() < kPieceBytes; ++line) {
    piece += "  " + std::to_string(line) + ": all of this has scrolled away before anybody read it";
    piece += "\r\n";
  }
  return piece;
}

// In a flood the screen is looked at every 200 ms, and rest is believed at the second look.
int flood(const std::string& stamps, int count) {
  Turns agent(stamps);
  take_prompt();
  const std::string piece = flood_piece();
  agent.draw_work();
  const auto flood_for = [&piece](milliseconds time) {
    say("\x1b[1;33r\x1b[33;1H● All that I counted:\r\n");
    for (const auto end = Clock::now() + time; Clock::now() < end;) say(piece);
  };
  for (int i = 0; i <= count; ++i) {
    flood_for(agent.about(i == 0 ? 1000 : 300));  // the first time, the work must be seen
    agent.draw_rest();
    flood_for(agent.about(700));
    if (i < count) agent.draw_stamped_work();
  }
  return 0;
}

int idle(const std::string& path) {
  if (!write_file(path)) return 2;
  say(std::string(kReset).append(kFrame).append(kAtRest));
  stay();
}

// Not all agents at once: each begins at another moment of the second.
int steady(const std::string& path, int per_second) {
  if (!write_file(path)) return 2;
  say(std::string(kReset).append(kFrame).append(kAtRest));
  const auto pause = std::chrono::microseconds(1'000'000 / std::max(per_second, 1));
  std::this_thread::sleep_for(pause * (::getpid() % 100) / 100);
  for (int frame = 0;; ++frame) {
    constexpr std::string_view kSpinner[] = {"✳", "✢", "✶", "✻"};
    const std::string second = std::to_string(frame / std::max(per_second, 1));
    say("\x1b[?2026h\x1b[34;1H" + std::string(kSpinner[frame % 4]) + " Thinking… (" + second +
        "s · esc to interrupt)\x1b[K\x1b[39;1H  esc to interrupt\x1b[K\x1b[37;3H\x1b[?2026l");
    std::this_thread::sleep_for(pause);
  }
}

int answers() {
  for (;;) {
    take_prompt();
    say(kAtWork);
    std::this_thread::sleep_for(milliseconds(100));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  take_over_keyboard();
  if (words.size() >= 2 && words[0] == "stream") {
    return stream(words[1], argc > 4 ? argv[3] : nullptr, argc > 4 ? argv[4] : nullptr);
  }
  if (words.size() == 3 && words[0] == "turns") return turns(words[1], std::atoi(argv[3]));
  if (words.size() == 3 && words[0] == "flood") return flood(words[1], std::atoi(argv[3]));
  if (words.size() == 2 && words[0] == "idle") return idle(words[1]);
  if (words.size() == 1 && words[0] == "answers") return answers();
  if (words.size() == 3 && words[0] == "steady") return steady(words[1], std::atoi(argv[3]));
  return 2;
}
