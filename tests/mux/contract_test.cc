// The contract of every session manager: one table of cases, run with orch itself over native, a
// real tmux, and a fake zellij (fake_zellij.py).
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "loop/loop.h"
#include "loop/timer.h"
#include "mux/session_manager.h"
#include "mux/tool.h"
#include "session/environment.h"
#include "skipped.h"
#include "store/session_file.h"
#include "workspace.h"

using namespace orch;
using namespace orch::e2e;
using mux::ManagerKind;

namespace {

namespace fs = std::filesystem;

// A manager in a place of its own: its tmux server, or its zellij sessions.
class Scene {
 public:
  explicit Scene(ManagerKind kind) : kind_(kind) {
    for (const char* folder : {"tmux", "zellij", "bin"}) fs::create_directories(space.file(folder));
    if (kind == ManagerKind::kZellij) {
      fs::create_symlink(ORCH_SOURCE_DIR "/tests/mux/fake_zellij.py", space.file("bin/zellij"));
    }
    // The manager in this process uses these variables, too.
    ::setenv("TMUX_TMPDIR", space.file("tmux").c_str(), 1);
    ::setenv("FAKE_ZELLIJ", space.file("zellij").c_str(), 1);
    path_ = space.file("bin") + ":" + std::getenv("PATH");
    old_path_ = std::getenv("PATH");
    ::setenv("PATH", path_.c_str(), 1);
    manager = mux::make_manager(kind, {ORCH_PROGRAM, {}});
  }
  ~Scene() {
    (void)orch({"kill", "--all", "--now"});
    ::setenv("PATH", old_path_.c_str(), 1);
  }

  Launch launch(Launch launch) const {
    std::erase_if(launch.env, [](const std::string& it) { return it.starts_with("PATH="); });
    launch.env.push_back("PATH=" + path_);
    launch.env.push_back("TMUX_TMPDIR=" + space.file("tmux"));
    launch.env.push_back("FAKE_ZELLIJ=" + space.file("zellij"));
    return launch;
  }
  Outcome orch(Words words) const { return Program(launch(space.orch(std::move(words)))).finish(); }
  Words held() const { return {"-d", "--session-manager", std::string(mux::name(kind_))}; }
  Outcome start(const std::string& script) const {
    return Program(launch(space.shell(script, held()))).finish();
  }
  std::vector<store::SessionRecord> sessions() const {
    return *store::list_sessions(space.state());
  }
  // The only session's key; "" where there is none.
  std::string key() const {
    const auto all = sessions();
    return all.size() == 1 ? all[0].key : "";
  }
  bool is_running() const {
    const auto all = sessions();
    return all.size() == 1 && all[0].status == store::SessionStatus::kRunning;
  }
  bool shows(const std::string& text) const {
    return orch({"logs", "7"}).out.find(text) != std::string::npos;
  }

  const Workspace space;
  std::unique_ptr<mux::SessionManager> manager;

 private:
  ManagerKind kind_;
  std::string path_, old_path_;
};

void eventually(const std::string& what, const std::function<bool()>& holds) {
  const Clock::time_point until = Clock::now() + kPatience;
  while (!holds() && Clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  INFO(what);
  REQUIRE(holds());
}

// Told of an agent's end alone.
class EndWatch final : public session::SourceObserver {
 public:
  explicit EndWatch(loop::Loop& loop) : loop_(loop) {}
  bool ended = false;
  std::string output;

 private:
  void on_output(std::string_view bytes) override { output += bytes; }
  void on_end(pty::ExitStatus) override {
    ended = true;
    loop_.stop();
  }
  loop::Loop& loop_;
};

std::vector<ManagerKind> kinds() {
  std::vector<ManagerKind> kinds{ManagerKind::kNative, ManagerKind::kZellij};
  const bool tmux =
      mux::run_tool({"tmux", "-V"}, {std::string("PATH=") + std::getenv("PATH")}).ok();
  if (tmux) kinds.insert(kinds.begin() + 1, ManagerKind::kTmux);
  if (!tmux) orch::say_skipped("tmux is not installed: its cases are not run");
  return kinds;
}

const std::string kAnswers = "echo ready; while read line; do echo \"got $line\"; done";

}  // namespace

TEST_CASE("a manager creates a session that is listed, read, typed to and ended") {
  for (const ManagerKind kind : kinds()) {
    INFO(mux::name(kind));
    const Scene scene(kind);
    const Outcome started = scene.start(kAnswers);
    INFO(started.err);
    REQUIRE(started.code == 0);
    CHECK(started.err.empty());
    const std::string key = scene.key();
    REQUIRE(key.starts_with("orch-7@"));
    CHECK(scene.is_running());
    const Json told = Json::parse(scene.orch({"sessions", "--json"}).out);
    CHECK(told[0].at("manager") == std::string(mux::name(kind)));
    CHECK(told[0].at("manager_reason").get<std::string>().starts_with("asked for"));
    CHECK(Json::parse(scene.orch({"status", "7", "--json"}).out).at("manager") ==
          std::string(mux::name(kind)));

    eventually("its words are read", [&] { return scene.shows("ready"); });
    CHECK(scene.orch({"keys", "7", "h", "i", "Enter"}).code == 0);
    eventually("it got what was typed", [&] { return scene.shows("got hi"); });

    CHECK(scene.orch({"kill", "7"}).code == 0);
    CHECK(scene.sessions().empty());
    CHECK(scene.orch({"kill", "7"}).code == 4);
    const RunFolder run = scene.space.run_of();
    CHECK(run.result.at("reason") == "killed");
    CHECK(run.record.at("manager") == std::string(mux::name(kind)));
  }
}

TEST_CASE("how a person gets in") {
  const auto words = [](ManagerKind kind, mux::Access access) {
    mux::Tools tools;
    tools.orch = "/bin/orch";
    return mux::make_manager(kind, tools)->attach("orch-7@1", access);
  };
  using mux::Access;
  CHECK(words(ManagerKind::kNative, Access::kInteractive) ==
        Words{"/bin/orch", "attach", "orch-7@1"});
  CHECK(words(ManagerKind::kNative, Access::kReadOnly).back() == "--read-only");
  CHECK(words(ManagerKind::kTmux, Access::kInteractive) ==
        Words{"tmux", "-L", "orch", "attach-session", "-t", "=orch-7@1"});
  CHECK(words(ManagerKind::kTmux, Access::kReadOnly) ==
        Words{"tmux", "-L", "orch", "attach-session", "-r", "-t", "=orch-7@1"});
  CHECK(words(ManagerKind::kZellij, Access::kInteractive) == Words{"zellij", "attach", "orch-7@1"});
  CHECK(words(ManagerKind::kZellij, Access::kReadOnly) == Words{"zellij", "watch", "orch-7@1"});
}

TEST_CASE("several agents are tiles of one session where the manager has such") {
  for (const ManagerKind kind : kinds()) {
    INFO(mux::name(kind));
    const Scene scene(kind);
    loop::Loop loop;
    loop::Timer deadline(loop);
    deadline.start(60'000, [&] { loop.stop(); });
    pty::SpawnPlan plan;
    plan.argv = {"sh", "-c", "echo up; read line; echo got $line"};
    plan.env = session::own_environment();
    EndWatch one(loop), two(loop);
    const auto start = [&](const std::string& name, EndWatch& watch) {
      return scene.manager->create_tile("orch-" + name + "@00000000", "crew-demo", "crew-" + name)(
          loop, plan, watch);
    };
    auto first = start("planner", one), second = start("reviewer", two);
    REQUIRE(first);
    REQUIRE(second);
    if (kind == ManagerKind::kTmux) {
      const auto shown = mux::tmux::ask({}, {"list-panes", "-s", "-t", "=crew-demo", "-F",
                                             "#{@orch-tile} #{pane_left} #{pane_width}"});
      REQUIRE(shown);
      CHECK(shown->said == "crew-planner 0 200\ncrew-reviewer 0 200\n");
    }
    (*first)->write("a\r");
    (*second)->write("b\r");
    while (!(one.ended && two.ended) && deadline.active()) loop.run();
    CHECK(one.output.find("got a") != std::string::npos);
    CHECK(two.output.find("got b") != std::string::npos);
  }
}

TEST_CASE("a session that failed stays to be looked at, until another takes its place") {
  for (const ManagerKind kind : kinds()) {
    INFO(mux::name(kind));
    const Scene scene(kind);
    REQUIRE(scene.start("echo unhappy; sleep 1; exit 3").code == 0);
    const std::string key = scene.key();
    eventually("it ends", [&] { return !scene.is_running(); });
    REQUIRE(scene.key() == key);
    const Json told = Json::parse(scene.orch({"sessions", "--json"}).out);
    CHECK(told[0].at("life") == "errored");
    CHECK(told[0].at("keep_for_ms") == 24 * 3600 * 1000);
    CHECK(scene.shows("unhappy"));
    if (kind == ManagerKind::kTmux) {
      const auto shown =
          mux::tmux::ask({}, {"capture-pane", "-p", "-S", "-", "-t", mux::tmux::exactly(key)});
      REQUIRE(shown);
      CHECK(shown->said.find("unhappy") != std::string::npos);
    }
    CHECK(Json::parse(scene.orch({"status", "7", "--json"}).out).at("code") == 1);
    CHECK(scene.orch({"gc"}).code == 0);
    CHECK(scene.key() == key);  // it is kept for some time

    REQUIRE(scene.start(kAnswers).code == 0);
    CHECK(scene.is_running());
    CHECK(scene.orch({"kill", "7"}).code == 0);
    CHECK(scene.sessions().empty());
  }
}

TEST_CASE("a session that failed goes when its time is over, or by hand") {
  for (const ManagerKind kind : kinds()) {
    INFO(mux::name(kind));
    const Scene scene(kind);
    Words words = scene.held();
    words.insert(words.end(), {"--keep", "1s"});
    const auto fail = [&] {
      const Launch launch = scene.launch(scene.space.shell("exit 3", words));
      REQUIRE(Program(launch).finish().code == 0);
      eventually("it ends", [&] {
        const auto all = scene.sessions();
        return all.size() == 1 && all[0].status == store::SessionStatus::kErrored;
      });
    };
    fail();
    eventually("gc removes it", [&] {
      REQUIRE(scene.orch({"gc"}).code == 0);
      return scene.sessions().empty();
    });
    fail();
    CHECK(scene.orch({"kill", "7"}).code == 0);
    CHECK(scene.sessions().empty());
    if (kind == ManagerKind::kTmux) {
      const auto left = mux::tmux::ask({}, {"list-sessions"});
      CHECK((!left || left->code != 0));  // not even the server
    }
  }
}

TEST_CASE("a session that is complete leaves nothing") {
  for (const ManagerKind kind : kinds()) {
    INFO(mux::name(kind));
    const Scene scene(kind);
    REQUIRE(scene.start("echo all done").code == 0);
    (void)scene.orch({"wait", "7", "--until", "exited", "--timeout", "80s"});
    eventually("its place is free", [&] { return scene.sessions().empty(); });
    const RunFolder run = scene.space.run_of();
    CHECK(run.result.at("reason") == "exit");
    CHECK(run.transcript.find("all done") != std::string::npos);
  }
}

// What zellij draws between two looks is missed, so its words and statuses are not compared.
TEST_CASE("the demo agent's scenarios are told the same in tmux as natively") {
  const auto all = kinds();
  if (std::find(all.begin(), all.end(), ManagerKind::kTmux) == all.end()) return;
  struct Told {
    std::string reason, words;
    std::vector<std::string> statuses;
    std::vector<std::string> messages;
  };
  const auto start = [](const Scene& scene, const std::string& scenario) {
    Words words = scene.held();
    words.insert(words.end(), {"-p", "do it", "--timeout", "60s", "--ask-timeout", "0"});
    const Outcome started = Program(scene.launch(scene.space.demo(scenario, words))).finish();
    INFO(started.err);
    REQUIRE(started.code == 0);
  };
  const auto told_by = [](const Scene& scene) {
    (void)scene.orch({"wait", "7", "--until", "exited", "--timeout", "80s"});
    eventually("it has ended", [&] { return !scene.is_running(); });
    const RunFolder run = scene.space.run_of();
    // For some milliseconds a draft is shown between its typing and its turn, or not.
    std::vector<std::string> statuses = run.statuses();
    std::erase_if(statuses, [](const std::string& it) {
      return it == "idle/draft" || it == "working/submitted";
    });
    statuses.erase(std::unique(statuses.begin(), statuses.end()), statuses.end());
    return Told{run.result.at("reason"), run.words(), statuses, scene.space.messages()};
  };
  // An agent that crashes may do so before it has drawn its last words; one that loses keys shows
  // its draft until orch looks again; one that exits may be seen idle before. All of that varies
  // natively, too.
  const std::set<std::string> words_vary{"crash"};
  const std::set<std::string> statuses_vary{"swallow-enter", "lose-paste", "dialog-on-paste",
                                            "die-on-paste",  "exit-early", "crash"};
  for (const char* scenario : {"default", "permission", "question", "trick", "error", "rate-limit",
                               "unicode", "exit-early", "crash", "continue", "swallow-enter",
                               "lose-paste", "dialog-on-paste", "die-on-paste"}) {
    INFO(scenario);
    const Scene natively(ManagerKind::kNative), in_tmux(ManagerKind::kTmux);
    start(natively, scenario);
    start(in_tmux, scenario);
    const Told native = told_by(natively), tmux = told_by(in_tmux);
    CHECK(tmux.reason == native.reason);
    CHECK(tmux.messages == native.messages);
    if (!words_vary.contains(scenario)) CHECK(tmux.words == native.words);
    if (!statuses_vary.contains(scenario)) CHECK(tmux.statuses == native.statuses);
  }
}

TEST_CASE("zellij is asked by words, and nothing but words") {
  const Scene scene(ManagerKind::kZellij);
  REQUIRE(scene.start(kAnswers).code == 0);
  const std::string key = scene.key();
  CHECK(scene.orch({"keys", "7", "a"}).code == 0);
  const auto calls = [&] { return json_lines(content_of(scene.space.file("zellij/calls"))); };
  eventually("it types", [&] {
    const auto all = calls();
    const Json typed{"--session", key, "action", "write", "--pane-id", "terminal_1", "97"};
    return std::find(all.begin(), all.end(), typed) != all.end();
  });
  CHECK(scene.orch({"kill", "7"}).code == 0);
  const std::vector<Json> all = calls();
  CHECK(all[0] == Json{"delete-session", "--force", key});
  CHECK(all[1].at(2) == "--layout-string");
  CHECK(all[1].at(5) == "--create-background");
  CHECK(all[1].at(6) == key);
  CHECK(all[1].at(8) == ORCH_PROGRAM);
  CHECK(all[1].at(9) == "internal");
  CHECK(all[1].at(10) == "pane");
  CHECK(all[2] == Json{"attach", key});  // for the size
}

TEST_CASE("a manager that is asked for and missing is one line, and the session is native") {
  const Scene scene(ManagerKind::kNative);
  Launch launch =
      scene.launch(scene.space.shell("sleep 100", {"-d", "--session-manager", "zellij"}));
  fs::create_symlink("/bin/sh", scene.space.file("bin/sh"));
  fs::create_symlink("/bin/sleep", scene.space.file("bin/sleep"));
  launch.env.push_back("PATH=" + scene.space.file("bin"));
  std::erase_if(launch.env, [&](const std::string& it) {
    return it.starts_with("PATH=") && it != "PATH=" + scene.space.file("bin");
  });
  const Outcome started = Program(launch).finish();
  CHECK(started.code == 0);
  CHECK(lines_of(started.err) ==
        Words{"orch: zellij is not installed, so the session is native; install it, or say "
              "--session-manager native"});
  const Json told = Json::parse(scene.orch({"sessions", "--json"}).out);
  CHECK(told[0].at("manager") == "native");
  CHECK(told[0].at("manager_reason") == "zellij was asked for and is not installed");
  const Outcome wrong = scene.orch({"run", "8", "-d", "--session-manager", "screen", "--", "true"});
  CHECK(wrong.code == 2);
  CHECK(lines_of(wrong.err).size() == 1);
}

TEST_CASE("a host that is killed takes its pane and its agent along") {
  for (const ManagerKind kind : kinds()) {
    INFO(mux::name(kind));
    const Scene scene(kind);
    REQUIRE(scene.start("trap '' HUP TERM; echo up; sleep 1000 & sleep 1000").code == 0);
    const auto all = scene.sessions();
    REQUIRE(all.size() == 1);
    REQUIRE(::kill(all[0].host.pid, SIGKILL) == 0);
    eventually("nothing of the run lives", [&] { return living_with_mark(all[0].run).empty(); });
    if (kind == ManagerKind::kNative) continue;
    eventually("its pane is gone", [&] {
      const Words words = kind == ManagerKind::kTmux
                              ? Words{"tmux", "-L", "orch", "has-session", "-t", "=" + all[0].key}
                              : Words{"test", "-e", scene.space.file("zellij/" + all[0].key)};
      const auto found = mux::run_tool(words, {std::string("PATH=") + std::getenv("PATH"),
                                               "TMUX_TMPDIR=" + scene.space.file("tmux")});
      return found && found->code != 0;
    });
  }
}

TEST_CASE("the configuration chooses the manager, an option goes before it") {
  const Scene scene(ManagerKind::kNative);
  scene.space.write("home/.config/orch/config.json", R"({"session-manager": "native"})");
  scene.space.write("project/.orch/config.json",
                    R"({"bell": false, "agent": "codex", "kepe": "1"})");
  const Outcome shown = scene.orch({"config", "--json"});
  REQUIRE(shown.code == 0);
  const Json settings = Json::parse(shown.out);
  CHECK(settings.size() > 5);
  CHECK(lines_of(shown.err).size() == 2);
  CHECK(shown.err.find("kepe") != std::string::npos);
  CHECK(shown.err.find("orch trust .orch/config.json") != std::string::npos);
  for (const Json& setting : settings) {
    if (setting.at("option") == "session-manager") {
      CHECK(setting.at("value") == "native");
      CHECK(setting.at("from") == "user");
    }
    if (setting.at("option") == "bell") CHECK(setting.at("from") == "repository");
    if (setting.at("option") == "agent") CHECK(setting.at("from") == "default");
  }
  Launch launch = scene.launch(scene.space.orch({"config"}));
  launch.env.push_back("ORCH_SESSION_MANAGER=tmux");
  const Outcome table = Program(launch).finish();
  CHECK(table.out.find("\nsession-manager  tmux       $ORCH_SESSION_MANAGER\n") !=
        std::string::npos);
}
