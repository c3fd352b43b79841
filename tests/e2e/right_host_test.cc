// Commands reach the session that is meant: not one of another state directory, repository,
// container or run, and never a stranger that has got a host's pid.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "skipped.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

constexpr const char* kSleep = "echo $$ > ../agent-of-$ORCH_RUN; echo ready; exec sleep 1000";

// A workspace whose destructor ends what a test leaves running.
class Scene : public Workspace {
 public:
  ~Scene() {
    for (const std::string& folder : {state(), file("state-b")}) {
      run({"kill", "--all-repositories", "--now", "--state-dir", folder});
    }
  }
  // Launches orch with one folder of sockets for all state directories.
  Launch launch(Words words) const {
    fs::create_directories(file("runtime"));
    Launch launch = orch(std::move(words));
    launch.env.push_back("XDG_RUNTIME_DIR=" + file("runtime"));
    return launch;
  }
  Outcome run(Words words) const { return Program(launch(std::move(words))).finish(); }
  Outcome run_in(const std::string& project, Words words) const {
    Launch elsewhere = launch(std::move(words));
    fs::create_directories(file(project + "/.git"));
    elsewhere.cwd = file(project);
    return Program(elsewhere).finish();
  }
  Words start(const std::string& issue, const std::string& folder = "state") const {
    return {"run", issue, "-d", "--state-dir", file(folder), "--", "sh", "-c", kSleep};
  }
  bool agent_lives(const std::string& run) const {
    std::string pid;
    while (!pid.ends_with('\n')) {  // the agent writes it as soon as it starts
      std::ifstream in(file("agent-of-" + run));
      pid.assign(std::istreambuf_iterator<char>(in), {});
    }
    return ::kill(std::stoi(pid), 0) == 0;
  }
  Json sessions(const std::string& folder = "state") const {
    const Outcome outcome = run({"sessions", "--json", "--state-dir", file(folder)});
    REQUIRE(outcome.code == 0);
    return Json::parse(outcome.out);
  }
};

// A process of no session, which stands for one that got a dead host's pid.
class Stranger {
 public:
  Stranger() : pid_(::fork()) {
    if (pid_ == 0) {
      for (;;) ::pause();
    }
  }
  ~Stranger() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;
  pid_t pid() const { return pid_; }
  bool lives() const { return ::waitpid(pid_, nullptr, WNOHANG) == 0; }

 private:
  pid_t pid_;
};

}  // namespace

TEST_CASE("the same issue runs in two state directories, and each command reaches its own") {
  const Scene scene;
  REQUIRE(scene.run(scene.start("7")).code == 0);
  REQUIRE(scene.run(scene.start("7", "state-b")).code == 0);
  const Json first = scene.sessions(), second = scene.sessions("state-b");
  REQUIRE(first.size() == 1);
  REQUIRE(second.size() == 1);
  CHECK(first[0].at("socket") != second[0].at("socket"));
  CHECK(first[0].at("status").is_string());
  CHECK(second[0].at("status").is_string());
  const Outcome killed = scene.run({"kill", "7", "--state-dir", scene.state()});
  CHECK(killed.code == 0);
  CHECK(scene.sessions().empty());
  REQUIRE(scene.sessions("state-b").size() == 1);
  CHECK(scene.sessions("state-b")[0].at("status").is_string());
}

TEST_CASE("a state directory is one by all its paths") {
  const Scene scene;
  REQUIRE(scene.run(scene.start("7")).code == 0);
  fs::create_directory_symlink(scene.state(), scene.file("link"));
  CHECK(scene.run(scene.start("7", "link")).code == 2);
  CHECK(scene.run({"kill", "7", "--state-dir", "../link"}).code == 0);
  CHECK(scene.sessions().empty());
}

TEST_CASE("what changes a session of another repository must name it in full") {
  const Scene scene;
  REQUIRE(scene.run(scene.start("7")).code == 0);
  const std::string key = scene.sessions()[0].at("key");
  for (const Words& words :
       {Words{"kill", "7"}, Words{"kill", "7", "--now"}, Words{"keys", "7", "Enter"},
        Words{"send", "orch-7", "x"}, Words{"reset", "7"}, Words{"undo", "7"}}) {
    CAPTURE(words);
    const Outcome refused = scene.run_in("other", words);
    CHECK(refused.code == 2);
    CHECK(refused.out.empty());
    CHECK(refused.err == "orch: orch-7 belongs to " + fs::canonical(scene.project()).string() +
                             "; name it in full: " + key + "\n");
  }
  CHECK(scene.run_in("other", {"status", "7"}).code == 0);
  CHECK(scene.run_in("other", {"logs", "7"}).code == 0);
  const Outcome none = scene.run_in("other", {"kill", "--all"});
  CHECK(none.code == 0);
  CHECK(none.out.empty());
  CHECK(none.err.find("1 of others: --all-repositories") != std::string::npos);
  REQUIRE(scene.sessions().size() == 1);

  REQUIRE(scene.run_in("other", scene.start("7")).code == 0);
  CHECK(scene.run_in("other", {"kill", "--all"}).out == "orch-7\n");
  REQUIRE(scene.sessions().size() == 1);
  CHECK(scene.sessions()[0].at("key") == key);
  CHECK(scene.run_in("other", {"kill", key}).out == "orch-7\n");
  CHECK(scene.sessions().empty());
}

TEST_CASE("a stranger that got a host's pid is not killed") {
  const Scene scene;
  REQUIRE(scene.run(scene.start("7")).code == 0);
  const std::string key = scene.sessions()[0].at("key");
  const std::string record_path = scene.state() + "/sessions/" + key + ".json";
  Json record = Json::parse(content_of(record_path));
  REQUIRE(scene.run({"kill", "7"}).code == 0);

  const Stranger stranger;
  record["pid"] = stranger.pid();
  scene.write("state/sessions/" + key + ".json", record.dump());
  const orch::base::Fd lock(
      ::open((scene.state() + "/sessions/" + key + ".lock").c_str(), O_RDWR | O_CREAT, 0600));
  struct flock whole {};
  whole.l_type = F_WRLCK;
  REQUIRE(::fcntl(lock.get(), F_OFD_SETLK, &whole) == 0);
  const Outcome refused = scene.run({"kill", "7", "--now"});
  CHECK(refused.code == 125);
  CHECK(refused.out.empty());
  CHECK(lines_of(refused.err).size() == 1);
  CHECK(refused.err.find("pid " + std::to_string(stranger.pid()) + " is gone or another's") !=
        std::string::npos);
  CHECK(stranger.lives());
}

TEST_CASE("what runs in another pid namespace is ended there") {
  const Scene scene;
  Launch launch = scene.launch(scene.start("7"));
  launch.argv.erase(launch.argv.begin() + 3);  // removes -d
  const Words inside{"/usr/bin/unshare", "--pid", "--fork", "--mount-proc", "--kill-child"};
  Launch probe = launch;
  probe.argv = inside;
  probe.argv.emplace_back("true");
  if (Program(probe).finish().code != 0) {
    orch::say_skipped("this user may not make pid namespaces");
    return;
  }
  launch.argv.insert(launch.argv.begin(), inside.begin(), inside.end());
  Program container(launch);
  container.wait_for_output("ready");
  const Json session = scene.sessions().at(0);
  CHECK(session.at("life") == "running");
  REQUIRE(fs::remove(session.at("socket").get<std::string>()));
  const std::string elsewhere = "runs in another pid namespace (a container)";
  for (const Words& words : {Words{"kill", "7", "--now"}, Words{"kill", "7"}}) {
    const Outcome refused = scene.run(words);
    CHECK(refused.code == 125);
    CHECK(lines_of(refused.err).size() == 1);
    CHECK(refused.err.find(elsewhere) != std::string::npos);
    CHECK(refused.err.find("end it there") != std::string::npos);
  }
  const Outcome unseen = scene.run({"status", "7"});
  CHECK(unseen.code == 125);
  CHECK(unseen.err.find(elsewhere + ", but its socket ") != std::string::npos);
  CHECK(scene.run({"gc"}).code == 0);
  CHECK(scene.run({"gc", "--forget", "7"}).code == 2);
  CHECK(scene.sessions().at(0).at("life") == "running");
}

TEST_CASE("one session of a host that does not answer is ended without the others") {
  const Scene scene;
  REQUIRE(scene.run({"run", "1", "2", "-d", "--", "sh", "-c", kSleep}).code == 0);
  const Json sessions = scene.sessions();
  REQUIRE(sessions.size() == 2);
  const pid_t host = sessions[0].at("pid");
  CHECK(sessions[1].at("pid") == host);
  const auto run_of = [&sessions](const std::string& issue) -> std::string {
    return sessions[sessions[0].at("issue") == issue ? 0 : 1].at("run");
  };
  REQUIRE(::kill(host, SIGSTOP) == 0);
  const Outcome killed = scene.run({"kill", "1", "--now"});
  CHECK(killed.code == 0);
  CHECK(killed.out == "orch-1\n");
  CHECK(killed.err == "orch: orch-1: its processes are killed; its host, pid " +
                          std::to_string(host) +
                          ", does not answer and stays for orch-2, so it is listed until that "
                          "goes on\n");
  CHECK(living_with_mark(run_of("1")).empty());
  CHECK(guardian_of(host) > 0);
  CHECK(scene.agent_lives(run_of("2")));
  REQUIRE(::kill(host, SIGCONT) == 0);
  CHECK(scene.run({"wait", "1", "--until", "exited", "--timeout", "60s"}).code == 137);
  const Json left = scene.sessions();  // a killed one counts as failed, and stays to be looked at
  REQUIRE(left.size() == 2);
  CHECK(left[0].at("life") == "errored");
  CHECK(left[1].at("issue") == "2");
  CHECK(left[1].at("status").is_string());
  CHECK(scene.agent_lives(run_of("2")));
}

TEST_CASE("a host that does not answer is killed when all of its sessions are to end") {
  const Scene scene;
  REQUIRE(scene.run({"run", "1", "2", "-d", "--", "sh", "-c", kSleep}).code == 0);
  const Json sessions = scene.sessions();
  const pid_t host = sessions.at(0).at("pid");
  REQUIRE(::kill(host, SIGSTOP) == 0);
  const Outcome killed = scene.run({"kill", "1", "2", "--now"});
  INFO(killed.err);
  CHECK(killed.code == 0);
  CHECK(killed.out == "orch-1\norch-2\n");
  CHECK(killed.err.empty());
  CHECK(ends(host));
  for (const Json& session : sessions) {
    CHECK(living_with_mark(session.at("run").get<std::string>()).empty());
  }
}

TEST_CASE("what a killed host and its killed guardian leave is ended, too") {
  const Scene scene;
  REQUIRE(scene.run(scene.start("7")).code == 0);
  const Json session = scene.sessions().at(0);
  const pid_t host = session.at("pid");
  CHECK(scene.agent_lives(session.at("run")));
  const pid_t guardian = guardian_of(host);
  REQUIRE(guardian > 0);
  REQUIRE(::kill(host, SIGSTOP) == 0);
  REQUIRE(::kill(guardian, SIGKILL) == 0);
  CHECK(scene.run({"kill", "7", "--now"}).code == 0);
  CHECK(living_with_mark(session.at("run").get<std::string>()).empty());
  CHECK(scene.sessions().empty());
  CHECK(scene.run({"status", "7", "--json"}).out.find("\"internal\"") != std::string::npos);
}

// A run on another machine, which has the state directory on a disk that shows none of its locks
// here.
struct Away {
  Scene scene;
  std::string key, record, lock, run;

  Away() {
    REQUIRE(scene.run(scene.start("7")).code == 0);
    const Json session = scene.sessions()[0];
    key = session.at("key");
    run = session.at("run");
    const std::string name = scene.state() + "/sessions/" + key;
    record = name + ".json";
    lock = name + ".lock";
    Json session_file = Json::parse(content_of(record));
    const std::string run_file = scene.state() + "/runs/" + run + "/run.json";
    while (Json::parse(content_of(run_file)).at("status") != "running") ::usleep(1'000);
    Json run_record = Json::parse(content_of(run_file));
    REQUIRE(run_record.at("host").is_string());
    // This host is stopped and forgets its files, which are then as those of another one.
    REQUIRE(scene.run({"kill", "7", "--now"}).code == 0);
    session_file["boot_id"] = "another";
    session_file["hostname"] = "node17";
    session_file["machine"] = "another";
    session_file["socket"] = nullptr;
    run_record["host"] = "7:7:7:another:node17:another";
    scene.write("state/sessions/" + key + ".json", session_file.dump());
    fs::remove(scene.state() + "/runs/" + run + "/result.json");
    scene.write("state/runs/" + run + "/run.json", run_record.dump());
  }
  bool has_record() const { return fs::exists(scene.state() + "/runs/" + run + "/run.json"); }
  std::string run_state() const {
    const Json runs = Json::parse(scene.run({"runs", "--json"}).out);
    for (const Json& each : runs) {
      if (each.at("run") == run) return each.at("state");
    }
    return "";
  }
};

TEST_CASE("a session of another machine whose lock is not seen is not begun again here") {
  const Away away;
  const Scene& scene = away.scene;
  const std::string before = content_of(away.record);
  for (const Words& words :
       {Words{"run", "7", "--", "true"}, scene.start("7"), Words{"retry", "7"}}) {
    CAPTURE(words);
    const Outcome refused = scene.run(words);
    INFO(refused.err);
    CHECK(refused.code != 0);
    CHECK(holds(refused.err, " on node17)"));
    CHECK(holds(refused.err, "orch gc --forget " + away.key));
    CHECK(content_of(away.record) == before);
    CHECK(away.run_state() == "running");
  }
  CHECK(scene.run({"gc", "--older-than", "0s"}).code == 0);
  CHECK(content_of(away.record) == before);
  CHECK(away.has_record());
  // A person knows that the host is gone.
  CHECK(scene.run({"gc", "--forget", "7"}).code == 0);
  CHECK(away.run_state() == "cancelled");  // as its events say
  CHECK(scene.run({"run", "7", "--", "true"}).code == 0);
}

TEST_CASE(
    "a run of another machine stays although its session is gone, until a person forgets it") {
  const Away away;
  const Scene& scene = away.scene;
  fs::remove(away.record);
  fs::remove(away.lock);
  const Outcome swept = scene.run({"gc", "--older-than", "0s"});
  INFO(swept.err);
  CHECK(swept.code == 0);
  CHECK(away.has_record());
  CHECK(holds(swept.err, "orch gc --forget " + away.run));
  CHECK(away.run_state() == "running");
  CHECK(scene.run({"gc", "--forget", away.run}).code == 0);
  CHECK(away.run_state() == "cancelled");  // as its events say
  CHECK(scene.run({"gc", "--forget", away.run}).code == 4);
  CHECK(scene.run({"gc", "--older-than", "0s"}).code == 0);
  CHECK_FALSE(away.has_record());
}
