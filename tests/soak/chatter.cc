// chatter FOLDER BYTES LINE: an agent of which several run in one host. The first one to come writes
// its run into FOLDER/flooder; once the pipe FOLDER/go is opened for writing it writes BYTES bytes (0: for ever)
// as fast as it can, in lines of LINE bytes, and exits. The others print the time, "@<ns>@" of the
// monotonic clock, every 100 ms. All of them change their status that often: their title says which
// (chatter.json).
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
constexpr size_t kPieceBytes = 4096;

bool say(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

std::string title(bool even) { return even ? "\x1b]0;even\a" : "\x1b]0;odd\a"; }

int flood(const std::string& folder, uint64_t bytes, size_t line_bytes) {
  if (::open((folder + "/go").c_str(), O_RDONLY | O_CLOEXEC) < 0) return 1;
  const std::string line = std::string(line_bytes - 1, 'y') + "\n";
  std::string piece;
  while (piece.size() < kPieceBytes) piece += line;
  bool even = false;
  Clock::time_point next = Clock::now();
  for (uint64_t said = 0; bytes == 0 || said < bytes; said += piece.size()) {
    if (Clock::now() >= next) {
      next = Clock::now() + kBeat;
      if (!say(title(even = !even))) return 1;
    }
    if (!say(piece)) return 1;
  }
  return 0;
}

int beat() {
  for (bool even = false;; even = !even) {
    const auto now = std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
    if (!say(title(even) + "@" + std::to_string(now) + "@\n")) return 1;
    std::this_thread::sleep_for(kBeat);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string folder = argv[1];
  const int first = ::open((folder + "/flooder").c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (first < 0) return beat();
  const char* run = std::getenv("ORCH_RUN");
  if (run == nullptr || ::write(first, run, std::strlen(run)) < 0) return 2;
  return flood(folder, std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
}
