#include "session/checks.h"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "agent_fixture.h"
#include "live_run.h"

namespace orch::session {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kCheckPatienceMs = 60'000;
constexpr std::string_view kSecret = "tr0ub4dor-and-3";

// Waits for what another process does; only to be given up.
void wait_until(const std::function<bool()>& holds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kCheckPatienceMs);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) FAIL("it was given up");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// Whether the process has ended, whoever still has to reap it.
bool has_ended(const std::string& pid) {
  const std::string stat = content_of("/proc/" + pid + "/stat");
  const size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || stat[name_end + 2] == 'Z' || stat[name_end + 2] == 'X';
}

// A container that is none: a script of the test's is what gets inside.
class ToyEnclosure final : public Enclosure {
 public:
  void enter(const Entry& entry, std::vector<std::string>& argv,
             std::vector<std::string>& env) const override {
    entries.push_back(entry);
    asked.push_back(argv);
    argv = {"/bin/sh", "-c", client};
    env.push_back("CLIENT=yes");
  }
  void end_marked(const std::string& mark) override { ended.push_back(mark); }
  void find_life_signs(const std::string&,
                       std::function<void(std::optional<pty::LifeSigns>)>) override {}
  void close(std::function<void()>) override {}
  Shown show(const std::string&, const std::string&) override { return {}; }
  bool holds(pid_t) const override { return false; }
  std::string_view kind() const override { return "toy"; }
  std::string_view network() const override { return "none"; }

  std::string client;
  mutable std::vector<Entry> entries;
  mutable std::vector<std::vector<std::string>> asked;
  std::vector<std::string> ended;
};

// The checks of an agent that is not there. Its folder is work(), and orch itself, as far as the
// helpers go, is a script of the test's.
class CheckScene {
 public:
  CheckScene() {
    fs::create_directories(work());
    setup.manifest = agent_named("command").manifest;
    setup.launch.argv = {"/bin/true"};
    setup.launch.env = {{"GIFT", "for the agent"}};
    setup.cwd = work();
    setup.state_dir = state_.path();
    setup.mode = Mode::kHeadless;
    setup.secrets = std::make_shared<const mask::Secrets>(std::vector{std::string(kSecret)});
  }

  void open() {
    auto made = store::RunDir::create(state_.path(), std::chrono::system_clock::now(), "t1");
    REQUIRE(made);
    dir.emplace(std::move(made).value());
    agent_.emplace(loop_, setup, *dir, nullptr);
    const base::Status started = agent_->start(observer_);
    INFO((started ? "" : started.error().text));
    REQUIRE(started);
    checks.emplace(loop_, setup, *agent_, *dir, "before",
                   Checks::Told{.on_gate =
                                    [this](run::GateEnd end, std::string log) {
                                      gates.push_back(std::move(end));
                                      logs.push_back(std::move(log));
                                      told();
                                    },
                                .on_changes =
                                    [this](run::Changes found) {
                                      changes.push_back(std::move(found));
                                      told();
                                    },
                                .on_left =
                                    [this](store::WorktreeEnd end) {
                                      left.push_back(std::move(end));
                                      told();
                                    }});
  }

  std::string work() const { return state_.parent() + "/work"; }
  std::string in_work(const std::string& name) const { return content_of(work() + "/" + name); }

  // Runs the loop until something is told.
  void run() {
    loop::Timer deadline(loop_);
    deadline.start(kCheckPatienceMs, [this] { loop_.stop(); });
    heard_ = false;
    loop_.run();
    REQUIRE(heard_);
  }
  // Runs the loop until there is nothing more to wait for.
  void run_out() { loop_.run(); }
  // Runs one gate to its end.
  run::GateEnd gate(const std::string& command, int64_t timeout_ms = kCheckPatienceMs) {
    checks->run_gate({.n = 1, .command = command, .timeout_ms = timeout_ms});
    CHECK(gates.empty());  // nothing is told from inside of the call
    run();
    CHECK_FALSE(checks->busy());
    return gates.back();
  }
  // Makes `orch` this script; $to is the file of `orch internal changes`.
  void helper(const std::string& script) {
    setup.own_program = state_.parent() + "/helper";
    std::ofstream(setup.own_program)
        << "#!/bin/sh\nfor word do test \"$before\" != --to || to=$word; before=$word; done\n"
        << script << "\n";
    fs::permissions(setup.own_program, fs::perms::owner_all);
  }
  run::Changes found_by(const std::string& script, int64_t timeout_ms = kCheckPatienceMs) {
    helper(script);
    return found(timeout_ms);
  }
  run::Changes found(int64_t timeout_ms = kCheckPatienceMs) {
    checks->find_changes(timeout_ms);
    CHECK(changes.empty());
    run();
    CHECK_FALSE(checks->busy());
    const run::Changes last = changes.back();
    changes.clear();
    return last;
  }
  store::WorktreeEnd left_by(const std::string& script) {
    helper(script);
    checks->leave_worktree();
    run();
    CHECK_FALSE(checks->busy());
    return left.back();
  }

  SessionSetup setup;
  std::optional<store::RunDir> dir;

 private:
  class Deaf final : public SourceObserver {
    void on_output(std::string_view) override {}
    void on_end(pty::ExitStatus) override {}
  };
  void told() {
    if (when_told) when_told();
    heard_ = true;
    if (!checks->busy()) loop_.stop();
  }

  const StateDir state_;
  loop::Loop loop_;
  Deaf observer_;
  std::optional<AgentProcess> agent_;
  bool heard_ = false;

 public:
  std::optional<Checks> checks;
  std::vector<run::GateEnd> gates;
  std::vector<std::string> logs;
  std::vector<run::Changes> changes;
  std::vector<store::WorktreeEnd> left;
  std::function<void()> when_told;  // in the middle of it
};

// This process can open no further file as long as one of these lives.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const rlimit none{0, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  }
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

TEST_CASE("a gate ends as a shell says, and both of its streams are kept in their order") {
  struct Case {
    std::string command;
    int code;
    std::string output;
  };
  for (const Case& one : std::vector<Case>{
           {"true", 0, ""},
           {"echo 1; echo 2 >&2; echo \"3 '$GIFT'\"; exit 3", 3, "1\n2\n3 'for the agent'"},
           {"kill -KILL $$", 128 + SIGKILL, ""},
           {"cat; echo at its end", 0, "at its end"},     // nobody types
           {"exec >&- 2>&-; touch done; exit 4", 4, ""},  // nobody can hear it any more
           {"printf 'a\\033]0;b\\007c\\000\\033[31md'", 0, "acd"},
       }) {
    INFO(one.command);
    CheckScene it;
    it.open();
    const run::GateEnd end = it.gate(one.command);
    CHECK(end.code == one.code);
    CHECK(end.passed() == (one.code == 0));
    CHECK(end.output == one.output);
    CHECK(end.trouble.empty());
    CHECK(end.n == 1);
    CHECK(end.command == one.command);
    CHECK(it.logs.back().find(one.output) == 0);
  }
}

TEST_CASE("a gate runs in the folder of the agent") {
  CheckScene it;
  it.open();
  CHECK(it.gate("touch here").passed());
  CHECK(fs::exists(it.work() + "/here"));
}

TEST_CASE("of a gate that says too much the beginning and the end are kept") {
  CheckScene it;
  it.open();
  const run::GateEnd end = it.gate("echo first; yes middle | head -c 7000000; echo last; exit 1");
  CHECK(end.code == 1);
  CHECK(end.output.size() <= run::GateOutput::kToldBytes);
  CHECK(end.output.ends_with("middle\nlast"));
  const std::string& log = it.logs.back();
  CHECK(log.size() < run::GateOutput::kHeadBytes + run::GateOutput::kTailBytes + 100);
  CHECK(log.starts_with("first\nmiddle\n"));
  CHECK(log.ends_with("middle\nlast\n"));
}

TEST_CASE("a gate that does not end is killed at its limit, with what it has started") {
  CheckScene it;
  it.open();
  // The loop does not run before the gate waits, so that the limit finds it like that.
  it.checks->run_gate(
      {.n = 1,
       .command = "trap '' TERM INT HUP; echo begun; sleep 1000 & echo $! >child; wait; sleep 1000",
       .timeout_ms = 1});
  CHECK(it.checks->busy());
  wait_until([&] { return it.in_work("child").ends_with('\n'); });
  it.run();
  REQUIRE(it.gates.size() == 1);
  CHECK(it.gates[0].timed_out);
  CHECK_FALSE(it.gates[0].passed());
  CHECK(it.gates[0].output == "begun");
  const std::string child = it.in_work("child");
  wait_until([&] { return has_ended(child.substr(0, child.size() - 1)); });
}

TEST_CASE("a gate that has ended in time has not exceeded its limit, however late that is seen") {
  CheckScene it;
  it.open();
  it.checks->run_gate({.n = 1, .command = "echo $$ >pid", .timeout_ms = 1});
  wait_until([&] { return it.in_work("pid").ends_with('\n'); });
  const std::string pid = it.in_work("pid");
  wait_until([&] { return has_ended(pid.substr(0, pid.size() - 1)); });
  it.run();
  CHECK(it.gates.at(0).passed());
}

TEST_CASE("what a gate leaves behind neither holds it up nor lives on") {
  CheckScene it;
  it.open();
  // It has the gate's output, ignores what asks it to end, and is in a session of its own.
  CHECK(it.gate("trap '' TERM HUP; setsid sleep 1000 & echo $! >child; echo done").passed());
  CHECK(it.gates[0].output == "done");
  const std::string child = it.in_work("child");
  REQUIRE(child.ends_with('\n'));
  wait_until([&] { return has_ended(child.substr(0, child.size() - 1)); });
}

TEST_CASE("a gate whose folder is gone has failed, and that is not the machine's trouble") {
  CheckScene it;
  it.open();
  fs::remove_all(it.work());
  const run::GateEnd end = it.gate("true");
  CHECK(end.code == 126);
  CHECK_FALSE(end.passed());
  CHECK(end.trouble.empty());
  CHECK(end.output.find(it.work()) != std::string::npos);
}

TEST_CASE("a gate that the machine has no room for has not failed: it has not run") {
  CheckScene it;
  it.open();
  {
    const NoMoreFiles none;
    it.checks->run_gate({.n = 1, .command = "true", .timeout_ms = kCheckPatienceMs});
  }
  CHECK(it.gates.empty());
  it.run();
  CHECK_FALSE(it.gates.at(0).passed());
  CHECK_FALSE(it.gates.at(0).trouble.empty());

  // The trouble of one gate is not that of the next one.
  it.checks->run_gate({.n = 2, .command = "true", .timeout_ms = kCheckPatienceMs});
  it.run();
  CHECK(it.gates.at(1).passed());
  CHECK(it.logs.at(1).empty());
}

TEST_CASE("a check that is not needed any more is ended, and nothing is told of it") {
  CheckScene it;
  SECTION("while it runs") {
    it.open();
    it.checks->run_gate(
        {.n = 1, .command = "sleep 1000 & echo $! >child; wait", .timeout_ms = kCheckPatienceMs});
    wait_until([&] { return it.in_work("child").ends_with('\n'); });
  }
  SECTION("before it is told that it could not be started") {
    it.setup.own_program = "/no/such/orch";
    it.open();
    it.checks->find_changes(kCheckPatienceMs);
  }
  it.checks->end();
  CHECK_FALSE(it.checks->busy());
  it.run_out();
  CHECK(it.gates.empty());
  CHECK(it.changes.empty());
  if (const std::string child = it.in_work("child"); !child.empty()) {
    wait_until([&] { return has_ended(child.substr(0, child.size() - 1)); });
  }
}

TEST_CASE("the next gate can be run from inside of the end of the one before") {
  CheckScene it;
  it.open();
  it.when_told = [&] {
    const int n = static_cast<int>(it.gates.size());
    CHECK_FALSE(it.checks->busy());
    if (n < 3) {
      it.checks->run_gate(
          {.n = n + 1, .command = "echo " + std::to_string(n + 1), .timeout_ms = kCheckPatienceMs});
    }
  };
  it.checks->run_gate({.n = 1, .command = "echo 1", .timeout_ms = kCheckPatienceMs});
  it.run();
  CHECK(it.logs == std::vector<std::string>{"1\n", "2\n", "3\n"});
  for (size_t i = 0; i < it.gates.size(); ++i) CHECK(it.gates[i].n == static_cast<int>(i) + 1);
}

TEST_CASE("a gate of an agent in a container runs there, and its rest is ended there") {
  CheckScene it;
  auto toy = std::make_shared<ToyEnclosure>();
  it.setup.enclosure = toy;
  it.open();
  const std::string mark = it.dir->id() + "-gate-1";
  SECTION("however it ends") {
    toy->client = "echo inside \"$CLIENT\" >&2; exit 5";
    CHECK(it.gate("make test").code == 5);
    CHECK(it.gates[0].output == "inside yes");
    REQUIRE(toy->entries.size() == 1);
    CHECK(toy->entries[0].mark == mark);
    CHECK(toy->entries[0].cwd == it.work());
    CHECK(toy->entries[0].talk == Enclosure::Talk::kPipes);
    CHECK(toy->entries[0].env.at("GIFT") == "for the agent");
    CHECK(toy->asked[0].back() == "make test");
  }
  SECTION("its client hangs") {
    toy->client = "exec sleep 1000";
    CHECK(it.gate("make test", 1).timed_out);
  }
  SECTION("its client cannot be started") {
    fs::remove_all(it.work());
    CHECK(it.gate("make test").code == 126);
  }
  CHECK(toy->ended == std::vector{mark});
}

// Here the launcher is this program, which shuts nothing in: it does not know the words.
TEST_CASE("a gate of a fenced agent is given to the launcher, and to nobody else") {
  CheckScene it;
  it.setup.fence.emplace();
  it.open();
  (void)it.gate("touch unfenced");
  CHECK_FALSE(fs::exists(it.work() + "/unfenced"));
}

TEST_CASE("the changes are looked for by orch itself, in an environment of its own") {
  CheckScene it;
  it.open();
  const std::string words = it.work() + "/words";
  it.helper("pwd >" + words + "; env >>" + words + "; printf '%s\\n' \"$@\" >>" + words +
            R"(; echo '{"unknown":null,"head_moved":true,"files":2,"paths":["a","b"]}' >"$to")");
  const run::Changes found = it.found();
  CHECK(found.unknown.empty());
  CHECK(found.head_moved);
  CHECK(found.files == 2);
  CHECK(found.paths == std::vector<std::string>{"a", "b"});
  const std::string said = content_of(words);
  CHECK(said.starts_with("/\n"));
  CHECK(said.find("\nORCH_STATE_DIR=" + it.setup.state_dir + "\n") != std::string::npos);
  CHECK(said.find("GIFT=") == std::string::npos);
  CHECK(said.find("\nchanges\n--work-dir\n" + it.work() + "\n--snapshot\n" +
                  it.dir->snapshot_folder() + "\n--head\nbefore\n--to\n" + it.dir->changes_file() +
                  "\n") != std::string::npos);
}

TEST_CASE("a secret in the name of a changed file is neither told nor kept") {
  CheckScene it;
  it.open();
  const run::Changes found = it.found_by(
      "echo '{\"unknown\":null,\"head_moved\":false,\"files\":2,\"paths\":[\"src/a\","
      "\"of-" +
      std::string(kSecret) + ".txt\"]}' >\"$to\"");
  REQUIRE(found.paths.size() == 2);
  CHECK(found.paths[0] == "src/a");
  CHECK(found.paths[1].find(kSecret) == std::string::npos);
  const std::string kept = content_of(it.dir->changes_file());
  CHECK(kept.find("src/a") != std::string::npos);
  CHECK(kept.find(kSecret) == std::string::npos);
}

// An agent whose work cannot be told must not pass for one that has changed something, nor for one
// that has changed nothing.
TEST_CASE("changes that cannot be told are unknown, and it is said why") {
  CheckScene it;
  it.open();
  const std::string good = R"('{"unknown":null,"head_moved":true,"files":7,"paths":[]}')";
  struct Case {
    std::string script, why;
  };
  for (const Case& one : std::vector<Case>{
           {"", "changes.json"},  // although an answer of before lies there
           {"exit 3", "exit code 3"},
           {"kill -KILL $$", "exit code 137"},
           {"echo 'git: no room' >&2; exit 1", "git: no room"},
           {"echo " + good + " >\"$to\"; echo 'half done' >&2; exit 1", "half done"},
           {": >\"$to\"", "changes"},
           {"printf '{\"unknown\":nu' >\"$to\"", "changes"},
           {"echo '{\"head_moved\":\"yes\",\"files\":{}}' >\"$to\"", "changes"},
           {"mkdir \"$to\"", "changes.json"},
           {"mkfifo \"$to\"", "changes.json"},  // nobody writes to it
           {"head -c 3000000 /dev/zero >\"$to\"", "changes.json"},
       }) {
    INFO(one.script);
    fs::remove_all(it.dir->changes_file());
    std::ofstream(it.dir->changes_file()) << good.substr(1, good.size() - 2);
    const run::Changes found = it.found_by(one.script);
    CHECK(found.unknown.find(one.why) != std::string::npos);
    CHECK_FALSE(found.any());
  }
  it.setup.own_program = "/no/such/orch";
  CHECK(it.found().unknown.find("/no/such/orch") != std::string::npos);
  CHECK(it.found_by("exec sleep 1000", 1).unknown.find("took longer") != std::string::npos);
}

TEST_CASE("what became of a worktree is what the helper says, whatever git says around it") {
  CheckScene it;
  it.setup.worktree.emplace();
  it.setup.worktree->repository = "/repository";
  it.setup.worktree->path = "/worktrees/t1";
  it.setup.worktree->branch = "orch/t1";
  it.open();
  const std::string words = it.work() + "/words";
  const store::WorktreeEnd end = it.left_by(
      "printf '%s\\n' \"$@\" >" + words +
      "; echo 'warning: a word of git' >&2; echo '{\"path\":\"/etc\",\"branch\":\"main\","
      "\"kept\":false,\"why\":null,\"branch_kept\":false}' >&2");
  CHECK_FALSE(end.kept);
  CHECK_FALSE(end.branch_kept);
  CHECK(end.why.empty());
  CHECK(end.path == "/worktrees/t1");  // which nobody else decides
  CHECK(end.branch == "orch/t1");
  CHECK(content_of(words) ==
        "internal\nleave-worktree\n--repository\n/repository\n--path\n/worktrees/"
        "t1\n--branch\norch/t1\n");
}

TEST_CASE("a worktree of which nothing is known is said to be kept, and why") {
  struct Case {
    std::string script, why;
  };
  for (const Case& one : std::vector<Case>{
           {"", "worktree"},
           {"exit 2", "exit code 2"},
           {"echo 'git: locked' >&2; exit 1", "git: locked"},
           {"printf '{\"kept\":fal' >&2", "worktree"},
           {"echo '{\"kept\":false}' >&2", "worktree"},
       }) {
    INFO(one.script);
    CheckScene it;
    it.setup.worktree.emplace();
    it.setup.worktree->path = "/worktrees/t1";
    it.open();
    const store::WorktreeEnd end = it.left_by(one.script);
    CHECK(end.kept);
    CHECK(end.branch_kept);
    CHECK(end.why.find(one.why) != std::string::npos);
    CHECK(end.path == "/worktrees/t1");
  }
}

}  // namespace
}  // namespace orch::session
