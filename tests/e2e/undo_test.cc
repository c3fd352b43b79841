// orch snapshot and orch undo, as they are called.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "store/undo_claim.h"
#include "workspace.h"

using namespace orch::e2e;
namespace fs = std::filesystem;

namespace {

Outcome call(const Workspace& workspace, Words words) {
  return Program(workspace.orch(std::move(words))).finish();
}

// The snapshot of a run, as if it had been taken now.
void take_snapshot(const Workspace& workspace, const std::string& run_folder) {
  fs::remove_all(run_folder + "/snapshot");
  const Outcome taken =
      call(workspace, {"snapshot", "--work-dir", ".", "--to", run_folder + "/snapshot"});
  INFO(taken.err);
  REQUIRE(taken.code == 0);
}

// A project with some files, a finished run in it and the snapshot of that.
struct Destroyed {
  Destroyed() {
    workspace.write("project/src/a.cc", "one\n");
    workspace.write("project/.env", "SECRET=1\n");
    workspace.write("project/run.sh", "#!/bin/sh\n");
    REQUIRE(::chmod((workspace.project() + "/run.sh").c_str(), 0755) == 0);
    REQUIRE(Program(workspace.shell("true")).finish().code == 0);
    run = workspace.run_of();
    take_snapshot(workspace, run.path);
    fs::remove_all(workspace.project() + "/src");
    fs::remove(workspace.project() + "/.env");
    REQUIRE(::chmod((workspace.project() + "/run.sh").c_str(), 0600) == 0);
    workspace.write("project/made", "by the run\n");
  }
  bool is_destroyed() const { return !fs::exists(workspace.project() + "/src/a.cc"); }
  void check_undone() const {
    CHECK(content_of(workspace.project() + "/src/a.cc") == "one\n");
    CHECK(content_of(workspace.project() + "/.env") == "SECRET=1\n");
    CHECK((fs::status(workspace.project() + "/run.sh").permissions() & fs::perms::all) ==
          fs::perms(0755));
    CHECK(content_of(workspace.project() + "/made") == "by the run\n");
  }

  Workspace workspace;
  RunFolder run;
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("orch undo says what it would do, and does it only when told") {
  const Destroyed scene;
  const Outcome dry = call(scene.workspace, {"undo", "7", "--dry-run"});
  CHECK(dry.code == 0);
  CHECK(holds(dry.out, "restore      .env\n"));
  CHECK(holds(dry.out, "restore      src (and 1 in it)\n"));
  CHECK(holds(dry.out, "change back  run.sh (mode 0600, was 0755)\n"));
  CHECK(holds(dry.out, "leave        made\n"));
  CHECK(
      holds(dry.err, "3 to restore, 1 to change back, 0 to remove; 1 made or changed since stay"));
  CHECK(scene.is_destroyed());
  const Outcome list = call(scene.workspace, {"undo", "7", "--list"});
  CHECK(holds(list.out, "restore      src/a.cc\n"));
  CHECK(scene.is_destroyed());
  const Outcome unasked = call(scene.workspace, {"undo", "7"});
  CHECK(unasked.code == 2);
  CHECK(holds(last_line(unasked.err), "--yes"));
  CHECK(scene.is_destroyed());
  const Outcome done = call(scene.workspace, {"undo", "7", "--yes"});
  INFO(done.err);
  CHECK(done.code == 0);
  scene.check_undone();
  const Outcome again = call(scene.workspace, {"undo", "7", "--yes"});
  CHECK(again.code == 0);
  CHECK(holds(again.err, "0 to restore, 0 to change back, 0 to remove"));
}

TEST_CASE("on a terminal orch undo asks, and no is no") {
  const Destroyed scene;
  for (const std::string answer : {"n", "", "y"}) {
    INFO(answer);
    Launch launch = scene.workspace.orch({"undo", scene.run.id()});
    launch.terminal = {120, 40};
    launch.errors_on_terminal = true;
    Program program(launch);
    program.wait_for_output("Go on? [y/N]");
    program.type(answer + "\r");
    const Outcome outcome = program.finish();
    CHECK(outcome.code == (answer == "y" ? 0 : 1));
    CHECK(scene.is_destroyed() == (answer != "y"));
  }
  scene.check_undone();
}

TEST_CASE("an undo is undone by --redo, and some paths alone come back by --only") {
  const Destroyed scene;
  CHECK(call(scene.workspace, {"undo", "7", "--redo", "--yes"}).code == 4);  // nothing to redo yet
  CHECK(call(scene.workspace, {"undo", "7", "--yes", "--only", ".env"}).code == 0);
  CHECK(scene.is_destroyed());
  CHECK(content_of(scene.workspace.project() + "/.env") == "SECRET=1\n");
  scene.workspace.write("project/src/a.cc", "rewritten\n");
  CHECK(call(scene.workspace, {"undo", "7", "--yes"}).code == 0);
  scene.check_undone();
  CHECK(call(scene.workspace, {"undo", "7", "--redo", "--yes"}).code == 0);
  CHECK(content_of(scene.workspace.project() + "/src/a.cc") == "rewritten\n");
  const Outcome outside = call(scene.workspace, {"undo", "7", "--yes", "--only", "../home"});
  CHECK(outside.code == 2);
  CHECK(holds(outside.err, "is not in"));
}

TEST_CASE("orch undo as JSON") {
  const Destroyed scene;
  const Outcome list = call(scene.workspace, {"undo", "7", "--list", "--json"});
  REQUIRE(list.code == 0);
  const Json plan = Json::parse(list.out);
  CHECK(plan.at("run") == scene.run.id());
  CHECK(plan.at("changes").size() == 5);
  CHECK(call(scene.workspace, {"undo", "7", "--json"}).code == 2);
  CHECK(scene.is_destroyed());
  const Outcome done = call(scene.workspace, {"undo", "7", "--json", "--yes"});
  REQUIRE(done.code == 0);
  const Json report = Json::parse(done.out);
  CHECK(report.at("failures").empty());
  CHECK(report.at("done").size() == 4);
  CHECK(fs::exists(report.at("kept_in").get<std::string>() + "/manifest"));
  scene.check_undone();
}

TEST_CASE("nothing is undone under a running session") {
  const Workspace workspace;
  workspace.write("project/a", "one\n");
  const Gate gate(workspace.file("gate"));
  Program run(workspace.shell("rm a; echo gone; read word < " + workspace.file("gate")));
  run.wait_for_output("gone");
  std::string folder;
  for (const auto& entry : fs::directory_iterator(workspace.state() + "/runs")) {
    folder = entry.path().string();
  }
  workspace.write("project/a", "one\n");
  take_snapshot(workspace, folder);
  fs::remove(workspace.project() + "/a");
  const Outcome refused = call(workspace, {"undo", "7", "--yes"});
  CHECK(refused.code == 2);
  CHECK(holds(refused.err, "orch-7 is at work there; end it first: orch kill 7"));
  CHECK_FALSE(fs::exists(workspace.project() + "/a"));
  CHECK(call(workspace, {"undo", "7", "--dry-run"}).code == 0);
  gate.let_through();
  CHECK(run.finish().code == 0);
  CHECK(call(workspace, {"undo", "7", "--yes"}).code == 0);
  CHECK(content_of(workspace.project() + "/a") == "one\n");
}

TEST_CASE(
    "nothing is begun under an undo, and nothing undone under a session that cannot be read") {
  const Destroyed scene;
  const Workspace& workspace = scene.workspace;
  SECTION("a run begins") {
    auto claim = orch::store::UndoClaim::make(workspace.state(), "some-run", workspace.project());
    REQUIRE(claim.ok());
    const Outcome refused = Program(workspace.shell("touch worked", {}, "8")).finish();
    CHECK(refused.code == 2);
    CHECK(holds(refused.err, "the undo of run some-run is at work"));
    CHECK_FALSE(fs::exists(workspace.project() + "/worked"));
    const Outcome second = call(workspace, {"undo", "7", "--yes"});
    CHECK(second.code == 2);
    CHECK(holds(second.err, "the undo of run some-run is at work there"));
    CHECK(scene.is_destroyed());
    claim->reset();
    CHECK(call(workspace, {"undo", "7", "--yes"}).code == 0);
    scene.check_undone();
  }
  SECTION("a session of another version runs") {
    const Gate gate(workspace.file("gate"));
    Program run(workspace.shell("echo there; read word < " + workspace.file("gate"), {}, "8"));
    run.wait_for_output("there");
    for (const auto& entry : fs::directory_iterator(workspace.state() + "/sessions")) {
      if (entry.path().extension() == ".json") std::ofstream(entry.path()) << "{\"key\": 7}";
    }
    const Outcome refused = call(workspace, {"undo", "7", "--yes"});
    CHECK(refused.code == 2);
    CHECK(holds(refused.err, "orch-8 is at work there"));
    const Outcome listed = call(workspace, {"sessions"});
    CHECK(holds(listed.out, "unreadable"));
    CHECK(call(workspace, {"gc", "--older-than", "0s"}).code == 0);
    size_t runs = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(workspace.state() + "/runs")) {
      ++runs;
    }
    CHECK(runs == 1);  // that of the host, which lives
    gate.let_through();
    CHECK(run.finish().code == 0);
  }
}

TEST_CASE("what has taken the place of the folder is overwritten only by --force") {
  const Destroyed scene;
  const Workspace& workspace = scene.workspace;
  fs::rename(workspace.project(), workspace.file("moved"));
  workspace.write("project/src/a.cc", "another\n");
  const Outcome refused = call(workspace, {"undo", "7", "--yes"});
  CHECK(refused.code == 2);
  CHECK(holds(refused.err, "is another folder than the one in which"));
  CHECK(content_of(workspace.project() + "/src/a.cc") == "another\n");
  const Outcome dry = call(workspace, {"undo", "7", "--dry-run"});
  CHECK(dry.code == 0);
  CHECK(holds(dry.err, "is another folder than the one in which"));
  CHECK(call(workspace, {"undo", "7", "--yes", "--force"}).code == 0);
  CHECK(content_of(workspace.project() + "/src/a.cc") == "one\n");
  fs::remove_all(workspace.project());
  Launch gone = workspace.orch({"undo", scene.run.id(), "--yes"});
  gone.cwd = workspace.file("home");
  CHECK(Program(gone).finish().code == 0);
  CHECK(content_of(workspace.project() + "/src/a.cc") == "one\n");
}

TEST_CASE("runs that do not exist, are another repository's or have no snapshot") {
  const Destroyed scene;
  CHECK(call(scene.workspace, {"undo", "no-such", "--yes"}).code == 4);
  Launch elsewhere = scene.workspace.orch({"undo", "7", "--yes"});
  elsewhere.cwd = scene.workspace.file("home");
  const Outcome refused = Program(elsewhere).finish();
  CHECK(refused.code == 2);
  CHECK(holds(refused.err, "; name it in full: orch-7@"));
  CHECK(scene.is_destroyed());
  elsewhere = scene.workspace.orch({"undo", scene.run.id(), "--yes"});
  elsewhere.cwd = scene.workspace.file("home");
  CHECK(Program(elsewhere).finish().code == 0);
  scene.check_undone();
  fs::remove_all(scene.run.path + "/snapshot");
  CHECK(call(scene.workspace, {"undo", "7", "--yes"}).code == 4);
}

TEST_CASE("an older run is not undone where the newest one cannot be read, but by its own name") {
  const Destroyed scene;
  REQUIRE(Program(scene.workspace.shell("true")).finish().code == 0);
  const std::string newest = Json::parse(call(scene.workspace, {"runs", "--json"}).out)[0].at("id");
  const std::string folder = scene.workspace.state() + "/runs/" + newest;
  take_snapshot(scene.workspace, folder);
  fs::resize_file(folder + "/run.json", 100);
  for (const Words& words : {Words{"undo", "7", "--yes"}, Words{"undo", "--yes"}}) {
    const Outcome refused = call(scene.workspace, words);
    CHECK(refused.code == 2);
    CHECK(holds(refused.err, newest));
    CHECK(scene.is_destroyed());
  }
  const Outcome done = call(scene.workspace, {"undo", scene.run.id(), "--yes"});
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(holds(done.err, "run " + newest + ", which is later, cannot be read"));
  scene.check_undone();
}

TEST_CASE("a run that began earlier and ended later is told before an undo takes what it did") {
  const Destroyed scene;
  REQUIRE(Program(scene.workspace.shell("true", {}, "8")).finish().code == 0);
  const std::string other = scene.workspace.run_of("8").id();
  const std::string folder = scene.workspace.state() + "/runs/";
  fs::rename(folder + other, folder + "20200101T000000000-8-ab12");
  const Outcome looked = call(scene.workspace, {"undo", "7", "--dry-run"});
  INFO(looked.err);
  CHECK(holds(looked.err, "runs that ended later worked there, too: what 1 of them did"));
  CHECK(scene.is_destroyed());
}

TEST_CASE("a run of a later orch is undone only by --force") {
  const Destroyed scene;
  Json record = Json::parse(content_of(scene.run.path + "/run.json"));
  record["format"] = 1000;
  std::ofstream(scene.run.path + "/run.json") << record.dump();
  CHECK(call(scene.workspace, {"undo", scene.run.id(), "--dry-run"}).code == 0);
  const Outcome refused = call(scene.workspace, {"undo", scene.run.id(), "--yes"});
  CHECK(refused.code == 2);
  CHECK(holds(refused.err, "--force"));
  CHECK(scene.is_destroyed());
  CHECK(call(scene.workspace, {"undo", scene.run.id(), "--yes", "--force"}).code == 0);
  scene.check_undone();
}

TEST_CASE("a snapshot that is not possible is one line and 125") {
  const Workspace workspace;
  workspace.write("project/a", "one\n");
  for (const std::string& folder :
       {workspace.project() + "/snapshot", workspace.file("no/such/folder")}) {
    const Outcome outcome = call(workspace, {"snapshot", "--work-dir", ".", "--to", folder});
    INFO(outcome.err);
    CHECK(outcome.code == 125);
    CHECK(lines_of(outcome.err).size() == 1);
    CHECK(holds(outcome.err, "no snapshot, so no undo of this run"));
  }
  const Outcome gone = call(workspace, {"snapshot", "--work-dir", "no-such", "--to", "/tmp/x"});
  CHECK(gone.code == 125);
}

TEST_CASE("git's environment does not lead a snapshot elsewhere") {
  const Destroyed scene;
  scene.workspace.write("other/HEAD", "ref: refs/heads/main\n");
  Launch undo = scene.workspace.orch({"undo", "7", "--yes"});
  undo.env.push_back("GIT_DIR=" + scene.workspace.file("other"));
  undo.env.push_back("GIT_WORK_TREE=" + scene.workspace.file("other"));
  CHECK(Program(undo).finish().code == 0);
  scene.check_undone();
  CHECK(content_of(scene.workspace.file("other/HEAD")) == "ref: refs/heads/main\n");
}

TEST_CASE("where no file can be locked nothing is undone, and that is what is said") {
  const Destroyed scene;
  Launch launch = scene.workspace.orch({"undo", "7", "--yes"});
  launch.env.push_back("LD_PRELOAD=" ORCH_BROKEN_LOCKS);
  const Outcome undo = Program(launch).finish();
  INFO(undo.err);
  CHECK(undo.code != 0);
  CHECK(holds(undo.err, "No locks available"));
  CHECK_FALSE(holds(undo.err, "another"));
  CHECK(scene.is_destroyed());
}
