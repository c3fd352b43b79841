// responsive ORCH SLOW_FSYNC [SECONDS [CONDITION...]]: measures how long a session takes to answer
// `status`, over a new connection each time as `orch status` does, while other sessions of its host
// start and end one after the other. Prints one line for each CONDITION (default: all), measured
// for SECONDS (10). The bound is 100 ms (p99).
//   plain   nothing else
//   fsync   each fsync takes 500 ms
//   stderr  nobody reads the host's stderr, a pipe that is full
//   idle    200 peers have asked once and stay
//   flood   one peer asks as fast as it can
//   all     all of that
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "chatter_host.h"
#include "peer/session_socket.h"
#include "pty/spawn.h"
#include "store/session_file.h"
#include "wire/frame.h"
#include "wire/message.h"

namespace orch::soak {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr int64_t kLimitUs = 100'000;
constexpr int kIdlePeers = 200;
constexpr int kOthers = 400;  // sessions that start and end; more than a condition needs
constexpr milliseconds kPause{20};
constexpr milliseconds kAskEvery{5};
constexpr std::chrono::seconds kPatience{30};
constexpr const char* kWatched = "watched";

struct Condition {
  std::string name;
  bool is(std::string_view what) const { return name == what || name == "all"; }
};

pid_t living = 0;  // the host, to be ended if the program gives up

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  if (living > 0) ::kill(living, SIGKILL);
  std::exit(2);
}

std::string status_request() {
  return wire::encode(wire::FrameType::kRequest, wire::to_json(wire::Request{1, {}}));
}

// A pipe that is full.
struct FullPipe {
  FullPipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) give_up("pipe");
    read_end.reset(ends[0]);
    write_end.reset(ends[1]);
    const std::string block(4096, 'x');
    while (::write(write_end.get(), block.data(), block.size()) > 0) {
    }
    ::fcntl(write_end.get(), F_SETFL, 0);
  }
  base::Fd read_end, write_end;
};

// An orch run with one session that stays and others that do not. The destructor ends it.
class Host {
 public:
  Host(const std::string& orch, const std::string& slow_fsync, const Condition& condition)
      : folder_((fs::temp_directory_path() / "orch-responsive-XXXXXX").string()) {
    if (::mkdtemp(folder_.data()) == nullptr) give_up("mkdtemp " + folder_);
    fs::create_directories(folder_ + "/.git");
    std::vector<std::string> words{orch, "run",    "--output", "quiet", "--jobs",
                                   "2",  kWatched, "--cwd",    folder_};
    for (int i = 0; i < kOthers; ++i) words.push_back(std::to_string(i));
    for (const char* word :
         {"--", "sh", "-c", "case $ORCH_RUN in *-watched-*) exec sleep 1000;; esac; sleep 0.3"}) {
      words.emplace_back(word);
    }
    const char* path = std::getenv("PATH");
    std::vector<std::string> env{"HOME=" + folder_, "ORCH_STATE_DIR=" + state(),
                                 std::string("PATH=") + (path == nullptr ? "/usr/bin:/bin" : path)};
    if (condition.is("fsync")) env.push_back("LD_PRELOAD=" + slow_fsync);
    const base::Fd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const int errors = condition.is("stderr") ? full_.write_end.get() : nowhere.get();
    const auto pid =
        pty::spawn_child(words, folder_, env,
                         {pty::ChildStdio::Kind::kPipes, {nowhere.get(), nowhere.get(), errors}});
    if (!pid) give_up(pid.error().text);
    pid_ = living = *pid;
    await_socket();
  }
  ~Host() {
    full_.read_end.reset();  // otherwise the host could not end
    ::kill(pid_, SIGTERM);
    const Clock::time_point until = Clock::now() + kPatience;
    while (::waitpid(pid_, nullptr, WNOHANG) == 0) {
      if (Clock::now() > until) ::kill(pid_, SIGKILL);
      std::this_thread::sleep_for(kPause);
    }
    living = 0;
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  const std::string& socket() const { return socket_; }
  size_t runs() const {
    std::error_code ignored;
    return static_cast<size_t>(std::distance(fs::directory_iterator(state() + "/runs", ignored),
                                             fs::directory_iterator()));
  }

 private:
  std::string state() const { return folder_ + "/state"; }

  void await_socket() {
    const Clock::time_point until = Clock::now() + kPatience;
    while (socket_.empty()) {
      const auto found = store::list_sessions(state());
      for (const store::SessionRecord& session : *found) {
        if (session.issue == kWatched) socket_ = session.socket;
      }
      if (Clock::now() > until) give_up("the host does not start");
      std::this_thread::sleep_for(kPause);
    }
  }

  std::string folder_;
  FullPipe full_;
  pid_t pid_ = 0;
  std::string socket_;
};

base::Fd connect(const std::string& socket) {
  base::Result<base::Fd> connection = peer::connect_to(socket);
  if (!connection) give_up(connection.error().text);
  return std::move(connection).value();
}

// Sends a request, waits for the first byte of the answer, and reads what is there.
bool ask(const base::Fd& connection, std::string_view request) {
  if (::write(connection.get(), request.data(), request.size()) !=
      static_cast<ssize_t>(request.size())) {
    return false;
  }
  pollfd readable{connection.get(), POLLIN, 0};
  std::array<char, 4096> answer;
  return ::poll(&readable, 1, 30'000) == 1 &&
         ::read(connection.get(), answer.data(), answer.size()) > 0;
}

// Sends requests without end, and reads the answers.
[[noreturn]] void flood(const std::string& socket) {
  const base::Fd connection = connect(socket);
  std::string requests;
  while (requests.size() < (64 << 10)) requests += status_request();
  size_t at = 0;
  std::array<char, 64 << 10> answers;
  pollfd either{connection.get(), POLLIN | POLLOUT, 0};
  while (::poll(&either, 1, -1) == 1) {
    if ((either.revents & (POLLHUP | POLLERR)) != 0) break;
    if ((either.revents & POLLIN) != 0 &&
        ::read(connection.get(), answers.data(), answers.size()) == 0) {
      break;
    }
    if ((either.revents & POLLOUT) != 0) {
      const ssize_t sent = ::write(connection.get(), requests.data() + at, requests.size() - at);
      if (sent > 0) at = (at + static_cast<size_t>(sent)) % requests.size();
    }
  }
  ::_exit(0);
}

class Flooder {
 public:
  explicit Flooder(const std::string& socket) : pid_(::fork()) {
    if (pid_ == 0) flood(socket);
  }
  ~Flooder() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Flooder(const Flooder&) = delete;
  Flooder& operator=(const Flooder&) = delete;

 private:
  pid_t pid_;
};

bool measure(const std::string& orch, const std::string& slow_fsync, const Condition& condition,
             std::chrono::seconds length) {
  const Host host(orch, slow_fsync, condition);
  const std::string request = status_request();
  std::vector<base::Fd> idle;
  while (condition.is("idle") && idle.size() < kIdlePeers) {
    idle.push_back(connect(host.socket()));
    if (!ask(idle.back(), request)) give_up("an idle peer is not answered");
  }
  std::optional<Flooder> flooder;
  if (condition.is("flood")) flooder.emplace(host.socket());

  std::vector<int64_t> us;
  const size_t runs_before = host.runs();
  for (const Clock::time_point until = Clock::now() + length; Clock::now() < until;) {
    const Clock::time_point asked = Clock::now();
    if (!ask(connect(host.socket()), request)) give_up("a status is not answered");
    us.push_back(std::chrono::duration_cast<microseconds>(Clock::now() - asked).count());
    std::this_thread::sleep_for(kAskEvery);
  }
  const auto ms = [&us](double percent) {
    return static_cast<double>(percentile(us, percent)) / 1000.0;
  };
  std::printf("%-8s p50 %7.2f  p99 %7.2f  max %7.2f ms of %5zu, %3zu sessions begun (limit 100)\n",
              condition.name.c_str(), ms(50), ms(99), ms(100), us.size(),
              host.runs() - runs_before);
  std::fflush(stdout);
  return percentile(us, 99) <= kLimitUs;
}

}  // namespace
}  // namespace orch::soak

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: responsive ORCH SLOW_FSYNC [SECONDS [CONDITION...]]\n");
    return 2;
  }
  ::signal(SIGPIPE, SIG_IGN);
  const std::chrono::seconds length(argc > 3 ? std::atoi(argv[3]) : 10);
  std::vector<std::string> conditions(argv + std::min(argc, 4), argv + argc);
  if (conditions.empty()) conditions = {"plain", "fsync", "stderr", "idle", "flood", "all"};
  bool good = true;
  for (const std::string& name : conditions) {
    good = orch::soak::measure(argv[1], argv[2], {name}, length) && good;
  }
  return good ? 0 : 1;
}
