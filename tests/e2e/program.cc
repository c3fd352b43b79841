#include "program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "skipped.h"
#include "term/render.h"

namespace orch::e2e {
namespace {

// How long a killed process may take to disappear. living_with_mark() takes as long for each that
// lives.
constexpr int kVanishMs = 5'000;
constexpr int kComesMs = 90'000, kLookMs = 20;

struct Pipe {
  base::Fd read, write;
};

Pipe make_pipe() {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  return {base::Fd(ends[0]), base::Fd(ends[1])};
}

base::Fd make_terminal(TerminalSize size) {
  base::Fd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE(master.valid());
  REQUIRE(::grantpt(master.get()) == 0);
  REQUIRE(::unlockpt(master.get()) == 0);
  const winsize window{size.rows, size.cols, 0, 0};
  REQUIRE(::ioctl(master.get(), TIOCSWINSZ, &window) == 0);
  return master;
}

// Makes a file without a name that contains `text`, and is read from its start.
base::Fd file_with(const std::string& text) {
  base::Fd file(::memfd_create("input", MFD_CLOEXEC));
  REQUIRE(::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  REQUIRE(::lseek(file.get(), 0, SEEK_SET) == 0);
  return file;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// The attributes and file actions to spawn one child: no signal is blocked, and those that tests
// ignore have their default action.
class SpawnOrders {
 public:
  SpawnOrders() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  }
  ~SpawnOrders() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnOrders(const SpawnOrders&) = delete;
  SpawnOrders& operator=(const SpawnOrders&) = delete;

  void go_to(const std::string& cwd) {
    posix_spawn_file_actions_addchdir_np(&actions_, cwd.c_str());
  }
  void connect(int fd, int as) { posix_spawn_file_actions_adddup2(&actions_, fd, as); }
  // Opens the terminal as the child's controlling terminal: a session leader gets the first one it
  // opens.
  void open_terminal(const std::string& path) {
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, path.c_str(), O_RDWR, 0);
    connect(STDIN_FILENO, STDOUT_FILENO);
  }
  pid_t spawn(const Launch& launch) {  // to be called once
    pid_t pid = -1;
    // Descriptors that the test's own parent left open must not reach the child.
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    const int failure =
        posix_spawn(&pid, launch.argv.front().c_str(), &actions_, &attributes_,
                    pointers_to(launch.argv).data(), pointers_to(launch.env).data());
    REQUIRE(failure == 0);
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

base::Fd open_pidfd(pid_t pid) {
  return base::Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
}

// The guardian of a host: its child of that name.
pid_t guardian_among(const std::string& children_file) {
  std::ifstream children(children_file);
  for (pid_t child = 0; children >> child;) {
    std::string name;
    std::ifstream("/proc/" + std::to_string(child) + "/comm") >> name;
    if (name == "guardian") return child;
  }
  return 0;
}

// Our child has ended, and is not reaped; any other process is gone.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
    return info.si_pid != 0;
  }
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

bool ends_within(pid_t pid, int timeout_ms) {
  const base::Fd pidfd = open_pidfd(pid);
  if (!pidfd.valid() && errno == ENOSYS) {  // tests/soak/old_kernel
    while (!has_ended(pid) && timeout_ms-- > 0) ::usleep(1'000);
    return has_ended(pid);
  }
  if (!pidfd.valid()) return errno == ESRCH;
  pollfd ended{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, timeout_ms) == 1;
}

int milliseconds_to(Clock::time_point until) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

// Appends what can be read to `text`; closes the descriptor at the end of the stream.
void read_into(base::Fd& fd, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
  if (n > 0) {
    text.append(buffer.data(), static_cast<size_t>(n));
  } else if (n == 0 || errno != EINTR) {
    fd.reset();  // a terminal whose other end is closed gives EIO
  }
}

}  // namespace

Launch on_terminal(Launch launch, TerminalSize size) {
  launch.terminal = size;
  launch.errors_on_terminal = true;
  return launch;
}

Launch by_shell(Launch launch, const std::string& script) {
  launch.argv.insert(launch.argv.begin(), {"/bin/bash", "-c", script, "bash"});
  return launch;
}

Program::Program(const Launch& launch) {
  SpawnOrders orders;
  Pipe err = make_pipe();
  Pipe out;
  base::Fd in = launch.is_given_input ? base::Fd() : file_with(launch.input);
  if (launch.is_given_input) {
    Pipe given = make_pipe();
    in = std::move(given.read);
    in_ = std::move(given.write);
  }
  orders.go_to(launch.cwd);
  if (launch.terminal) {
    out.read = make_terminal(*launch.terminal);
    std::array<char, 64> path{};
    REQUIRE(::ptsname_r(out.read.get(), path.data(), path.size()) == 0);
    orders.open_terminal(path.data());
    REQUIRE(::tcgetattr(out.read.get(), &modes_.emplace()) == 0);
    screen_.emplace(term::Size{launch.terminal->cols, launch.terminal->rows});
  } else {
    out = make_pipe();
    orders.connect(in.get(), STDIN_FILENO);
    orders.connect(out.write.get(), STDOUT_FILENO);
  }
  const bool same = launch.terminal && launch.errors_on_terminal;
  orders.connect(same ? STDOUT_FILENO : err.write.get(), STDERR_FILENO);
  pid_ = orders.spawn(launch);
  out_ = std::move(out.read);
  err_ = std::move(err.read);
}

Program::~Program() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Program::wait_for_output(std::string_view text) {
  wait_until_holds(seen_.out, text, Streams::kBoth);
}

void Program::wait_for_error(std::string_view text) {
  wait_until_holds(seen_.err, text, Streams::kErrors);
}

void Program::wait_until_holds(const std::string& stream, std::string_view text, Streams streams) {
  const Clock::time_point until = Clock::now() + kPatience;
  while (stream.find(text) == std::string::npos) {
    if (!read_some(streams, until)) give_up("never saw \"" + std::string(text) + "\"");
  }
}

void Program::wait_for_drawn(std::string_view text) {
  const Clock::time_point until = Clock::now() + kPatience;
  while (drawn().find(text) == std::string::npos) {
    if (!read_some(Streams::kBoth, until)) give_up("never saw \"" + std::string(text) + "\"");
  }
}

std::string Program::drawn() {
  screen_->feed(std::string_view(seen_.out).substr(drawn_));
  drawn_ = seen_.out.size();
  return term::render_text(*screen_);
}

void Program::wait_for_more_output() {
  const size_t before = seen_.out.size();
  const Clock::time_point until = Clock::now() + kPatience;
  while (seen_.out.size() == before) {
    if (!read_some(Streams::kBoth, until)) give_up("nothing more came");
  }
}

void Program::close_output() { out_.reset(); }

void Program::type(std::string_view bytes) {
  REQUIRE(::write(out_.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
}

void Program::give(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(in_.get(), bytes.data(), bytes.size());
    REQUIRE(written > 0);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void Program::end_input() { in_.reset(); }

void Program::resize(TerminalSize size) {
  drawn();
  screen_->resize({size.cols, size.rows});
  const winsize window{size.rows, size.cols, 0, 0};
  REQUIRE(::ioctl(out_.get(), TIOCSWINSZ, &window) == 0);
}

void Program::signal(int signum) { REQUIRE(::kill(pid_, signum) == 0); }

Outcome Program::finish() {
  const Clock::time_point until = Clock::now() + kPatience;
  while (read_some(Streams::kBoth, until)) continue;
  if (out_.valid() || err_.valid() || !ends_within(pid_, milliseconds_to(until))) {
    give_up("it did not end");
  }
  int status = 0;
  REQUIRE(::waitpid(pid_, &status, 0) == pid_);
  pid_ = -1;
  seen_.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return seen_;
}

bool Program::read_some(Streams streams, Clock::time_point until) {
  std::array<pollfd, 2> polled{
      {{err_.get(), POLLIN, 0}, {streams == Streams::kBoth ? out_.get() : -1, POLLIN, 0}}};
  if (polled[0].fd < 0 && polled[1].fd < 0) return false;
  const int ready = ::poll(polled.data(), polled.size(), milliseconds_to(until));
  if (ready < 0 && errno == EINTR) return true;
  if (ready <= 0) return false;
  if (polled[0].revents != 0) read_into(err_, seen_.err);
  if (polled[1].revents == 0) return true;
  if (modes_) compare_modes();
  read_into(out_, seen_.out);
  return true;
}

// Compares the terminal's modes with those from before. The last comparison, at the end, counts:
// then the terminal is gone.
void Program::compare_modes() {
  termios now{};
  REQUIRE(::tcgetattr(out_.get(), &now) == 0);
  seen_.terminal_as_found = now.c_iflag == modes_->c_iflag && now.c_oflag == modes_->c_oflag &&
                            now.c_cflag == modes_->c_cflag && now.c_lflag == modes_->c_lflag &&
                            std::equal(std::begin(now.c_cc), std::end(now.c_cc), modes_->c_cc);
}

void Program::give_up(const std::string& what) {
  FAIL(what << "\nstdout: " << seen_.out << "\nstderr: " << seen_.err);
  std::abort();
}

pid_t guardian_of(pid_t host) {
  const std::string of = std::to_string(host);
  const auto until = Clock::now() + kPatience;
  pid_t guardian = 0;
  while (guardian == 0 && Clock::now() < until) {
    guardian = guardian_among("/proc/" + of + "/task/" + of + "/children");
  }
  return guardian;
}

bool ends(pid_t pid) { return ends_within(pid, kVanishMs); }

bool comes(const std::string& path) {
  for (int64_t waited = 0; waited < kComesMs; waited += kLookMs) {
    if (::access(path.c_str(), F_OK) == 0) return true;
    ::usleep(kLookMs * 1'000);
  }
  return false;
}

bool may_mount(Launch probe) {
  probe.argv = {"/usr/bin/unshare", "--mount", "/bin/true"};
  if (Program(probe).finish().code == 0) return true;
  say_skipped("unshare --mount is not permitted here");
  return false;
}

std::vector<pid_t> living_with_mark(std::string_view run_id) {
  const std::string mark = "ORCH_RUN=" + std::string(run_id);
  std::vector<pid_t> living;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", failure)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (bad != std::errc() || end != name.data() + name.size()) continue;
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string environment(std::istreambuf_iterator<char>(file), {});
    const bool marked =
        (std::string(1, '\0') + environment).find(std::string(1, '\0') + mark + '\0') !=
        std::string::npos;
    if (marked && !ends(pid)) living.push_back(pid);
  }
  return living;
}

}  // namespace orch::e2e
