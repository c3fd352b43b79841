// chatter FOLDER BYTES LINE RATE: an agent; one host runs several of them. The first one to start
// writes its run's id to FOLDER/flooder. Once the pipe FOLDER/go is opened for writing, it writes
// BYTES bytes (0: for ever) in lines of LINE bytes, RATE bytes a second (0: as fast as it can), and
// exits. Every 250 ms it changes its title, and so its status: during a flood the screen is looked
// at every 200 ms. The others print the time, "@<ns>@" of the monotonic clock, every 100 ms.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBeat{100};
constexpr std::chrono::milliseconds kStatus{250};
constexpr size_t kPieceBytes = 4096;

bool say(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

int flood(const std::string& folder, uint64_t bytes, size_t line_bytes, uint64_t rate) {
  if (::open((folder + "/go").c_str(), O_RDONLY | O_CLOEXEC) < 0) return 1;
  const std::string line = std::string(line_bytes - 1, 'y') + "\n";
  std::string piece;
  while (piece.size() < kPieceBytes) piece += line;
  bool even = false;
  const Clock::time_point start = Clock::now();
  Clock::time_point next = start;
  for (uint64_t said = 0; bytes == 0 || said < bytes; said += piece.size()) {
    if (Clock::now() >= next) {
      next = Clock::now() + kStatus;
      even = !even;
      if (!say(even ? "\x1b]0;even\a" : "\x1b]0;odd\a")) return 1;
    }
    if (!say(piece)) return 1;
    if (rate > 0) {
      std::this_thread::sleep_until(start + std::chrono::microseconds(said * 1'000'000 / rate));
    }
  }
  return 0;
}

int beat() {
  for (;;) {
    const auto now = std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
    if (!say("@" + std::to_string(now) + "@\n")) return 1;
    std::this_thread::sleep_for(kBeat);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::string folder = argv[1];
  const int first =
      ::open((folder + "/flooder").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (first < 0) return beat();
  const char* run = std::getenv("ORCH_RUN");
  if (run == nullptr || ::write(first, run, std::strlen(run)) < 0) return 2;
  const auto number = [argv](int i) { return std::strtoull(argv[i], nullptr, 10); };
  return flood(folder, number(2), number(3), number(4));
}
