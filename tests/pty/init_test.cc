#include "pty/init.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include "loop/loop.h"
#include "pty/containment.h"
#include "pty/init_duty.h"
#include "pty/process_table.h"
#include "pty/pty.h"
#include "recorder.h"

using namespace orch::pty;
using namespace std::string_view_literals;
using orch::base::Error;
using orch::base::ErrorCode;
using orch::loop::Loop;

namespace {

// A run without a control group, and with the real init.
Containment held_run(const std::string& name) {
  return Containment(name + "-" + std::to_string(::getpid()), nullptr,
                     {ORCH_PROGRAM, "internal", "init"});
}

SpawnPlan held_shell(Containment& run, const std::string& script) {
  SpawnPlan plan = shell(script);
  plan.run = &run;
  return plan;
}

// A process that leaves its session, its parents and its environment, and prints its pid.
const std::string kDaemon =
    "(env -i setsid /bin/sh -c 'trap \"\" HUP TERM; echo daemon $$.; exec /bin/sleep 1000 >&- 2>&- "
    "<&-' &); ";

bool wait_for_end_of(const ProcessId& process) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (lives(process) && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return !lives(process);
}

struct Running {
  explicit Running(const std::string& script) : recorder(loop), run(held_run("init")) {
    REQUIRE(become_subreaper());
    auto spawned = Pty::spawn(loop, held_shell(run, script), recorder);
    REQUIRE(spawned);
    pty = std::move(spawned).value();
  }
  pid_t init() const { return read_process(pty->pid())->parent; }

  Loop loop;
  Recorder recorder;
  Containment run;
  std::unique_ptr<Pty> pty;
};

}  // namespace

TEST_CASE("what an init is to start survives being words of a command line") {
  const InitOrder order{"/work dir", {"sh", "-c", "", "--", "x"}};
  const auto read = order_in(to_words(order));
  REQUIRE(read);
  CHECK(read->cwd == order.cwd);
  CHECK(read->argv == order.argv);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"/", "--"}, {"--", "sh", "-c"}}) {
    CHECK_FALSE(order_in(words));
  }
}

TEST_CASE("what an init says is read as it was said, and nothing else is") {
  CHECK(read_start_answer(start_answer(pid_t{4711})).value() == 4711);
  const Error error{ErrorCode::kNotExecutable, "spawn x: Permission denied"};
  const auto failed = read_start_answer(start_answer(error));
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == error.code);
  CHECK(failed.error().text == error.text);
  CHECK(start_answer(Error{ErrorCode::kSystem, std::string(99999, 'x')}).size() <= kMaxInitMessage);
  CHECK(read_start_answer("").error().code == ErrorCode::kSystem);
  CHECK(read_end(end_message({7, 0})) == ExitStatus{7, 0});
  CHECK(read_end(end_message({0, SIGSEGV})) == ExitStatus{0, SIGSEGV});
  CHECK_FALSE(read_end(start_answer(pid_t{1})));
  CHECK_FALSE(read_end("x"));
}

TEST_CASE("an init is known by its command line") {
  CHECK(is_init("/proc/self/exe\0internal\0init\0/work\0--\0sh\0"sv));
  CHECK_FALSE(is_init("orch\0run\0init\0"sv));
  CHECK_FALSE(is_init("orch\0internal\0initial\0"sv));
  CHECK_FALSE(is_init("orch\0initial\0"sv));
  CHECK_FALSE(is_init(""));
}

TEST_CASE("below an init an agent ends as it does without one") {
  const auto end_of = [](const std::string& script) {
    Running agent(script);
    return agent.recorder.wait_for_end();
  };
  CHECK(end_of("exit 0") == ExitStatus{0, 0});
  CHECK(end_of("exit 7") == ExitStatus{7, 0});
  CHECK(end_of("kill -KILL $$") == ExitStatus{0, SIGKILL});
  CHECK(end_of("kill -SEGV $$") == ExitStatus{0, SIGSEGV});
  CHECK(end_of("kill -TERM $$") == ExitStatus{0, SIGTERM});
}

TEST_CASE("below an init errors are those of a start without one") {
  Loop loop;
  Recorder recorder(loop);
  for (const char* name : {"no-such-program", "/etc/passwd", "/dev"}) {
    SpawnPlan plan = shell("");
    plan.argv = {name};
    const auto without = Pty::spawn(loop, plan, recorder);
    Containment run = held_run("errors");
    plan.run = &run;
    const auto below = Pty::spawn(loop, plan, recorder);
    REQUIRE_FALSE(without);
    REQUIRE_FALSE(below);
    CHECK(below.error().code == without.error().code);
    CHECK(below.error().text == without.error().text);
  }
  SpawnPlan nowhere = shell("true");
  nowhere.cwd = "/no/such/folder";
  Containment run = held_run("errors");
  nowhere.run = &run;
  const auto below = Pty::spawn(loop, nowhere, recorder);
  REQUIRE_FALSE(below);
  CHECK(below.error().code == ErrorCode::kUsage);
}

TEST_CASE("below an init the agent leads its session, has the terminal, and nothing else") {
  Running agent(
      "ps -o pid= -o pgid= -o sid= -o tpgid= $$; tty; ls /proc/$$/fd; stty size; "
      "trap 'echo resized; stty size' WINCH; echo pid $$ ready; while :; do sleep 0.1; done");
  REQUIRE(agent.recorder.wait_for("ready"));
  CHECK(agent.pty->pid() == number_after(agent.recorder.output, "pid "));
  const auto process = read_process(agent.pty->pid());
  REQUIRE(process);
  CHECK(process->group == process->pid);
  CHECK(process->session == process->pid);
  CHECK(agent.recorder.output.find("/dev/pts/") != std::string::npos);
  CHECK(agent.recorder.output.find("40 120") != std::string::npos);
  // No descriptor other than stdio.
  CHECK(agent.recorder.output.find("\r\n3") == std::string::npos);
  agent.pty->resize(99, 33);
  CHECK(agent.recorder.wait_for("33 99"));
  agent.pty->write("\x03");  // the terminal's interrupt goes to the agent
  CHECK(agent.recorder.wait_for_end() == ExitStatus{0, SIGINT});
}

TEST_CASE("whoever leaves session, parents and environment is found below the init") {
  Running agent(kDaemon + "echo ready; read x");
  REQUIRE(agent.recorder.wait_for("."));
  const ProcessId daemon = identify(number_after(agent.recorder.output, "daemon "));
  CHECK(read_process(daemon.pid)->parent == agent.init());
  const ProcessId init = identify(agent.init());
  agent.pty->write("\r");
  CHECK(agent.recorder.wait_for_end() == ExitStatus{0, 0});
  CHECK(lives(daemon));
  CHECK(agent.run.kill_rest(agent.loop) == 1);
  CHECK(wait_for_end_of(daemon));
  CHECK(wait_for_end_of(init));
}

TEST_CASE("where nobody is left below it, the init ends") {
  Running agent("read x");
  const ProcessId init = identify(agent.init());
  agent.pty->write("\r");
  CHECK(agent.recorder.wait_for_end() == ExitStatus{0, 0});
  CHECK(agent.run.kill_rest(agent.loop) == 0);
  CHECK(wait_for_end_of(init));
}

TEST_CASE("the end of one run leaves what escaped from another") {
  Running one(kDaemon + "read x");
  Running other(kDaemon + "read x");
  for (Running* agent : {&one, &other}) REQUIRE(agent->recorder.wait_for("."));
  const ProcessId first = identify(number_after(one.recorder.output, "daemon "));
  const ProcessId second = identify(number_after(other.recorder.output, "daemon "));
  CHECK(one.run.kill() == 2);
  CHECK(one.recorder.wait_for_end() == ExitStatus{0, SIGKILL});
  CHECK(wait_for_end_of(first));
  CHECK(lives(second));
  CHECK(other.run.kill() == 2);
  CHECK(wait_for_end_of(second));
}

TEST_CASE("an agent that stops its init is told of all the same, and what escaped is ended") {
  Running agent(kDaemon + "kill -STOP $PPID; read x; exit 5");
  REQUIRE(agent.recorder.wait_for("."));
  const ProcessId daemon = identify(number_after(agent.recorder.output, "daemon "));
  const ProcessId init = identify(agent.init());
  agent.pty->write("\r");
  CHECK(agent.recorder.wait_for_end() == ExitStatus{5, 0});
  agent.run.kill();
  CHECK(wait_for_end_of(daemon));
  CHECK(wait_for_end_of(init));
}

TEST_CASE("an agent that kills its init dies with it") {
  Running agent("echo ready; read x; kill -KILL $PPID; trap '' HUP; while :; do read x; done");
  REQUIRE(agent.recorder.wait_for("ready"));
  const ProcessId process = identify(agent.pty->pid());
  agent.pty->write("\r");
  CHECK(agent.recorder.wait_for_end() == ExitStatus{0, SIGKILL});
  CHECK(agent.pty->pid() == 0);
  CHECK_FALSE(lives(process));
}

TEST_CASE("an agent that stops its init again and again gets its status from the kernel") {
  Running agent(
      "(trap '' HUP; while kill -STOP $PPID; do :; done) 2>/dev/null & echo ready; read x; exit 6");
  REQUIRE(agent.recorder.wait_for("ready"));
  agent.pty->write("\r");
  CHECK(agent.recorder.wait_for_end() == ExitStatus{6, 0});
  agent.run.kill();
}

TEST_CASE("an init is deaf to what it is sent") {
  Running agent("echo ready; read x; exit 4");
  REQUIRE(agent.recorder.wait_for("ready"));
  for (const int signum : {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGPIPE, SIGTSTP, SIGTTIN}) {
    REQUIRE(::kill(agent.init(), signum) == 0);
  }
  const pid_t stranger = ::fork();  // a process that is not its host
  if (stranger == 0) {
    ::kill(agent.init(), SIGTERM);
    ::_exit(0);
  }
  ::waitpid(stranger, nullptr, 0);
  agent.pty->write("\r");
  CHECK(agent.recorder.wait_for_end() == ExitStatus{4, 0});
}

TEST_CASE("what an agent leaves behind is reaped while it runs") {
  Running agent("for i in 1 2 3 4 5; do (sleep 0 &); done; echo ready; read x");
  REQUIRE(agent.recorder.wait_for("ready"));
  const pid_t init = agent.init();
  // The agent's shell is the only child of the init that lasts, until it ends.
  const auto children = [init] {
    size_t count = 0;
    for (const pid_t pid : all_pids()) {
      const auto process = read_process(pid);
      if (process && process->parent == init) ++count;
    }
    return count;
  };
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  size_t left = children();
  for (; left > 1 && std::chrono::steady_clock::now() < until; left = children()) ::usleep(1000);
  CHECK(left == 1);
  CHECK(agent.run.kill() >= 1);
}

TEST_CASE("a Pty that is given up takes everything below its init with it") {
  ProcessId daemon, init, shell_process;
  {
    Running agent(kDaemon + "trap '' HUP TERM; while :; do read x; done");
    REQUIRE(agent.recorder.wait_for("."));
    daemon = identify(number_after(agent.recorder.output, "daemon "));
    init = identify(agent.init());
    shell_process = identify(agent.pty->pid());
  }
  CHECK(wait_for_end_of(shell_process));
  CHECK(wait_for_end_of(daemon));
  CHECK(wait_for_end_of(init));
}

TEST_CASE("an init whose host died ends everything below it, though it was stopped") {
  std::array<int, 2> told{};
  REQUIRE(::pipe(told.data()) == 0);
  REQUIRE(become_subreaper());
  const pid_t host = ::fork();
  if (host == 0) {
    Loop loop;
    Recorder recorder(loop);
    Containment run = held_run("dead-host");
    auto pty = Pty::spawn(loop, held_shell(run, kDaemon + "read x"), recorder);
    if (!pty || !recorder.wait_for(".")) ::_exit(1);
    const pid_t init = read_process((*pty)->pid())->parent;
    const std::array<pid_t, 3> pids{number_after(recorder.output, "daemon "), init, (*pty)->pid()};
    ::kill(init, SIGSTOP);
    if (::write(told[1], pids.data(), sizeof pids) != sizeof pids) ::_exit(1);
    for (;;) ::pause();
  }
  ::close(told[1]);
  std::array<pid_t, 3> pids{};
  REQUIRE(::read(told[0], pids.data(), sizeof pids) == sizeof pids);
  ::close(told[0]);
  std::array<ProcessId, 3> processes;
  for (size_t i = 0; i < pids.size(); ++i) processes[i] = identify(pids[i]);
  CHECK(lives(processes[0]));
  REQUIRE(::kill(host, SIGKILL) == 0);
  ::waitpid(host, nullptr, 0);
  for (const ProcessId& process : processes) CHECK(wait_for_end_of(process));
  while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;
}
