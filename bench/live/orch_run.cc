#include "live/orch_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "live/counters.h"
#include "pty/spawn.h"

namespace orch::live {
namespace {

constexpr size_t kReadBytes = 256 << 10;
constexpr int kStartPatienceMs = 60'000;

// The process to end if this program is interrupted.
volatile sig_atomic_t living = 0;
void end_living(int) {
  if (living > 0) ::kill(living, SIGTERM);
  ::_exit(130);
}

std::string quoted(const std::string& word) { return "'" + word + "'"; }

void write_script(const std::string& path, const std::vector<std::string>& agent) {
  std::ofstream script(path);
  script << "#!/bin/sh\n[ \"$1\" = --version ] && echo 1.0.0 && exit\nexec " << quoted(LIVE_AGENT);
  for (const std::string& word : agent) script << " " << quoted(word);
  script << "\n";
  script.close();
  ::chmod(path.c_str(), 0700);
}

std::vector<std::string> words_of(const RunPlan& plan) {
  std::vector<std::string> words{ORCH_PROGRAM, "run",    "--agent", "claude",    "--until",
                                 "exit",       "--size", "120x40",  "--no-hooks"};
  words.insert(words.end(), plan.options.begin(), plan.options.end());
  if (!plan.prompt.empty()) words.insert(words.end(), {"-p", plan.prompt});
  for (int i = 1; i <= plan.sessions; ++i) words.push_back(std::to_string(i));
  return words;
}

}  // namespace

base::Result<std::unique_ptr<OrchRun>> OrchRun::start(const TemporaryFolder& folder,
                                                      const RunPlan& plan) {
  for (const char* name : {"bin", "project"}) ::mkdir(folder.file(name).c_str(), 0700);
  write_script(folder.file("bin/claude"), plan.agent);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return base::system_error("pipe", errno);
  base::Fd output(ends[0]);
  const base::Fd input(ends[1]);
  const std::string errors_path = folder.file("errors");
  const base::Fd errors(::open(errors_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const base::Fd nowhere(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const auto pid = pty::spawn_child(
      words_of(plan), folder.file("project"),
      {"HOME=" + folder.path(), "ORCH_STATE_DIR=" + folder.file("state"),
       "XDG_CONFIG_HOME=" + folder.file("config"), "PATH=" + folder.file("bin") + ":/usr/bin:/bin"},
      {pty::ChildStdio::Kind::kPipes, {nowhere.get(), input.get(), errors.get()}}, -1);
  if (!pid) return pid.error();
  living = *pid;
  for (const int signum : {SIGINT, SIGTERM}) std::signal(signum, end_living);
  return std::unique_ptr<OrchRun>(new OrchRun(*pid, std::move(output), errors_path));
}

OrchRun::OrchRun(pid_t pid, base::Fd output, std::string errors_path)
    : pid_(pid), output_(std::move(output)), errors_path_(std::move(errors_path)) {}

OrchRun::~OrchRun() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGTERM);
  while (read_lines(-1, [](std::string_view, double) {})) {
  }
  wait();
}

bool OrchRun::read_lines(int patience_ms, const Take& take) {
  pollfd ready{.fd = output_.get(), .events = POLLIN, .revents = 0};
  if (::poll(&ready, 1, patience_ms) <= 0) return true;
  std::array<char, kReadBytes> buffer;
  const ssize_t n = ::read(output_.get(), buffer.data(), buffer.size());
  const double at = monotonic_ms();
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  std::string_view bytes(buffer.data(), static_cast<size_t>(n));
  for (size_t end = bytes.find('\n'); end != bytes.npos; end = bytes.find('\n')) {
    if (waiting_.empty()) {
      take(bytes.substr(0, end), at);
    } else {
      take(waiting_.append(bytes.substr(0, end)), at);
      waiting_.clear();
    }
    bytes.remove_prefix(end + 1);
  }
  waiting_ += bytes;
  return true;
}

base::Status OrchRun::await_idle(int count) {
  std::set<std::string> idle;  // names of sessions; "" if there is only one
  const auto see = [&idle](std::string_view line, double) {
    if (line.find("\"event\":\"status\"") == line.npos) return;
    const auto record = nlohmann::json::parse(line, nullptr, false);
    if (record.is_discarded()) return;
    const std::string session = record.value("session", "");
    if (record.value("status", "") == "idle") {
      idle.insert(session);
    } else {
      idle.erase(session);
    }
  };
  for (const double until = monotonic_ms() + kStartPatienceMs; std::ssize(idle) < count;) {
    if (!read_lines(1'000, see) || monotonic_ms() > until) {
      return base::Error{base::ErrorCode::kSystem, std::to_string(idle.size()) + " of " +
                                                       std::to_string(count) +
                                                       " sessions are idle: " + errors()};
    }
  }
  return base::Ok{};
}

int OrchRun::wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = 0;
  living = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string OrchRun::errors() const {
  std::ifstream file(errors_path_);
  return {std::istreambuf_iterator(file), {}};
}

}  // namespace orch::live
