// Each promise of docs/internals/fence.md about a layer is tried in that layer alone. Each attempt
// is also made without any layer: if it fails there, it proves nothing, and the test says so.
#include "promises.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/fd.h"
#include "base/text.h"
#include "fence/capabilities.h"
#include "fence/landlock.h"
#include "fence/namespaces.h"
#include "fence/syscall_filter.h"
#include "fenced.h"
#include "skipped.h"

namespace fs = std::filesystem;
using namespace orch::fence;
using orch::base::Fd;

namespace {

constexpr const char* kMine = "Made by a hidden test in a process of its own";
enum End : int { kThrough = 101, kHeld = 102, kNotShutIn = 103, kCrashed = 104 };

// A process that sleeps until it is killed.
class Sleeper {
 public:
  explicit Sleeper(uid_t uid) {
    std::array<int, 2> ready{};
    REQUIRE(::pipe2(ready.data(), O_CLOEXEC) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      if (::geteuid() == 0 && ::setresuid(uid, uid, uid) != 0) ::_exit(1);
      ::close(ready[0]);
      ::close(ready[1]);
      for (;;) ::pause();
    }
    ::close(ready[1]);
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 0);  // the end: it is the other user's by now
    ::close(ready[0]);
  }
  ~Sleeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  std::string pid() const { return std::to_string(pid_); }

 private:
  pid_t pid_ = -1;
};

Fd listening(int family, const void* address, size_t size) {
  Fd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(socket.get(), static_cast<const sockaddr*>(address),
                 static_cast<socklen_t>(size)) == 0);
  REQUIRE(::listen(socket.get(), 16) == 0);
  return socket;
}

// What belongs to others, made again for each attempt.
class World {
 public:
  World() {
    set_fact("work", yard.path("work"));
    set_fact("mine", yard.write("work/mine", "mine"));
    for (const char* name : {"kept", "removed", "moved"}) {
      set_fact(name, yard.write(std::string("out/") + name, "kept"));
    }
    set_fact("handle", handle_of(fact("kept")));
    set_fact("key", yard.write("home/.ssh/id_rsa", "key"));
    fs::create_directory(yard.path("home/.aws"));
    set_fact("later", yard.path("home/.aws/credentials"));
    set_fact("tmp", file_in("/tmp"));
    set_fact("shm", file_in("/dev/shm"));
    set_fact("run", entry_of_run());
    set_fact("process", process_.pid());
    set_fact("stranger", stranger_.pid());
    listen();
    make_queues();
    terminal_.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    std::array<char, 64> name{};
    ::grantpt(terminal_.get());
    ::unlockpt(terminal_.get());
    ::ptsname_r(terminal_.get(), name.data(), name.size());
    set_fact("terminal", name.data());
  }
  ~World() {
    for (const std::string& file : files_) ::unlink(file.c_str());
    ::msgctl(queue_, IPC_RMID, nullptr);
    ::mq_unlink(fact("mqueue").c_str());
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Creates the login file once the attempt has asked for it.
  void log_in_when_asked() const {
    for (int tries = 0; tries < 2000 && !fs::exists(yard.path("work/now")); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    yard.write("home/.aws/credentials", "token");
  }

  const Yard yard;

 private:
  std::string file_in(const std::string& folder) {
    std::string path = folder + "/orch-promise-XXXXXX";
    const Fd made(::mkostemp(path.data(), O_CLOEXEC));
    if (!made.valid()) return "";
    files_.push_back(path);
    return path;
  }
  static std::string entry_of_run() {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator("/run", failure)) {
      if (entry.path().filename().string().find("resolv") == std::string::npos) {
        return entry.path().string();
      }
    }
    return "";
  }
  void listen() {
    sockaddr_in inet{};
    inet.sin_family = AF_INET;
    inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    tcp_ = listening(AF_INET, &inet, sizeof inet);
    socklen_t size = sizeof inet;
    ::getsockname(tcp_.get(), reinterpret_cast<sockaddr*>(&inet), &size);
    set_fact("port", std::to_string(ntohs(inet.sin_port)));

    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    const std::string path = yard.path("home/s");
    if (path.size() < sizeof local.sun_path) {
      std::memcpy(local.sun_path, path.c_str(), path.size() + 1);
      socket_ = listening(AF_UNIX, &local, sizeof local);
    }
    set_fact("socket", path);
    const std::string name = "@orch-promise-" + std::to_string(::getpid());
    std::memcpy(local.sun_path, name.c_str(), name.size() + 1);
    local.sun_path[0] = '\0';
    abstract_ = listening(AF_UNIX, &local, offsetof(sockaddr_un, sun_path) + name.size());
    set_fact("abstract", name);
  }
  void make_queues() {
    queue_ = ::msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    set_fact("queue", std::to_string(queue_));
    const std::string name = "/orch-promise-" + std::to_string(::getpid());
    const mqd_t queue = ::mq_open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600, nullptr);
    if (queue >= 0) ::mq_close(queue);
    set_fact("mqueue", name);
  }

  static constexpr uid_t kStranger = 65533;
  const Sleeper process_{::geteuid()}, stranger_{kStranger};
  Fd tcp_, socket_, abstract_, terminal_;
  std::vector<std::string> files_;
  int queue_ = -1;
};

bool is_here(std::string_view layer) {
  if (layer == "namespaces") return find_bubblewrap().ok();
  if (layer == "Landlock") return landlock_version() > 0;
  if (layer == "seccomp") return has_syscall_filter();
  return ::geteuid() == 0;
}

Plan plan_of(const World& world, const Attempt& attempt) {
  Offer offer;
  offer.landlock = landlock_version();
  offer.seccomp = true;  // needed for a network limit; it is not entered here
  if (attempt.layer == "namespaces") offer = {};
  if (attempt.layer == "namespaces") offer.bubblewrap = find_bubblewrap().value();
  Request request = world.yard.request();
  request.network = attempt.network;
  request.needed = {fs::read_symlink("/proc/self/exe").string()};
  return make_plan(offer, request).value();
}

orch::base::Status shut_in(std::string_view layer, const Plan& plan) {
  if (layer == "capabilities") return drop_capabilities();
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return layer == "seccomp" ? filter_syscalls(plan) : restrict_with_landlock(plan);
}

// How a process that makes the attempt ends; also kHeld if seccomp kills it.
int end_of(const World& world, const Attempt& attempt, const std::optional<Plan>& plan) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (plan && attempt.layer == "namespaces") {
      set_fact("attempt", std::string(attempt.claim) + "/" + std::string(attempt.what));
      std::vector<char*> argv;
      auto words = in_namespaces(*plan, {fs::read_symlink("/proc/self/exe").string(), kMine});
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      ::execv(argv[0], argv.data());
      ::_exit(kNotShutIn);
    }
    if (plan && !shut_in(attempt.layer, *plan)) ::_exit(kNotShutIn);
    ::signal(SIGSEGV, SIG_DFL);  // Catch2's handler would print a report
    ::_exit(attempt.comes_through() ? kThrough : kHeld);
  }
  if (attempt.what == "a new login") world.log_in_when_asked();
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return WTERMSIG(status) == SIGSYS ? kHeld : kCrashed;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t end = 0; end != std::string_view::npos; text.remove_prefix(end + 1)) {
    end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
  }
  return parts;
}

std::string without_stars(std::string_view cell) {
  std::string text(orch::base::trim(cell));
  if (!text.starts_with("**")) return "";
  text.erase(0, 2);
  return text.substr(0, text.find("**"));
}

// The layers and their claims in docs/internals/fence.md.
std::set<std::pair<std::string, std::string>> promised() {
  std::set<std::pair<std::string, std::string>> found;
  const std::string page = text_of(FENCE_PAGE);
  const size_t table = page.find("| layer | holds |");
  REQUIRE(table != std::string::npos);
  const size_t end = page.find("\n\n", table);
  for (const std::string_view line :
       orch::base::split_lines(std::string_view(page).substr(table, end - table))) {
    const auto cells = split(line, '|');
    if (cells.size() < 3) continue;
    const std::string layer = without_stars(cells[1]);
    if (layer.empty()) continue;
    for (const std::string_view claim : split(cells[2], ';')) {
      found.emplace(layer, orch::base::trim(claim));
    }
  }
  return found;
}

}  // namespace

TEST_CASE("every promise of a layer is tried, and nothing else is promised") {
  std::set<std::pair<std::string, std::string>> tried;
  for (const Attempt& attempt : attempts()) tried.emplace(attempt.layer, attempt.claim);
  const auto page = promised();
  CHECK(page.size() > 20);
  for (const auto& promise : page) {
    INFO(promise.first << ": " << promise.second);
    CHECK(tried.count(promise) == 1);
  }
  for (const auto& promise : tried) {
    INFO(promise.first << ": " << promise.second);
    CHECK(page.count(promise) == 1);
  }
}

TEST_CASE("every promise of a layer is held by it alone") {
  std::map<std::string_view, int> held;
  for (const Attempt& attempt : attempts()) {
    if (!is_here(attempt.layer) || landlock_version() < attempt.landlock) continue;
    const std::string what = std::string(attempt.layer) + ": " + std::string(attempt.claim) + " (" +
                             std::string(attempt.what) + ")";
    INFO(what);
    if (const World free; end_of(free, attempt, std::nullopt) != kThrough) {
      orch::say_skipped(what + " is refused here without a fence");
      continue;
    }
    const World shut;
    CHECK(end_of(shut, attempt, plan_of(shut, attempt)) == kHeld);
    ++held[attempt.layer];
  }
  for (const std::string_view layer : {"namespaces", "Landlock", "seccomp", "capabilities"}) {
    if (!is_here(layer)) orch::say_skipped("not here: " + std::string(layer));
    INFO(layer);
    CHECK((held[layer] > 0 || !is_here(layer)));
  }
}

TEST_CASE("Made by a hidden test in a process of its own", "[.]") {
  for (const Attempt& attempt : attempts()) {
    const bool meant =
        attempt.layer == "namespaces" &&
        fact("attempt") == std::string(attempt.claim) + "/" + std::string(attempt.what);
    if (meant) ::_exit(attempt.comes_through() ? kThrough : kHeld);
  }
  ::_exit(kNotShutIn);
}
