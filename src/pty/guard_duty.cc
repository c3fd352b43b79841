#include "pty/guard_duty.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <thread>

#include "pty/containment.h"

namespace orch::pty {
namespace {

using Clock = std::chrono::steady_clock;
using Runs = std::vector<std::unique_ptr<Containment>>;

constexpr std::chrono::milliseconds kPolitely{2000};
constexpr std::chrono::milliseconds kByForce{6000};
// Longer than usual, because nobody waits for us.
constexpr std::chrono::milliseconds kForGuardians{3000};
constexpr std::chrono::milliseconds kForCgroups{1000};
constexpr std::chrono::milliseconds kPause{20};
constexpr int kQuietLooks = 2;

void append_text(std::string& message, std::string_view text) {
  message.append(text).push_back('\0');
}

// The process is not named orch: `pkill -9 orch` ends the host, and the guardian has to survive
// that.
void become_guardian() {
  for (const int signum : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) ::signal(signum, SIG_IGN);
  ::prctl(PR_SET_NAME, "guardian", 0, 0, 0);
  leave_run_cgroups();
}

void read_until_end(int pipe, WatchList& list) {
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t n = ::read(pipe, buffer.data(), buffer.size());
    if (n > 0) {
      list.feed({buffer.data(), static_cast<size_t>(n)});
    } else if (n == 0 || errno != EINTR) {
      return;
    }
  }
}

// Repeats `step`, which returns how many processes it has found, until it has found none twice in a
// row or the time is over.
void repeat(std::chrono::milliseconds limit, const Runs& runs,
            const std::function<size_t(Containment&)>& step) {
  const Clock::time_point until = Clock::now() + limit;
  for (int quiet = 0; quiet < kQuietLooks && Clock::now() < until;) {
    size_t found = 0;
    for (const auto& run : runs) found += step(*run);
    quiet = found == 0 ? quiet + 1 : 0;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

std::string watch_message(const Guardian::Watched& run) {
  std::string message = "+";
  for (const std::string& text : {run.run, run.run_dir, run.session_key}) {
    append_text(message, text);
  }
  return message;
}

std::string release_message(std::string_view run) {
  std::string message = "-";
  append_text(message, run);
  return message;
}

std::string queue_message(std::string_view state_dir) {
  std::string message = "=";
  append_text(message, state_dir);
  return message;
}

void WatchList::feed(std::string_view bytes) {
  pending_ += bytes;
  while (take_message()) continue;
}

// False if the message at the front is not complete yet.
bool WatchList::take_message() {
  if (pending_.empty()) return false;
  const char kind = pending_.front();
  const bool adds = kind == '+';
  std::array<std::string, 3> texts;
  const size_t wanted = adds ? texts.size() : 1;
  size_t at = 1;
  for (size_t i = 0; i < wanted; ++i) {
    const size_t end = pending_.find('\0', at);
    if (end == std::string::npos) return false;
    texts[i] = pending_.substr(at, end - at);
    at = end + 1;
  }
  pending_.erase(0, at);
  if (adds) {
    runs_[texts[0]] = {texts[0], texts[1], texts[2]};
  } else if (kind == '=') {
    queue_ = texts[0];
  } else {
    runs_.erase(texts[0]);
  }
  return true;
}

Left stand_guard(int pipe) {
  const std::string cgroup = own_cgroup();  // the group of the host
  become_guardian();
  WatchList list;
  read_until_end(pipe, list);
  Left left{.runs = {}, .queue = list.queue()};
  Runs runs;
  for (const auto& [id, run] : list.runs()) {
    left.runs.push_back(run);
    runs.push_back(std::make_unique<Containment>(id, Cgroup::find(cgroup, id)));
  }
  if (runs.empty()) return left;
  repeat(kPolitely, runs, [](Containment& run) { return run.ask_to_end(); });
  repeat(kByForce, runs, [](Containment& run) { return run.kill(kForGuardians); });
  repeat(kForCgroups, runs, [](Containment& run) { return run.remove_cgroup() ? 0U : 1U; });
  return left;
}

}  // namespace orch::pty
