// The life of a container, with a fake docker client (fake_docker).
#include "sandbox/container.h"

#include <stdlib.h>  // mkdtemp, setenv
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include "pty/tool_queue.h"
#include "sandbox/container_source.h"
#include "sandbox/exec_words.h"
#include "sandbox/task_container.h"
#include "session/environment.h"
#include "session/pty_source.h"
#include "session/stream_source.h"

namespace orch::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kPatienceMs = 30'000;

// The folder of the fake's containers, and a loop.
class Stage final : public ContainerObserver, public session::SourceObserver {
 public:
  Stage() {
    std::string path = "/tmp/orch-box-XXXXXX";
    REQUIRE(::mkdtemp(path.data()) != nullptr);
    folder_ = fs::canonical(path).string();
    ::setenv("FAKE_DOCKER", folder_.c_str(), 1);
    wanted.image = "debian:12";
    wanted.network = "none";
    wanted.work = folder_;
  }
  // A process that removes a container, and that nobody waits for, may still use the folder.
  ~Stage() override {
    std::error_code failure;
    for (int tries = 0; tries < 100; ++tries) {
      fs::remove_all(folder_, failure);
      if (!failure) return;
    }
  }

  void on_up() override { up = true; }
  void on_lost(const std::string& why) override { lost = why; }
  void on_signalled() override { ++signalled; }
  void on_output(std::string_view bytes) override { output += bytes; }
  void on_end(pty::ExitStatus status) override { end = status; }

  template <typename Condition>
  bool wait_until(Condition condition) {
    const int64_t until = loop.now_ms() + kPatienceMs;
    while (!condition() && loop.now_ms() < until) {
      loop::Timer tick(loop);
      tick.start(5, [this] { loop.stop(); });
      loop.run();
    }
    return condition();
  }
  bool stands(const std::string& name) const { return fs::exists(folder_ + "/" + name + ".json"); }
  void write(const std::string& name) const { std::ofstream(folder_ + "/" + name) << "x"; }
  void remove(const std::string& name) const { fs::remove(folder_ + "/" + name); }
  bool is_asked_for(const std::string& word) const {
    std::ifstream words(folder_ + "/words");
    const std::string text{std::istreambuf_iterator<char>(words), {}};
    return text.starts_with(word) || text.find("\n" + word) != std::string::npos;
  }
  bool docker(std::vector<std::string> words) const {
    words.insert(words.begin(), FAKE_DOCKER);
    return pty::run_tool(words, session::own_environment(), {.patience_ms = kPatienceMs})->ok;
  }

  const Engine engine{EngineKind::kDocker, FAKE_DOCKER, false};
  ContainerRequest wanted;
  loop::Loop loop;
  bool up = false;
  int signalled = 0;
  std::string lost, output;
  std::optional<pty::ExitStatus> end;

 private:
  std::string folder_;
};

pty::SpawnPlan entered(const Container& container, session::Enclosure::Talk talk,
                       const std::string& script) {
  const ExecPlan exec = exec_plan(container.engine(),
                                  {.container = container.name(),
                                   .folder = std::string(kWorkspace),
                                   .talk = talk,
                                   .env = {{"SAID", "as it's \"said\""}},
                                   .mark = "m1"},
                                  {"sh", "-c", script});
  pty::SpawnPlan plan;
  plan.argv = exec.argv;
  plan.env = session::own_environment();
  plan.env.insert(plan.env.end(), exec.env.begin(), exec.env.end());
  return plan;
}

TEST_CASE("a container comes up, ends what is in it when told, and is gone once closed") {
  Stage stage;
  const auto container = begin_for_task(stage.loop, stage.engine, stage.wanted, "t1");
  container->observe(&stage);
  REQUIRE(stage.wait_until([&] { return stage.up; }));
  CHECK(stage.stands(container->name()));
  container->end_inside(Signal::kKill);
  CHECK(stage.wait_until([&] { return stage.signalled == 1; }));
  bool closed = false;
  container->close([&] { closed = true; });
  CHECK(stage.wait_until([&] { return closed; }));
  CHECK_FALSE(stage.stands(container->name()));
}

TEST_CASE("a container that is closed while it starts is gone once it could have been up") {
  Stage stage;
  stage.write("slow");
  const auto container = begin_for_task(stage.loop, stage.engine, stage.wanted, "t1");
  container->observe(&stage);
  REQUIRE(stage.wait_until([&] { return stage.is_asked_for("run"); }));
  bool closed = false;
  container->close([&] { closed = true; });
  stage.remove("slow");
  CHECK(stage.wait_until([&] { return closed; }));
  CHECK_FALSE(stage.up);
  CHECK(stage.lost.empty());
  CHECK_FALSE(stage.stands(container->name()));
}

TEST_CASE("who lets go of a container has it removed") {
  Stage stage;
  auto container = begin_for_task(stage.loop, stage.engine, stage.wanted, "t1");
  const std::string name = container->name();
  container->observe(&stage);
  REQUIRE(stage.wait_until([&] { return stage.up; }));
  container.reset();
  CHECK(stage.wait_until([&] { return !stage.stands(name); }));
}

TEST_CASE("an image that is missing, and a program that is not in it, are told") {
  Stage stage;
  SECTION("the image") {
    stage.wanted.image = "missing:1";
    const auto container = begin_for_task(stage.loop, stage.engine, stage.wanted, "t1");
    container->observe(&stage);
    REQUIRE(stage.wait_until([&] { return !stage.lost.empty(); }));
    CHECK(stage.lost == "a container of missing:1 does not start: No such image: missing:1");
  }
  SECTION("the program") {
    Container container(stage.loop, {.engine = stage.engine,
                                     .name = "c1",
                                     .ownership = Container::Ownership::kOwned,
                                     .what = "a container of debian:12",
                                     .program = "no-such-agent"});
    container.observe(&stage);
    container.start(run_words(stage.engine, stage.wanted, {"c1", "owner", "no-such-agent"}));
    REQUIRE(stage.wait_until([&] { return !stage.lost.empty(); }));
    CHECK(stage.lost ==
          "there is no no-such-agent in a container of debian:12: use an image that has it");
    bool closed = false;  // its leash and the command that removes it end at the same time
    container.close([&] { closed = true; });
    CHECK(stage.wait_until([&] { return closed; }));
  }
}

TEST_CASE("a container that says a line without end is lost soon, and the line is not kept") {
  Stage stage;
  stage.write("loud");
  const auto container = begin_for_task(stage.loop, stage.engine, stage.wanted, "t1");
  container->observe(&stage);
  const auto resident = [] {
    std::ifstream file("/proc/self/statm");
    long all = 0, pages = 0;
    file >> all >> pages;
    return pages * ::sysconf(_SC_PAGESIZE);
  };
  const long before = resident();
  REQUIRE(stage.wait_until([&] { return !stage.lost.empty(); }));
  CHECK(stage.lost.find("says more than 1 MB") != std::string::npos);
  CHECK(resident() - before < 8 << 20);
  bool closed = false;
  container->close([&] { closed = true; });
  CHECK(stage.wait_until([&] { return closed; }));
  CHECK_FALSE(stage.stands(container->name()));
}

TEST_CASE("a container that is taken away, or its daemon, is told soon and by name") {
  Stage stage;
  const auto container = begin_for_task(stage.loop, stage.engine, stage.wanted, "t1");
  container->observe(&stage);
  REQUIRE(stage.wait_until([&] { return stage.up; }));
  SECTION("removed") {
    REQUIRE(stage.docker({"rm", "--force", container->name()}));
    REQUIRE(stage.wait_until([&] { return !stage.lost.empty(); }));
    CHECK(stage.lost ==
          "container " + container->name() + " is gone: somebody removed or killed it");
  }
  SECTION("the daemon") {
    stage.write("down");
    REQUIRE(stage.wait_until([&] { return !stage.lost.empty(); }));
    CHECK(stage.lost.find("docker's daemon: Cannot connect to the Docker daemon") !=
          std::string::npos);
  }
  bool closed = false;
  container->close([&] { closed = true; });
  CHECK(stage.wait_until([&] { return closed; }));
}

TEST_CASE("an agent in a container: its output, its variables, its exit code") {
  using Talk = session::Enclosure::Talk;
  const auto [talk, source] =
      GENERATE(std::pair{Talk::kPipes, session::SourceFactory(session::StreamSource::spawn)},
               std::pair{Talk::kTerminal, session::SourceFactory(session::PtySource::spawn)});
  Stage stage;
  const auto container = begin_for_task(stage.loop, stage.engine, stage.wanted, "t1");
  ContainerSource agent(
      stage.loop, *container, {source, talk},
      entered(*container, talk, R"(echo "$SAID" $ORCH_V0 $(test -t 0 && stty size); exit 7)"),
      stage);
  REQUIRE(stage.wait_until([&] { return stage.end.has_value(); }));
  CHECK(stage.end->code == 7);
  CHECK(stage.lost.empty());
  const std::string size = talk == Talk::kTerminal ? " 40 120\r" : "";
  CHECK(stage.output == "as it's \"said\"" + size + "\n");
}

TEST_CASE("the signs of life of a mark's processes are found; where none has it nothing is known") {
  Stage stage;
  const auto container = begin_for_task(stage.loop, stage.engine, stage.wanted, "t1");
  ContainerSource agent(
      stage.loop, *container, {session::StreamSource::spawn, session::Enclosure::Talk::kPipes},
      entered(*container, session::Enclosure::Talk::kPipes, "sleep 1000 & echo begun; wait"),
      stage);
  REQUIRE(stage.wait_until([&] { return stage.output == "begun\n"; }));
  const auto looked_for = [&](const std::string& mark) {
    std::optional<std::optional<pty::LifeSigns>> found;
    container->find_life_signs(mark, [&](std::optional<pty::LifeSigns> signs) { found = signs; });
    REQUIRE(stage.wait_until([&] { return found.has_value(); }));
    return *found;
  };
  const std::optional<pty::LifeSigns> signs = looked_for("m1");
  REQUIRE(signs);
  CHECK(signs->child_count() == 1);
  CHECK_FALSE(looked_for("m2"));  // as in an image without the programs that are needed to look
}

TEST_CASE("an agent that takes no notice is ended from inside, and what it left with it") {
  Stage stage;
  const auto container = begin_for_task(stage.loop, stage.engine, stage.wanted, "t1");
  ContainerSource agent(stage.loop, *container,
                        {session::StreamSource::spawn, session::Enclosure::Talk::kPipes},
                        entered(*container, session::Enclosure::Talk::kPipes,
                                "trap '' TERM; setsid sleep 1000 & echo begun; sleep 1000; "
                                "sleep 1000"),
                        stage);
  REQUIRE(stage.wait_until([&] { return stage.output == "begun\n"; }));
  agent.stop({.quit_bytes = "", .quit_ms = 1, .term_ms = 50});
  REQUIRE(stage.wait_until([&] { return stage.end.has_value(); }));
  CHECK(stage.end->code == 137);
  CHECK(stage.stands(container->name()));
}

TEST_CASE("an agent that is given up does not go on beside the next one") {
  constexpr auto kPipes = session::Enclosure::Talk::kPipes;
  Stage stage;
  const auto container = begin_for_task(stage.loop, stage.engine, stage.wanted, "t1");
  const auto start = [&](const std::string& script) {
    return std::make_unique<ContainerSource>(
        stage.loop, *container, ContainerSource::Client{session::StreamSource::spawn, kPipes},
        entered(*container, kPipes, script), stage);
  };
  std::unique_ptr<ContainerSource> agent = start("trap '' TERM HUP; echo $$; sleep 1000; sleep 9");
  REQUIRE(stage.wait_until([&] { return stage.output.find('\n') != std::string::npos; }));
  const std::string first = std::exchange(stage.output, {});
  agent.reset();
  agent = start("read pid rest </proc/" + first.substr(0, first.size() - 1) +
                "/stat && case $rest in *') Z '*) ;; *) echo beside; esac 2>/dev/null; echo begun");
  REQUIRE(stage.wait_until([&] { return stage.output.find("begun\n") != std::string::npos; }));
  CHECK(stage.output == "begun\n");
  CHECK(stage.lost.empty());
}

TEST_CASE("an agent whose container is taken away ends, and not by its own code") {
  Stage stage;
  class Host final : public session::SourceObserver {
   public:
    void on_output(std::string_view bytes) override { output += bytes; }
    void on_end(pty::ExitStatus) override { ended = true; }
    void on_lost(const std::string& why) override {
      lost = why;
      agent->stop({});
    }
    session::Source* agent = nullptr;
    std::string output, lost;
    bool ended = false;
  } host;
  const auto container = begin_for_task(stage.loop, stage.engine, stage.wanted, "t1");
  ContainerSource agent(
      stage.loop, *container, {session::StreamSource::spawn, session::Enclosure::Talk::kPipes},
      entered(*container, session::Enclosure::Talk::kPipes, "echo begun; sleep 1000"), host);
  host.agent = &agent;
  REQUIRE(stage.wait_until([&] { return host.output == "begun\n"; }));
  REQUIRE(stage.docker({"rm", "--force", container->name()}));
  REQUIRE(stage.wait_until([&] { return host.ended; }));
  CHECK(host.lost.find("somebody removed or killed it") != std::string::npos);
}

}  // namespace
}  // namespace orch::sandbox
