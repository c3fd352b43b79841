// The commands orch internal snapshot and orch undo.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>

#include "skipped.h"
#include "store/undo_claim.h"
#include "workspace.h"

using namespace orch::e2e;
namespace fs = std::filesystem;

namespace {

// Takes the snapshot of a run, as it would be taken now.
void take_snapshot(const Workspace& workspace, const std::string& run_folder) {
  fs::remove_all(run_folder + "/snapshot");
  const Outcome taken = run_orch(
      workspace, {"internal", "snapshot", "--work-dir", ".", "--to", run_folder + "/snapshot"});
  INFO(taken.err);
  REQUIRE(taken.code == 0);
}

// A project with some files, a finished run in it, and that run's snapshot.
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

// Every path in the project, with its mode, and its content or target.
std::map<std::string, std::string> picture(const Workspace& workspace) {
  std::map<std::string, std::string> seen;
  for (const auto& entry : fs::recursive_directory_iterator(workspace.project())) {
    struct stat info {};
    REQUIRE(::lstat(entry.path().c_str(), &info) == 0);
    std::string text = std::to_string(info.st_mode) + " ";
    if (entry.is_symlink()) text += fs::read_symlink(entry.path()).string();
    if (entry.is_regular_file() && !entry.is_symlink()) text += content_of(entry.path().string());
    seen[entry.path().string()] = text;
  }
  return seen;
}

// Launches the same on a disk that takes no file of more than a megabyte.
Launch on_small_disk(Launch launch) {
  Words argv{"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 2048; exec \"$@\"", "sh"};
  argv.insert(argv.end(), launch.argv.begin(), launch.argv.end());
  launch.argv = std::move(argv);
  return launch;
}

const std::string kLarge(size_t{3} << 20, 'x');

std::string set_variable(Launch& launch, const std::string& name, const std::string& value) {
  std::erase_if(launch.env,
                [&name](const std::string& entry) { return entry.starts_with(name + "="); });
  launch.env.push_back(name + "=" + value);
  return value;
}

}  // namespace

TEST_CASE("orch undo says what it would do, and does it only when told") {
  const Destroyed scene;
  const Outcome dry = run_orch(scene.workspace, {"undo", "7", "--dry-run"});
  CHECK(dry.code == 0);
  CHECK(holds(dry.out, "restore      .env\n"));
  CHECK(holds(dry.out, "restore      src (and 1 in it)\n"));
  CHECK(holds(dry.out, "change back  run.sh (mode 0600, was 0755)\n"));
  CHECK(holds(dry.out, "leave        made\n"));
  CHECK(
      holds(dry.err, "3 to restore, 1 to change back, 0 to remove; 1 made or changed since stay"));
  CHECK(scene.is_destroyed());
  const Outcome list = run_orch(scene.workspace, {"undo", "7", "--list"});
  CHECK(holds(list.out, "restore      src/a.cc\n"));
  CHECK(scene.is_destroyed());
  const Outcome unasked = run_orch(scene.workspace, {"undo", "7"});
  CHECK(unasked.code == 2);
  CHECK(holds(last_line(unasked.err), "--yes"));
  CHECK(scene.is_destroyed());
  const Outcome done = run_orch(scene.workspace, {"undo", "7", "--yes"});
  INFO(done.err);
  CHECK(done.code == 0);
  scene.check_undone();
  const Outcome again = run_orch(scene.workspace, {"undo", "7", "--yes"});
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
  // There is nothing to redo yet.
  CHECK(run_orch(scene.workspace, {"undo", "7", "--redo", "--yes"}).code == 4);
  CHECK(run_orch(scene.workspace, {"undo", "7", "--yes", "--only", ".env"}).code == 0);
  CHECK(scene.is_destroyed());
  CHECK(content_of(scene.workspace.project() + "/.env") == "SECRET=1\n");
  scene.workspace.write("project/src/a.cc", "rewritten\n");
  CHECK(run_orch(scene.workspace, {"undo", "7", "--yes"}).code == 0);
  scene.check_undone();
  CHECK(run_orch(scene.workspace, {"undo", "7", "--redo", "--yes"}).code == 0);
  CHECK(content_of(scene.workspace.project() + "/src/a.cc") == "rewritten\n");
  const Outcome outside = run_orch(scene.workspace, {"undo", "7", "--yes", "--only", "../home"});
  CHECK(outside.code == 2);
  CHECK(holds(outside.err, "is not in"));
}

TEST_CASE("what --only names must be something, in the snapshot or there") {
  const Destroyed scene;
  const std::string project = scene.workspace.project();
  for (const std::string word : {"", "srv", "src/a.cc/x", "made/x"}) {
    INFO(word);
    const Outcome refused = run_orch(scene.workspace, {"undo", "7", "--yes", "--only", word});
    CHECK(refused.code == 2);
    CHECK(
        holds(refused.err, word.empty() ? "--only needs a path" : "orch: " + project + "/" + word));
    CHECK(scene.is_destroyed());
  }
  CHECK(run_orch(scene.workspace, {"undo", "7", "--yes", "--only", "made"}).code == 0);
  CHECK(scene.is_destroyed());
  CHECK(run_orch(scene.workspace, {"undo", "7", "--yes", "--only", "."}).code == 0);
  scene.check_undone();
}

TEST_CASE("orch undo as JSON") {
  const Destroyed scene;
  const Outcome list = run_orch(scene.workspace, {"undo", "7", "--list", "--json"});
  REQUIRE(list.code == 0);
  const Json plan = Json::parse(list.out);
  CHECK(plan.at("run") == scene.run.id());
  CHECK(plan.at("to_do").size() == 5);
  CHECK(run_orch(scene.workspace, {"undo", "7", "--json"}).code == 2);
  CHECK(scene.is_destroyed());
  const Outcome done = run_orch(scene.workspace, {"undo", "7", "--json", "--yes"});
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
  const Outcome refused = run_orch(workspace, {"undo", "7", "--yes"});
  CHECK(refused.code == 2);
  CHECK(holds(refused.err, "orch-7 is at work there; end it first: orch kill 7"));
  CHECK_FALSE(fs::exists(workspace.project() + "/a"));
  CHECK(run_orch(workspace, {"undo", "7", "--dry-run"}).code == 0);
  gate.let_through();
  CHECK(run.finish().code == 0);
  CHECK(run_orch(workspace, {"undo", "7", "--yes"}).code == 0);
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
    const Outcome second = run_orch(workspace, {"undo", "7", "--yes"});
    CHECK(second.code == 2);
    CHECK(holds(second.err, "the undo of run some-run is at work there"));
    CHECK(scene.is_destroyed());
    claim->reset();
    CHECK(run_orch(workspace, {"undo", "7", "--yes"}).code == 0);
    scene.check_undone();
  }
  SECTION("a session of another version runs") {
    const Gate gate(workspace.file("gate"));
    Program run(workspace.shell("echo there; read word < " + workspace.file("gate"), {}, "8"));
    run.wait_for_output("there");
    for (const auto& entry : fs::directory_iterator(workspace.state() + "/sessions")) {
      if (entry.path().extension() == ".json") std::ofstream(entry.path()) << "{\"key\": 7}";
    }
    const Outcome refused = run_orch(workspace, {"undo", "7", "--yes"});
    CHECK(refused.code == 2);
    CHECK(holds(refused.err, "orch-8 is at work there"));
    const Outcome listed = run_orch(workspace, {"sessions"});
    CHECK(holds(listed.out, "unreadable"));
    CHECK(run_orch(workspace, {"gc", "--older-than", "0s"}).code == 0);
    size_t runs = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(workspace.state() + "/runs")) {
      ++runs;
    }
    CHECK(runs == 1);  // that of the living host
    gate.let_through();
    CHECK(run.finish().code == 0);
  }
}

TEST_CASE("what has taken the place of the folder is overwritten only by --force") {
  const Destroyed scene;
  const Workspace& workspace = scene.workspace;
  fs::rename(workspace.project(), workspace.file("moved"));
  workspace.write("project/src/a.cc", "another\n");
  const Outcome refused = run_orch(workspace, {"undo", "7", "--yes"});
  CHECK(refused.code == 2);
  CHECK(holds(refused.err, "is another folder than the one in which"));
  CHECK(content_of(workspace.project() + "/src/a.cc") == "another\n");
  const Outcome dry = run_orch(workspace, {"undo", "7", "--dry-run"});
  CHECK(dry.code == 0);
  CHECK(holds(dry.err, "is another folder than the one in which"));
  CHECK(run_orch(workspace, {"undo", "7", "--yes", "--force"}).code == 0);
  CHECK(content_of(workspace.project() + "/src/a.cc") == "one\n");
  fs::remove_all(workspace.project());
  Launch gone = workspace.orch({"undo", scene.run.id(), "--yes"});
  gone.cwd = workspace.file("home");
  CHECK(Program(gone).finish().code == 0);
  CHECK(content_of(workspace.project() + "/src/a.cc") == "one\n");
}

TEST_CASE("a folder that its user removed or moved is not made again but by --later") {
  const Workspace workspace;
  const bool is_repository = GENERATE(false, true);
  if (is_repository) make_repository(workspace);
  workspace.write("project/a", "one\n");
  workspace.write("project/b", "one\n");
  REQUIRE(Program(workspace.shell("echo two > a; rm b", {"--require-changes"})).finish().code == 0);
  Launch undo = workspace.orch({"undo", workspace.run_of().id(), "--yes"});
  undo.cwd = workspace.file("home");
  SECTION("it is removed") {
    fs::remove_all(workspace.project());
    const Outcome refused = Program(undo).finish();
    CHECK(refused.code == 2);
    CHECK(holds(refused.err, "was removed or moved after the run's end; --later makes it again"));
    CHECK_FALSE(fs::exists(workspace.project()));
    undo.argv.back() = "--dry-run";
    const Outcome dry = Program(undo).finish();
    CHECK(dry.code == 0);
    CHECK(holds(dry.out, "leave        . (removed since the run's end)\n"));
    CHECK(holds(dry.out, "leave        a (removed since the run's end)\n"));
    CHECK_FALSE(holds(dry.out, "git has moved on"));
    CHECK(holds(dry.err, ", of which --later takes back "));
    undo.argv.back() = "--yes";
    undo.argv.emplace_back("--later");
    const Outcome done = Program(undo).finish();
    INFO(done.err);
    CHECK(done.code == 0);
    CHECK(content_of(workspace.project() + "/a") == "one\n");
    CHECK(content_of(workspace.project() + "/b") == "one\n");
    if (is_repository) CHECK(shell_output(workspace, "git log --format=%s | wc -l") == "1\n");
  }
  SECTION("it is moved") {
    undo.cwd = workspace.file("moved");
    fs::rename(workspace.project(), undo.cwd);
    const bool later = GENERATE(false, true);
    if (later) undo.argv.emplace_back("--later");
    const Outcome refused = Program(undo).finish();
    CHECK(refused.code == 2);
    CHECK(holds(refused.err, " is " + undo.cwd + " now; move it back for the undo"));
    CHECK_FALSE(fs::exists(workspace.project()));
  }
}

TEST_CASE("runs that do not exist, are another repository's or have no snapshot") {
  const Destroyed scene;
  CHECK(run_orch(scene.workspace, {"undo", "no-such", "--yes"}).code == 4);
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
  CHECK(run_orch(scene.workspace, {"undo", "7", "--yes"}).code == 4);
}

TEST_CASE("an older run is not undone where the newest one cannot be read, but by its own name") {
  const Destroyed scene;
  REQUIRE(Program(scene.workspace.shell("true")).finish().code == 0);
  const std::string newest =
      Json::parse(run_orch(scene.workspace, {"runs", "--json"}).out)[0].at("run");
  const std::string folder = scene.workspace.state() + "/runs/" + newest;
  take_snapshot(scene.workspace, folder);
  fs::resize_file(folder + "/run.json", 100);
  for (const Words& words : {Words{"undo", "7", "--yes"}, Words{"undo", "--yes"}}) {
    const Outcome refused = run_orch(scene.workspace, words);
    CHECK(refused.code == 2);
    CHECK(holds(refused.err, newest));
    CHECK(scene.is_destroyed());
  }
  const Outcome done = run_orch(scene.workspace, {"undo", scene.run.id(), "--yes"});
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
  const Outcome looked = run_orch(scene.workspace, {"undo", "7", "--dry-run"});
  INFO(looked.err);
  CHECK(holds(looked.err, "runs that ended later worked there, too: what 1 of them did"));
  CHECK(scene.is_destroyed());
}

TEST_CASE("a later run is told whatever its folder, above, below or the same, was called") {
  const Destroyed scene;
  const Workspace& workspace = scene.workspace;
  const fs::path project = workspace.project();
  const auto run_in = [&](const fs::path& folder) {
    Launch launch = workspace.shell("true", {}, "8");
    launch.cwd = folder;
    REQUIRE(Program(launch).finish().code == 0);
    return workspace.run_of("8").id();
  };
  const std::string moved = workspace.file("moved");
  std::string later;
  bool is_lost = true;
  SECTION("a folder in it") {
    fs::create_directories(project / "lib/deep");
    later = run_in(project / "lib/deep");
  }
  SECTION("a folder in it that is gone by now") {
    fs::create_directories(project / "lib/deep");
    later = run_in(project / "lib/deep");
    fs::remove_all(project / "lib");
  }
  SECTION("the folder above it") { later = run_in(project.parent_path()); }
  SECTION("a link to it") {
    fs::create_directory_symlink(project, workspace.file("link"));
    later = run_in(workspace.file("link"));
  }
  SECTION("its name while it was moved") {
    fs::rename(project, moved);
    later = run_in(moved);
    fs::rename(moved, project);
  }
  SECTION("a folder in it while it was moved") {
    fs::create_directories(project / "lib");
    fs::rename(project, moved);
    later = run_in(moved + "/lib");
    fs::rename(moved, project);
  }
  SECTION("neighbours with nearly its name are not meant") {
    fs::create_directories(project.string() + "2");
    later = run_in(project.string() + "2");
    is_lost = false;
  }
  const Outcome looked = run_orch(workspace, {"undo", scene.run.id(), "--dry-run"});
  INFO(looked.err);
  CHECK(holds(looked.err, "what 1 of them did goes as well: " + later) == is_lost);
}

TEST_CASE("a later run in a bind mount of the folder is told, and a running one keeps it") {
  const Destroyed scene;
  const Workspace& workspace = scene.workspace;
  const std::string bound = workspace.file("bound");
  fs::create_directories(bound);
  Launch inside = workspace.shell("true", {}, "8");
  const Words mount{"/usr/bin/unshare",
                    "-m",
                    "sh",
                    "-c",
                    "mount --bind \"$1\" \"$2\" && cd \"$2\" && shift 2 && exec \"$@\"",
                    "sh",
                    workspace.project(),
                    bound};
  inside.argv.insert(inside.argv.begin(), mount.begin(), mount.end());
  if (Program(inside).finish().code != 0) {
    orch::say_skipped("this user may not mount");
    return;
  }
  const Outcome looked = run_orch(workspace, {"undo", scene.run.id(), "--dry-run"});
  INFO(looked.err);
  CHECK(holds(looked.err, "what 1 of them did goes as well: " + workspace.run_of("8").id()));
}

TEST_CASE("a run of a later orch is undone only by --force") {
  const Destroyed scene;
  Json record = Json::parse(content_of(scene.run.path + "/run.json"));
  record["format"] = 1000;
  std::ofstream(scene.run.path + "/run.json") << record.dump();
  CHECK(run_orch(scene.workspace, {"undo", scene.run.id(), "--dry-run"}).code == 0);
  const Outcome refused = run_orch(scene.workspace, {"undo", scene.run.id(), "--yes"});
  CHECK(refused.code == 2);
  CHECK(holds(refused.err, "--force"));
  CHECK(scene.is_destroyed());
  CHECK(run_orch(scene.workspace, {"undo", scene.run.id(), "--yes", "--force"}).code == 0);
  scene.check_undone();
}

TEST_CASE("a snapshot that is not possible is one line and 125") {
  const Workspace workspace;
  workspace.write("project/a", "one\n");
  for (const std::string& folder :
       {workspace.project() + "/snapshot", workspace.file("no/such/folder")}) {
    const Outcome outcome =
        run_orch(workspace, {"internal", "snapshot", "--work-dir", ".", "--to", folder});
    INFO(outcome.err);
    CHECK(outcome.code == 125);
    CHECK(lines_of(outcome.err).size() == 1);
    CHECK(holds(outcome.err, "no snapshot, so no undo of this run"));
  }
  const Outcome gone =
      run_orch(workspace, {"internal", "snapshot", "--work-dir", "no-such", "--to", "/tmp/x"});
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

TEST_CASE("the word of an issue undoes all its runs, and what the user did between them stays") {
  const Workspace workspace;
  workspace.write("project/a", "0\n");
  for (const std::string number : {"1", "2", "3", "4", "5", "6"}) {
    const Outcome run =
        Program(workspace.shell("echo " + number + " > a", {"--require-changes"})).finish();
    INFO(run.err);
    REQUIRE(run.code == 0);
  }
  const Outcome last = run_orch(workspace, {"runs", "--json", "-n", "1"});
  const std::string newest = Json::parse(last.out)[0].at("run");
  CHECK(run_orch(workspace, {"undo", newest, "--yes"}).code == 0);
  CHECK(content_of(workspace.project() + "/a") == "5\n");
  CHECK(run_orch(workspace, {"undo", newest, "--yes", "--redo"}).code == 0);
  workspace.write("project/mine", "mine\n");
  Program(workspace.shell("echo 7 > a; echo agent > mine", {"--require-changes"})).finish();
  const Outcome undo = run_orch(workspace, {"undo", "7", "--yes"});
  INFO(undo.err);
  REQUIRE(undo.code == 0);
  CHECK(holds(undo.err, "issue 7 has 7 runs to undo, one after the other"));
  CHECK(content_of(workspace.project() + "/a") == "0\n");
  CHECK(content_of(workspace.project() + "/mine") == "mine\n");
  CHECK(run_orch(workspace, {"undo", "7", "--yes", "--redo"}).code == 0);
  CHECK(content_of(workspace.project() + "/a") == "7\n");
  CHECK(content_of(workspace.project() + "/mine") == "agent\n");
}

TEST_CASE("a run is not started where there is no room for its snapshot, unless that is said") {
  const Workspace workspace;
  workspace.write("project/large", kLarge);
  const Words words{"--approve", "all", "--sandbox", "none"};
  const Outcome refused = Program(on_small_disk(workspace.shell("touch worked", words))).finish();
  INFO(refused.err);
  CHECK_FALSE(fs::exists(workspace.project() + "/worked"));
  const RunFolder run = check_ending(workspace, refused, "internal", 125);
  CHECK(holds(last_line(refused.err), "not started: no snapshot, so no undo of this run"));
  CHECK(holds(last_line(refused.err), "; --no-snapshot starts it without"));
  CHECK(run.result.at("snapshot").is_null());
  const Outcome without =
      Program(on_small_disk(workspace.shell(
                  "touch worked", {"--approve", "all", "--sandbox", "none", "--no-snapshot"}, "8")))
          .finish();
  INFO(without.err);
  CHECK(without.code == 0);
  CHECK(fs::exists(workspace.project() + "/worked"));
}

TEST_CASE("records in the work directory are refused before anything starts, unless without undo") {
  const Workspace workspace;
  const std::string inside = workspace.project() + "/records";
  Words words{"--approve", "all", "--sandbox", "none"};
  const auto outcome_of = [&](const std::string& variable) {
    Launch launch = workspace.shell("touch worked", words);
    set_variable(launch, "ORCH_STATE_DIR", "");
    set_variable(launch, variable, inside);
    return Program(launch).finish();
  };
  for (const std::string variable : {"ORCH_STATE_DIR", "XDG_STATE_HOME"}) {
    INFO(variable);
    const Outcome refused = outcome_of(variable);
    INFO(refused.err);
    CHECK(refused.code == 2);
    CHECK(lines_of(refused.err).size() == 1);
    CHECK(holds(refused.err, inside));
    CHECK(holds(refused.err, "--state-dir"));
    CHECK_FALSE(fs::exists(workspace.project() + "/worked"));
    CHECK_FALSE(fs::exists(inside));
  }
  words.emplace_back("--no-snapshot");
  CHECK(outcome_of("ORCH_STATE_DIR").code == 0);
  CHECK(fs::exists(workspace.project() + "/worked"));
}

TEST_CASE("what an undo brought back goes again by --redo") {
  const Destroyed scene;
  const auto destroyed = picture(scene.workspace);
  REQUIRE(run_orch(scene.workspace, {"undo", "7", "--yes"}).code == 0);
  scene.check_undone();
  const auto undone = picture(scene.workspace);
  const Outcome look = run_orch(scene.workspace, {"undo", "7", "--redo", "--dry-run"});
  CHECK(holds(look.out, "remove       src (the undo brought it back)\n"));
  for (int i = 0; i < 2; ++i) {
    INFO(i);
    REQUIRE(run_orch(scene.workspace, {"undo", "7", "--redo", "--yes"}).code == 0);
    CHECK(picture(scene.workspace) == destroyed);
    REQUIRE(run_orch(scene.workspace, {"undo", "7", "--redo", "--yes"}).code == 0);
    CHECK(picture(scene.workspace) == undone);
  }
}

TEST_CASE("a disk that fills during an undo is told, and both ways are still open") {
  const Workspace workspace;
  workspace.write("project/a", "a\n");
  workspace.write("project/large", kLarge);
  workspace.write("project/z", "z\n");
  REQUIRE(Program(workspace.shell("true")).finish().code == 0);
  take_snapshot(workspace, workspace.run_of().path);
  const auto before = picture(workspace);
  for (const char* name : {"a", "large", "z"}) {
    workspace.write(std::string("project/") + name, "other\n");
  }
  const auto destroyed = picture(workspace);
  SECTION("while it changes files") {
    const Outcome outcome = Program(on_small_disk(workspace.orch({"undo", "7", "--yes"}))).finish();
    INFO(outcome.err);
    CHECK(outcome.code == 125);
    CHECK(holds(outcome.err, "/large: "));
    CHECK(holds(last_line(outcome.err), "1 are not as they were"));
    CHECK(content_of(workspace.project() + "/large") == "other\n");
    CHECK(content_of(workspace.project() + "/z") == "z\n");
    CHECK(run_orch(workspace, {"undo", "7", "--yes"}).code == 0);
    CHECK(picture(workspace) == before);
  }
  SECTION("while it keeps what is there") {
    workspace.write("project/a", kLarge);
    const auto larger = picture(workspace);
    const Outcome outcome = Program(on_small_disk(workspace.orch({"undo", "7", "--yes"}))).finish();
    INFO(outcome.err);
    CHECK(outcome.code == 125);
    CHECK(holds(last_line(outcome.err), "nothing was changed: --no-redo does it without"));
    CHECK(picture(workspace) == larger);
    CHECK(run_orch(workspace, {"undo", "7", "--redo", "--yes"}).code == 4);
    workspace.write("project/a", "other\n");
    CHECK(run_orch(workspace, {"undo", "7", "--yes"}).code == 0);
    CHECK(picture(workspace) == before);
  }
  CHECK(run_orch(workspace, {"undo", "7", "--redo", "--yes"}).code == 0);
  CHECK(picture(workspace) == destroyed);
}

TEST_CASE("an undo that is killed is done again, and --redo goes back behind both") {
  const Workspace workspace;
  const auto name_of = [](int number) {
    return "project/" + std::to_string(number / 20) + "/" + std::to_string(number);
  };
  constexpr int kFiles = 400;
  for (int i = 0; i < kFiles; ++i) workspace.write(name_of(i), std::to_string(i));
  REQUIRE(Program(workspace.shell("true")).finish().code == 0);
  const std::string folder = workspace.run_of().path;
  take_snapshot(workspace, folder);
  const auto before = picture(workspace);
  for (int i = 0; i < kFiles; ++i) {
    const std::string path = workspace.file(name_of(i));
    if (i % 3 == 0) workspace.write(name_of(i), "other");
    if (i % 3 == 1) fs::remove(path);
    if (i % 3 == 2) REQUIRE(::chmod(path.c_str(), 0400) == 0);
    if (i % 20 == 19) REQUIRE(::chmod(fs::path(path).parent_path().c_str(), 0555) == 0);
  }
  const auto destroyed = picture(workspace);
  for (int kill = 1; kill <= 3; ++kill) {  // kills it, and starts it again
    Program undo(workspace.orch({"undo", "7", "--yes"}));
    comes(folder + "/before-undo-" + std::to_string(kill) + "/manifest");
    undo.signal(SIGKILL);
    undo.finish();
  }
  const Outcome done = run_orch(workspace, {"undo", "7", "--yes"});
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(picture(workspace) == before);
  Program redo(workspace.orch({"undo", "7", "--redo", "--yes"}));
  comes(folder + "/before-undo-5/manifest");
  redo.signal(SIGKILL);
  redo.finish();
  if (!Json::parse(content_of(folder + "/before-undo-5.json")).at("finished")) {
    CHECK(run_orch(workspace, {"undo", "7", "--redo", "--yes"}).code == 0);
  }
  CHECK(picture(workspace) == destroyed);
  CHECK(run_orch(workspace, {"undo", "7", "--redo", "--yes"}).code == 0);
  CHECK(picture(workspace) == before);
}

TEST_CASE("an undo that cannot bring back everything does not end with 0") {
  const Workspace workspace;
  workspace.write("project/small", "small\n");
  workspace.write("project/large", "");
  // Larger than a snapshot keeps.
  fs::resize_file(workspace.project() + "/large", uintmax_t{70} << 20);
  REQUIRE(Program(workspace.shell("true")).finish().code == 0);
  take_snapshot(workspace, workspace.run_of().path);
  fs::remove(workspace.project() + "/small");
  CHECK(run_orch(workspace, {"undo", "7", "--yes"}).code == 0);
  fs::remove(workspace.project() + "/small");
  fs::remove(workspace.project() + "/large");
  for (int i = 0; i < 2; ++i) {  // the second time there is nothing else to do
    const Outcome outcome = run_orch(workspace, {"undo", "7", "--yes"});
    INFO(outcome.err);
    CHECK(outcome.code == 125);
    CHECK(holds(last_line(outcome.err), "1 cannot be brought back, the first of them large"));
    CHECK(content_of(workspace.project() + "/small") == "small\n");
  }
  const Outcome json = run_orch(workspace, {"undo", "7", "--yes", "--json"});
  CHECK(json.code == 125);
  CHECK(Json::parse(json.out).at("lacking").size() == 1);
}

TEST_CASE(
    "what --only names comes back from a folder that was closed on the way, and is announced") {
  const Workspace workspace;
  workspace.write("project/d/s/f", "1\n");
  REQUIRE(Program(workspace.shell("true")).finish().code == 0);
  take_snapshot(workspace, workspace.run_of().path);
  const std::string folder = workspace.project() + "/d";
  for (const mode_t mode : {0000, 0111, 0300, 0600}) {
    INFO(mode);
    fs::remove(folder + "/s/f");
    REQUIRE(::chmod(folder.c_str(), mode) == 0);
    const Outcome looked = run_orch(workspace, {"undo", "7", "--dry-run", "--only", "d/s/f"});
    CHECK(looked.code == 0);
    CHECK(holds(looked.out, ::geteuid() == 0 ? "restore      d/s/f\n" : "unseen       d ("));
    const Outcome done = run_orch(workspace, {"undo", "7", "--yes", "--only", "d/s/f"});
    INFO(done.err);
    CHECK(done.code == 0);
    CHECK((fs::status(folder).permissions() & fs::perms::all) == fs::perms(mode));
    REQUIRE(::chmod(folder.c_str(), 0755) == 0);
    CHECK(content_of(folder + "/s/f") == "1\n");
  }
}

TEST_CASE("the user's edits and commits after a run stay, and the command for git is printed") {
  const Workspace workspace;
  make_repository(workspace);
  const std::string begun = shell_output(workspace, "git rev-parse HEAD");
  REQUIRE(
      Program(workspace.shell("echo agent > main.c; echo agent > sub/two.c; git commit -qam agent",
                              {"--require-changes"}))
          .finish()
          .code == 0);
  CHECK_FALSE(fs::exists(workspace.run_of().path + "/snapshot-end/objects"));
  shell_output(workspace, "echo mine > sub/two.c; git commit -qam mine");
  const std::string head = shell_output(workspace, "git rev-parse HEAD");
  const Json listed = Json::parse(run_orch(workspace, {"undo", "7", "--list", "--json"}).out);
  const std::string command = listed.at("git_command");
  const Outcome undo = run_orch(workspace, {"undo", "7", "--yes"});
  INFO(undo.err);
  CHECK(undo.code == 0);
  CHECK(holds(undo.err, "have moved on; to move them back: " + command + "\n"));
  CHECK(shell_output(workspace, "git rev-parse HEAD; cat main.c sub/two.c") ==
        head + "one\nmine\n");
  shell_output(workspace, command);
  CHECK(shell_output(workspace, "git rev-parse HEAD; git rev-parse HEAD@{1}") == begun + head);
  CHECK(run_orch(workspace, {"undo", "7", "--yes", "--later"}).code == 0);
  CHECK(shell_output(workspace, "git status --porcelain").empty());
}

TEST_CASE("an undo of a run whose end was not kept leaves branches that have moved") {
  const Workspace workspace;
  make_repository(workspace);
  REQUIRE(Program(workspace.shell("echo agent > main.c", {"--require-changes"})).finish().code ==
          0);
  fs::remove_all(workspace.run_of().path + "/snapshot-end");
  const std::string head =
      shell_output(workspace, "git commit -qam mine; git rev-parse HEAD; git reflog");
  const Outcome undo = run_orch(workspace, {"undo", "7", "--yes"});
  CHECK(undo.code == 0);
  CHECK(holds(undo.err, " reset "));
  CHECK(shell_output(workspace, "git rev-parse HEAD; git reflog; cat main.c") == head + "one\n");
}
