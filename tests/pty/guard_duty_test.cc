#include "pty/guard_duty.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "loop/child_watch.h"
#include "loop/loop.h"
#include "pty/cgroup.h"
#include "pty/containment.h"
#include "pty/pty.h"
#include "recorder.h"
#include "skipped.h"

using namespace orch::pty;
using orch::base::Fd;
using orch::loop::Loop;

namespace {

const Guardian::Watched kFirst{"run-1", "/state dir/runs/run-1", "orch-1@01234567"};
const Guardian::Watched kSecond{"run-2", "/state\ndir/runs/run-2", ""};

// A guardian in a process of its own, as a host has one, and what it reports at its end.
class Forked {
 public:
  Forked() {
    std::array<int, 2> orders{}, answer{};
    REQUIRE(::pipe2(orders.data(), O_CLOEXEC) == 0);
    REQUIRE(::pipe2(answer.data(), O_CLOEXEC) == 0);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      ::close(orders[1]);
      for (const Guardian::Watched& run : stand_guard(orders[0]).runs) {
        const std::string line = run.run + " " + run.run_dir + " " + run.session_key + "\n";
        if (::write(answer[1], line.data(), line.size()) < 0) ::_exit(1);
      }
      ::_exit(0);
    }
    ::close(orders[0]);
    ::close(answer[1]);
    orders_.reset(orders[1]);
    answer_.reset(answer[0]);
  }
  ~Forked() {
    orders_.reset();
    ::waitpid(pid_, nullptr, 0);
  }
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

  pid_t pid() const { return pid_; }
  Fd end_of_pipe() {  // the end that a host has
    REQUIRE(::fcntl(orders_.get(), F_SETFL, O_NONBLOCK) == 0);
    return std::move(orders_);
  }
  void tell(const std::string& message) {
    REQUIRE(::write(orders_.get(), message.data(), message.size()) ==
            static_cast<ssize_t>(message.size()));
  }
  // Sends signals that a guardian ignores once it has set its name.
  void annoy() const {
    const std::string path = "/proc/" + std::to_string(pid_) + "/comm";
    std::string name;
    while (name != "guardian") std::ifstream(path) >> name;
    for (const int signum : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) REQUIRE(::kill(pid_, signum) == 0);
  }

  // Lets the host die; returns what the guardian reports.
  std::string left_behind() {
    orders_.reset();
    std::string text;
    std::array<char, 256> buffer;
    for (ssize_t n = 1; n > 0;) {
      n = ::read(answer_.get(), buffer.data(), buffer.size());
      if (n > 0) text.append(buffer.data(), static_cast<size_t>(n));
    }
    return text;
  }

 private:
  Fd orders_, answer_;
  pid_t pid_ = -1;
};

SpawnPlan marked_shell(const std::string& run, const std::string& script) {
  SpawnPlan plan = shell(script);
  plan.env.push_back("ORCH_RUN=" + run);
  return plan;
}

}  // namespace

TEST_CASE("runs are watched until they are released, in messages of any pieces") {
  const std::string messages = watch_message(kFirst) + queue_message("/state") +
                               watch_message(kSecond) + release_message("run-1");
  for (size_t piece = 1; piece <= messages.size(); ++piece) {
    INFO(piece);
    WatchList list;
    for (size_t at = 0; at < messages.size(); at += piece) list.feed(messages.substr(at, piece));
    REQUIRE(list.runs().size() == 1);
    CHECK(list.runs().at("run-2").run_dir == kSecond.run_dir);
    CHECK(list.runs().at("run-2").session_key.empty());
    CHECK(list.queue() == "/state");
    list.feed(queue_message(""));
    CHECK(list.queue().empty());
  }
}

TEST_CASE("a message that its host did not finish does not count") {
  WatchList list;
  list.feed(watch_message(kFirst));
  const std::string second = watch_message(kSecond);
  list.feed(second.substr(0, second.size() - 1));
  CHECK(list.runs().size() == 1);
  list.feed(second.substr(second.size() - 1));
  CHECK(list.runs().size() == 2);
}

TEST_CASE("a guardian whose host ended cleanly has nothing to do") {
  Forked guardian;
  guardian.tell(watch_message(kFirst));
  guardian.tell(release_message(kFirst.run));
  CHECK(guardian.left_behind().empty());
}

TEST_CASE("what a full pipe does not take is told to the guardian as soon as it reads") {
  Forked process;
  REQUIRE(::kill(process.pid(), SIGSTOP) == 0);
  Loop loop;
  auto guardian = std::make_unique<Guardian>(loop, identify(process.pid()), process.end_of_pipe());
  const std::string folder = "/state/" + std::string(1'000, 'r');
  constexpr int kRuns = 200;  // more than fit into a pipe
  for (int run = 0; run < kRuns; ++run) {
    guardian->watch({.run = std::to_string(run), .run_dir = folder, .session_key = ""});
  }
  for (int run = 1; run < kRuns; ++run) guardian->release(std::to_string(run), "");
  REQUIRE(::kill(process.pid(), SIGCONT) == 0);
  loop.run();  // returns when nothing is waited for
  guardian.reset();
  CHECK(process.left_behind() == "0 " + folder + " \n");
}

TEST_CASE("a guardian lets go of a run whose control group is gone, and removes what is left") {
  const std::string run = "leaving-" + std::to_string(::getpid());
  auto group = Cgroup::create(own_cgroup(), run);
  if (!group) return orch::say_skipped("control groups cannot be made here");
  const std::string folder = group->leave();
  Forked process;
  Loop loop;
  auto guardian = std::make_unique<Guardian>(loop, identify(process.pid()), process.end_of_pipe());
  guardian->watch({.run = run, .run_dir = "/state", .session_key = ""});
  SECTION("nobody is in it") {
    guardian->release(run, folder);
    CHECK(::access(folder.c_str(), F_OK) != 0);
    guardian.reset();
    CHECK(process.left_behind().empty());
  }
  SECTION("somebody is, and the host ends meanwhile") {
    const ChildStdio stdio{ChildStdio::Kind::kPipes, {0, 1, 2}};
    const auto pid =
        spawn_child({"/bin/sleep", "1000"}, "/", plain_env(), stdio, group->entrance().get());
    REQUIRE(pid);
    orch::loop::ChildWatch watch(loop, *pid, [&] {
      ::waitpid(*pid, nullptr, 0);
      loop.stop();
    });
    guardian->release(run, folder);
    CHECK(::access(folder.c_str(), F_OK) == 0);
    guardian.reset();
    CHECK(process.left_behind() == run + " /state \n");
    loop.run();  // returns when it was killed
    CHECK(::access(folder.c_str(), F_OK) != 0);
  }
}

TEST_CASE("a guardian ends the runs of a dead host, and no others") {
  REQUIRE(become_subreaper());
  const std::string pid = std::to_string(::getpid());
  const Guardian::Watched left{"left-" + pid, "/state/runs/left", "orch-1@01234567"};
  const Guardian::Watched done{"done-" + pid, "/state/runs/done", ""};
  Loop loop;
  Recorder recorder(loop);
  Recorder other(loop);
  auto stubborn = Pty::spawn(loop,
                             marked_shell(left.run,
                                          "setsid sleep 1000 & trap '' HUP TERM; "
                                          "echo left $! ready; while :; do read x; done"),
                             recorder);
  auto released = Pty::spawn(loop, marked_shell(done.run, "echo ready; read x"), other);
  REQUIRE(stubborn);
  REQUIRE(released);
  REQUIRE(recorder.wait_for("ready"));
  REQUIRE(other.wait_for("ready"));

  Forked guardian;
  guardian.annoy();
  guardian.tell(watch_message(left) + watch_message(done) + release_message(done.run));
  const auto died = std::chrono::steady_clock::now();
  CHECK(guardian.left_behind() == left.run + " /state/runs/left orch-1@01234567\n");
  CHECK(std::chrono::steady_clock::now() - died < std::chrono::seconds(10));
  CHECK(recorder.wait_for_end() == ExitStatus{0, SIGKILL});
  CHECK(reap_adopted(number_after(recorder.output, "left ")) == SIGTERM);
  CHECK(Containment(done.run).count() == 1);
  (*released)->write("\r");
  CHECK(other.wait_for_end() == ExitStatus{0, 0});
}
