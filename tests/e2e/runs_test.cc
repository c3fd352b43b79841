// Runs as their records describe them: listed, shown, retried, continued, ended.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/fd.h"
#include "skipped.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

Outcome says(const Workspace& workspace, Words words, const Words& variables = {}) {
  Launch launch = workspace.orch(std::move(words));
  launch.env.insert(launch.env.end(), variables.begin(), variables.end());
  return Program(launch).finish();
}

Json runs(const Workspace& workspace, Words words = {}) {
  words.insert(words.begin(), {"runs", "--json"});
  const Outcome outcome = says(workspace, std::move(words));
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return Json::parse(outcome.out);
}

Json shown(const Workspace& workspace, const std::string& run) {
  const Outcome outcome = says(workspace, {"show", run, "--json"});
  REQUIRE(outcome.code == 0);
  return Json::parse(outcome.out);
}

// Makes a demo run of one turn that completes; returns its id.
std::string completed(const Workspace& workspace, const std::string& issue = "7") {
  const Outcome outcome = Program(workspace.demo("default", {"-p", "first words"}, issue)).finish();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return runs(workspace, {"--issue", issue, "-n", "1"})[0].at("run");
}

// Runs a command, which takes far less time than an agent; returns the run's id.
std::string ended(const Workspace& workspace) {
  REQUIRE(Program(workspace.shell("true")).finish().code == 0);
  return runs(workspace, {"-n", "1"})[0].at("run");
}

// Starts a demo agent in the background that works for long.
void begin_long(const Workspace& workspace, Words words = {}) {
  words.insert(words.end(), {"-d", "-p", "count on"});
  Launch launch = workspace.demo("long", std::move(words));
  launch.env.emplace_back("ORCH_DEMO_LINES=1000000");
  REQUIRE(Program(launch).finish().code == 0);
  REQUIRE(says(workspace, {"wait", "7", "--until", "working"}).code == 0);
}

// Changes run.json in a run's folder by `change`.
void change_record(const std::string& run, const std::function<void(Json&)>& change) {
  const std::string path = run + "/run.json";
  Json record = Json::parse(content_of(path));
  change(record);
  std::ofstream(path) << record.dump();
}

bool names_it(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Puts control sequences into each text of a record, except the `spared` members: one that changes
// the title, one that clears the screen, and an 8-bit CSI.
void poison(Json& json, const Words& spared) {
  if (json.is_string()) {
    json = json.get<std::string>() +
           "\x1b]0;owned\x07\x1b[2J\xC2\x9B"
           "31m\r\x7f\xE2\x80\xAE";
  }
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) {
    if (std::find(spared.begin(), spared.end(), key) == spared.end()) poison(value, spared);
  }
}

pid_t host_of_session(const Workspace& workspace) {
  const Outcome listed = says(workspace, {"sessions", "--json"});
  return static_cast<pid_t>(Json::parse(listed.out).at(0).at("pid").get<long>());
}

// The session file that a dead host leaves, if its guardian does not remove it.
Json session_of_dead_host(const Workspace& workspace, const std::string& run) {
  const std::string here = fs::canonical(workspace.project()).string();
  return {{"key", "orch-7@00000000"},
          {"name", "orch-7"},
          {"issue", "7"},
          {"manager", "native"},
          {"manager_reason", "so"},
          {"status", "running"},
          {"agent", "demo"},
          {"command", Words{"demo"}},
          {"cwd", here},
          {"repository", here},
          {"run", run},
          {"run_dir", workspace.state() + "/runs/" + run},
          {"pid", 999999},
          {"started", "2026-11-21T21:10:48.123Z"}};
}

void check_harmless(const std::string& what, const Outcome& outcome) {
  for (const std::string& text : {outcome.out, outcome.err}) {
    INFO(what << ": " << text);
    for (const char* control : {"\x1b", "\x07", "\xC2\x9B", "\r", "\x7f", "\xE2\x80\xAE"}) {
      CHECK(text.find(control) == std::string::npos);
    }
  }
}

void check_all_harmless(const Workspace& workspace, const std::string& run) {
  for (const Words& words : {Words{"runs"},
                             Words{"runs", "--all-repositories"},
                             Words{"runs", "--json"},
                             Words{"show", run},
                             Words{"show", run, "--json"},
                             Words{"show", "7"},
                             Words{"status", "7"},
                             Words{"status", "7", "--json"},
                             Words{"sessions"},
                             Words{"sessions", "--json"},
                             Words{"wait", "7"},
                             Words{"logs", "7"},
                             Words{"logs", "7", "--json"},
                             Words{"top", "--json"},
                             Words{"retry", run},
                             Words{"continue", run, "-p", "x"},
                             Words{"stop", run},
                             Words{"undo", run, "--list"},
                             Words{"undo", run, "--dry-run", "--json"},
                             Words{"report", run, "-o", "-"},
                             Words{"explain", run},
                             Words{"replay", run},
                             Words{"doctor", "--records"},
                             Words{"gc", "--dry-run", "--older-than", "0s"},
                             Words{"kill", "7"},
                             Words{"kill", "--all-repositories"},
                             Words{"crew", "status"},
                             Words{"gc", "--older-than", "0s"}}) {
    std::string what;
    for (const std::string& word : words) what += word + " ";
    Launch launch = workspace.orch(words);
    launch.env.emplace_back("ORCH_DEMO_SCENARIO=default");
    check_harmless(what, Program(launch).finish());
  }
}

}  // namespace

TEST_CASE("runs are listed, the newest first, and filtered") {
  const Workspace workspace;
  REQUIRE(Program(workspace.shell("true", {}, "1")).finish().code == 0);
  REQUIRE(Program(workspace.shell("exit 3", {}, "2")).finish().code == 1);
  const Outcome table = says(workspace, {"runs"});
  const Words lines = lines_of(table.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("RUN"));
  CHECK(lines[1].find("failed/agent_failed") != std::string::npos);
  CHECK(lines[2].find("completed/exit") != std::string::npos);
  CHECK(runs(workspace).size() == 2);
  CHECK(runs(workspace, {"-n", "1"})[0].at("issue") == "2");
  CHECK(runs(workspace, {"--issue", "orch-1"})[0].at("issue") == "1");
  CHECK(runs(workspace, {"--status", "failed"})[0].at("issue") == "2");
  CHECK(runs(workspace, {"--agent", "demo"}).empty());
  CHECK(runs(workspace, {"--since", "1h"}).size() == 2);
  CHECK(says(workspace, {"runs", "--status", "lost"}).code == 2);
  CHECK(says(workspace, {"runs", "--since", "soon"}).code == 2);
}

TEST_CASE("of many runs the newest are listed, and as many as are asked for") {
  const Workspace workspace;
  CHECK(says(workspace, {"runs", "--json"}).out == "[]\n");
  const std::string first = ended(workspace);
  const std::string folder = workspace.state() + "/runs/";
  for (int number = 0; number < 130; ++number) {
    const std::string id = "20250101T0000" + std::to_string(100 + number).substr(1) + "-7-" +
                           std::to_string(1000 + number);
    fs::copy(folder + first, folder + id, fs::copy_options::recursive);
    change_record(folder + id, [&id](Json& record) { record["id"] = id; });
  }
  const Outcome newest = says(workspace, {"runs"});
  CHECK(lines_of(newest.out).size() == 101);
  CHECK(newest.err == "orch: the newest 100; -n 0 shows all\n");
  const Outcome all = says(workspace, {"runs", "-n", "0", "--json"});
  CHECK(Json::parse(all.out).size() == 131);
  CHECK(all.out.starts_with("[\n  {\n    \""));
  CHECK(all.out.ends_with("\n  }\n]\n"));
  size_t between = 0;
  for (size_t at = 0; (at = all.out.find("\n  },\n  {\n", at)) != std::string::npos; ++at)
    ++between;
  CHECK(between == 130);
  CHECK(all.err.empty());
  CHECK(runs(workspace).size() == 100);
  CHECK(runs(workspace)[0].at("run") == first);
}

TEST_CASE("a run is not younger than nothing, though the clock was set back") {
  const Workspace workspace;
  const std::string id = ended(workspace);
  change_record(workspace.state() + "/runs/" + id,
                [](Json& record) { record["started"] = "2099-01-01T00:00:00Z"; });
  const Outcome table = says(workspace, {"runs"});
  CHECK(lines_of(table.out).at(1).ends_with("   0s        0s"));
}

TEST_CASE("runs of another repository are listed only where all are asked for") {
  const Workspace workspace;
  REQUIRE(Program(workspace.shell("true")).finish().code == 0);
  Launch elsewhere = workspace.orch({"runs", "--json"});
  elsewhere.cwd = workspace.file("home");
  CHECK(Json::parse(Program(elsewhere).finish().out).empty());
  elsewhere.argv.emplace_back("--all-repositories");
  CHECK(Json::parse(Program(elsewhere).finish().out).size() == 1);
}

TEST_CASE("a record keeps what was asked for beside what was started, and no values") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.demo("plain", {"--until", "idle", "-p", "do it", "--timeout", "1m", "--env",
                                       "TOKEN=hush-hush"}))
          .finish();
  REQUIRE(outcome.code == 0);
  const RunFolder run = workspace.run_of();
  const Json& request = run.record.at("request");
  CHECK(request.at("task") == "do it");
  CHECK(request.at("agent") == "demo");
  CHECK(request.at("until") == "idle");
  CHECK(request.at("timeout") == "1m");
  CHECK(request.at("approve") == "none");
  CHECK(request.at("env") == Json({"TOKEN"}));
  CHECK(content_of(run.path + "/run.json").find("hush-hush") == std::string::npos);
  CHECK(run.record.at("verdict").at("reason") == "idle");
  CHECK(run.record.at("verdict").at("turns") == 1);
  CHECK(run.record.at("agent_session").get<std::string>().size() == 36);
  CHECK(run.record.at("argv").back() == run.record.at("agent_session"));
  CHECK(run.record.at("git_before").is_null());

  const Outcome text = says(workspace, {"show", "7"});
  CHECK(text.out.find("do it") != std::string::npos);
  CHECK(text.out.find(run.path + "/prompt.md") != std::string::npos);
  CHECK(says(workspace, {"show", "8"}).code == 4);
}

TEST_CASE("a record has the commits before and after") {
  const Workspace workspace;
  const std::string script =
      "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && "
      "git rev-parse HEAD > head";
  const Outcome outcome = Program(workspace.shell(script)).finish();
  REQUIRE(outcome.code == 0);
  const RunFolder run = workspace.run_of();
  CHECK(run.record.at("git_before").is_null());
  CHECK(run.record.at("git_after").get<std::string>() + "\n" ==
        content_of(workspace.project() + "/head"));
}

TEST_CASE("the prompt is on the disk before the agent is started") {
  const Workspace workspace;
  const std::string manifest = workspace.file("home") + "/.config/orch/adapters";
  fs::create_directories(manifest);
  workspace.write("home/.config/orch/adapters/missing.json",
                  R"({"manifest": 1, "name": "missing", "program": ["/no/such/agent"],
                      "box": {"prompt": "^> "}})");
  const Outcome outcome = says(workspace, {"run", "7", "--agent", "missing", "-p", "do it"});
  INFO(outcome.err);
  CHECK(outcome.code == 127);
  const RunFolder run = workspace.run_of();
  CHECK(content_of(run.path + "/prompt.md").starts_with("do it\n"));
  CHECK(run.record.at("status") == "failed");
}

TEST_CASE("of a run that failed at once the last screen is kept, and shown by name") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.shell("echo no licence found; exit 7")).finish();
  CHECK(outcome.code == 1);
  const RunFolder run = workspace.run_of();
  CHECK(content_of(run.path + "/last_screen.txt").find("no licence found") != std::string::npos);
  CHECK(says(workspace, {"show", "7"}).out.find("last_screen.txt") != std::string::npos);

  fs::remove_all(run.path);
  REQUIRE(Program(workspace.shell("echo hush; exit 7", {"--no-record"})).finish().code == 1);
  CHECK_FALSE(fs::exists(runs(workspace)[0].at("run_dir").get<std::string>() + "/last_screen.txt"));
}

TEST_CASE("a run that is stopped is cancelled, and its record says since when") {
  const Workspace workspace;
  begin_long(workspace);
  const std::string id = runs(workspace)[0].at("run");
  CHECK(runs(workspace)[0].at("state") == "running");
  const Outcome stopped = says(workspace, {"stop", id});
  INFO(stopped.err);
  CHECK(stopped.code == 0);
  CHECK(stopped.out == id + "\n");
  const RunFolder run = workspace.run_of();
  CHECK(run.record.at("status") == "cancelled");
  CHECK(run.record.at("cancelled_at").get<std::string>() <=
        run.record.at("ended").get<std::string>());
  CHECK(says(workspace, {"stop", id}).code == 4);
  CHECK(says(workspace, {"stop", "8"}).code == 4);
}

TEST_CASE("a retry asks for the same again, and names its parent") {
  const Workspace workspace;
  const std::string first = completed(workspace);
  const Outcome again = says(workspace, {"retry", "7"});
  INFO(again.err);
  CHECK(again.code == 0);
  const Json all = runs(workspace);
  REQUIRE(all.size() == 2);
  CHECK(all[0].at("parent") == first);
  CHECK(all[0].at("request") == all[1].at("request"));
  CHECK(all[0].at("agent_session") != all[1].at("agent_session"));
  const std::vector<std::string> heard = workspace.messages();
  REQUIRE(heard.size() >= 2);
  CHECK(heard.front() == heard.back());
  CHECK(says(workspace, {"retry", "8"}).code == 4);
}

TEST_CASE("a retry of a run whose folder is gone is a mistake of its user") {
  const Workspace workspace;
  fs::create_directory(workspace.file("elsewhere"));
  REQUIRE(Program(workspace.shell("true")).finish().code == 0);
  fs::remove_all(workspace.project());
  Launch retry = workspace.orch({"retry", workspace.run_of().id()});
  retry.cwd = workspace.file("elsewhere");
  const Outcome outcome = Program(retry).finish();
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find("No such file or directory") != std::string::npos);
}

TEST_CASE("a run takes no agent from the configuration if a program stands in its place") {
  const Workspace workspace;
  REQUIRE(says(workspace, {"config", "set", "agent", "codex"}).code == 0);
  CHECK(Program(workspace.shell("true")).finish().code == 0);
}

TEST_CASE("a retry takes variables from the environment, and says which it does not have") {
  const Workspace workspace;
  const std::string script = "echo \"[$SECRET_A$SECRET_B]\"";
  REQUIRE(Program(workspace.shell(script, {"--env", "SECRET_A=1", "--env", "SECRET_B=2"}))
              .finish()
              .code == 0);
  const Outcome refused = says(workspace, {"retry", "7"}, {"SECRET_A=1"});
  CHECK(refused.code == 2);
  CHECK(lines_of(refused.err).size() == 1);
  CHECK(refused.err.find("SECRET_B") != std::string::npos);
  CHECK(refused.err.find("SECRET_A") == std::string::npos);
  const Outcome again = says(workspace, {"retry", "7"}, {"SECRET_A=5", "SECRET_B=6"});
  CHECK(again.code == 0);
  CHECK(again.out.find("[56]") != std::string::npos);
}

TEST_CASE("a run goes on in the agent's own session, and old words do not complete it") {
  const Workspace workspace;
  const std::string first = completed(workspace);
  const Outcome again = says(workspace, {"continue", "7", "second words"});
  INFO(again.err << again.out);
  CHECK(again.code == 0);
  const Json all = runs(workspace);
  REQUIRE(all.size() == 2);
  CHECK(all[0].at("parent") == first);
  CHECK(all[0].at("agent_session") == all[1].at("agent_session"));
  CHECK(all[0].at("request").at("task") == "second words");
  // The old message and its keyword are on the screen before the new one is typed,
  const std::string cast = content_of(all[0].at("run_dir").get<std::string>() + "/output.cast");
  CHECK(cast.find("first words") != std::string::npos);
  // but they are not told as words of this run, in any place.
  const std::string told = content_of(all[0].at("run_dir").get<std::string>() + "/events.jsonl") +
                           content_of(all[0].at("run_dir").get<std::string>() + "/transcript.txt") +
                           again.out + says(workspace, {"replay", all[0].at("run"), "--json"}).out;
  CHECK(told.find("second words") != std::string::npos);
  CHECK(told.find("first words") == std::string::npos);
  const std::vector<std::string> said = lines_of(again.out);
  CHECK(std::count(said.begin(), said.end(), "LOOP_COMPLETE") == 0);
  CHECK(workspace.messages().back().starts_with("second words"));
  CHECK(all[0].at("turns") == all[1].at("turns"));

  SECTION("a retry of that goes on likewise") {
    CHECK(says(workspace, {"retry", "7"}).code == 0);
    CHECK(runs(workspace)[0].at("agent_session") == all[0].at("agent_session"));
  }
}

TEST_CASE("a run whose orch was killed has failed, and goes on") {
  const Workspace workspace;
  begin_long(workspace);
  const Json before = runs(workspace)[0];
  const Json status = Json::parse(says(workspace, {"status", "7", "--json"}).out);
  const int host = status.at("pid");
  const pid_t guardian = guardian_of(host);
  REQUIRE(::kill(guardian, SIGKILL) == 0);  // so that nobody corrects the files
  REQUIRE(ends(guardian));
  REQUIRE(::kill(host, SIGKILL) == 0);
  REQUIRE(ends(host));
  const Json dead = runs(workspace)[0];
  CHECK(dead.at("state") == "failed");
  CHECK(dead.at("host_died") == true);
  CHECK(says(workspace, {"runs"}).out.find("failed/host died") != std::string::npos);
  CHECK(shown(workspace, "7").at("state") == "failed");
  for (const pid_t left : living_with_mark(before.at("run").get<std::string>())) {
    ::kill(left, SIGKILL);
  }
  Launch launch = workspace.orch({"continue", before.at("run"), "-"});
  launch.input = "what was it?";
  const Outcome again = Program(launch).finish();
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK(runs(workspace)[0].at("agent_session") == before.at("agent_session"));
  CHECK(workspace.messages().back().starts_with("what was it?"));
}

TEST_CASE("what cannot go on is refused in one line that says why") {
  const Workspace workspace;
  REQUIRE(Program(workspace.shell("true")).finish().code == 0);
  const Outcome command = says(workspace, {"continue", "7", "more"});
  CHECK(command.code == 2);
  CHECK(lines_of(command.err).size() == 1);
  CHECK(command.err.find("session.resume") != std::string::npos);
  CHECK(says(workspace, {"continue", "8", "more"}).code == 4);
  begin_long(workspace, {"--keep", "1h"});
  const Outcome running = says(workspace, {"continue", "7", "more"});
  CHECK(running.code == 2);
  CHECK(running.err.find("orch send") != std::string::npos);
  says(workspace, {"kill", "--all", "--now"});
}

TEST_CASE("gc takes everything that has ended, however lately, and nothing that runs") {
  const Workspace workspace;
  REQUIRE(
      says(workspace, {"run", "--agent", "demo", "1", "2", "-p", "x", "--until", "idle"}).code ==
      0);
  REQUIRE_FALSE(fs::is_empty(workspace.state() + "/summaries"));
  workspace.write("state/sessions/orch-9@00000000.lock", "");
  begin_long(workspace);
  const Outcome swept = says(workspace, {"gc", "--older-than", "0s"});
  INFO(swept.out << swept.err);
  CHECK(swept.code == 0);
  CHECK(fs::is_empty(workspace.state() + "/summaries"));
  CHECK_FALSE(fs::exists(workspace.state() + "/sessions/orch-9@00000000.lock"));
  REQUIRE(runs(workspace).size() == 1);
  CHECK(runs(workspace)[0].at("state") == "running");
  REQUIRE(says(workspace, {"stop", "7"}).code == 0);
  CHECK(says(workspace, {"gc", "--older-than", "0s"}).code == 0);
  CHECK(fs::is_empty(workspace.state() + "/runs"));
  CHECK(fs::is_empty(workspace.state() + "/sessions"));
}

TEST_CASE("gc takes no folder that only has the name of a run, or of a summary") {
  const Workspace workspace;
  const std::string kept = "20200101T000000-7-ab12", taken = "20200101T000001-7-cd34";
  for (const char* of : {"/runs/", "/summaries/"}) {
    fs::create_directories(workspace.state() + of + kept);
    fs::create_directories(workspace.state() + of + taken);
    workspace.write(std::string("state") + of + kept + "/model.bin", "mine");
    workspace.write(std::string("state") + of + taken + "/host.log", "it died");
    for (const std::string& id : {kept, taken}) {
      fs::last_write_time(workspace.state() + of + id,
                          fs::file_time_type::clock::now() - std::chrono::hours(24 * 40));
    }
  }
  const Outcome swept = says(workspace, {"gc"});
  INFO(swept.out << swept.err);
  CHECK(swept.code == 0);
  for (const char* of : {"/runs/", "/summaries/"}) {
    CHECK(fs::exists(workspace.state() + of + kept + "/model.bin"));
    CHECK_FALSE(fs::exists(workspace.state() + of + taken));
  }
}

TEST_CASE("gc takes no run of which an undo is at work") {
  const Workspace workspace;
  const std::string id = completed(workspace);
  const std::string folder = workspace.state() + "/runs/" + id;
  orch::base::Fd undo(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(::flock(undo.get(), LOCK_EX) == 0);
  const Outcome swept = says(workspace, {"gc", "--older-than", "0s"});
  CHECK(swept.code == 0);
  CHECK(swept.err.find("kept run " + id + ": another undo") != std::string::npos);
  CHECK(fs::exists(folder + "/run.json"));
  undo.reset();
  CHECK(says(workspace, {"gc", "--older-than", "0s"}).code == 0);
  CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("gc counts what it removed, and names what it could not") {
  const Workspace workspace;
  const std::string stays = ended(workspace), goes = ended(workspace);
  const std::string inside = workspace.state() + "/runs/" + stays + "/inside";
  fs::create_directories(inside);
  std::ofstream(inside + "/file") << "x";
  Launch gc = workspace.orch({"gc", "--older-than", "0s"});
  if (::geteuid() == 0) {  // only the kernel can refuse something to root
    if (!may_mount(gc)) return;
    gc.argv.insert(gc.argv.begin(), {"/usr/bin/unshare", "-m", "/bin/sh", "-c",
                                     R"(mount -t tmpfs none "$0" || exit 77; exec "$@")", inside});
  } else {
    REQUIRE(::chmod(inside.c_str(), 0500) == 0);
  }
  const Outcome swept = Program(gc).finish();
  if (swept.code == 77) {
    return orch::say_skipped("a file system cannot be mounted here");
  }
  ::chmod(inside.c_str(), 0700);
  INFO(swept.err);
  CHECK(swept.code == 125);
  CHECK(names_it(swept.err, "run " + stays + " was not removed: "));
  CHECK(names_it(swept.err, "removed 1 runs ("));
  CHECK_FALSE(fs::exists(workspace.state() + "/runs/" + goes));
}

TEST_CASE("what a gc that was killed had begun to remove is no run any more") {
  const Workspace workspace;
  const std::string older = ended(workspace);
  const std::string left = workspace.state() + "/runs/.gone-20250101T000000-7-0a1b";
  fs::create_directories(left + "/snapshot");
  std::ofstream(left + "/events.jsonl") << "{}\n";
  CHECK(runs(workspace).size() == 1);
  CHECK(Json::parse(says(workspace, {"show", "7", "--json"}).out).at("run") == older);
  CHECK(says(workspace, {"doctor", "--records"}).code == 0);
  CHECK(says(workspace, {"gc"}).code == 0);
  CHECK_FALSE(fs::exists(left));
  CHECK(runs(workspace).size() == 1);
}

TEST_CASE("where no file can be locked that is said, and nothing is done") {
  const Workspace workspace;
  ended(workspace);
  const Words preload{"LD_PRELOAD=" ORCH_BROKEN_LOCKS};
  const Outcome swept = says(workspace, {"gc", "--older-than", "0s"}, preload);
  Launch start = workspace.shell("true");
  start.env.push_back(preload[0]);
  const Outcome run = Program(start).finish();
  for (const Outcome& outcome : {swept, run}) {
    INFO(outcome.err);
    CHECK(names_it(outcome.err, "No locks available"));
    CHECK_FALSE(names_it(outcome.err, "another"));
    CHECK_FALSE(names_it(outcome.err, "already"));
  }
  CHECK(run.code != 0);
  CHECK(runs(workspace).size() == 1);
}

TEST_CASE("a run whose state directory is moved meanwhile ends in its new place") {
  const Workspace workspace;
  const std::string gate = workspace.file("gate");
  Program run(workspace.shell("while [ ! -e " + gate + " ]; do sleep 0.05; done; exit 3"));
  const auto is_running = [&workspace] {
    const Json all = runs(workspace);
    return !all.empty() && all[0].at("state") == "running";
  };
  const auto until = Clock::now() + kPatience;
  while (!is_running() && Clock::now() < until) ::usleep(20'000);
  REQUIRE(is_running());
  const std::string moved = workspace.file("moved");
  fs::rename(workspace.state(), moved);
  const auto there = [&](Words words) {
    words.insert(words.end(), {"--state-dir", moved});
    return says(workspace, std::move(words));
  };
  CHECK(Json::parse(there({"runs", "--json"}).out)[0].at("state") == "running");
  workspace.write("gate", "");
  CHECK(run.finish().code == 1);
  CHECK_FALSE(fs::exists(workspace.state()));
  const Json ended = Json::parse(there({"runs", "--json"}).out)[0];
  CHECK(ended.at("state") == "failed");
  CHECK(ended.at("code") == 1);
  CHECK(there({"wait", "7", "--until", "exited"}).code == 1);
  CHECK(Json::parse(there({"sessions", "--json"}).out).empty());
  CHECK(fs::is_empty(moved + "/sessions"));
}

TEST_CASE("what a record has no room for is refused, and leaves nothing") {
  const Workspace workspace;
  const std::string prompt = workspace.write("prompt", std::string(900'000, '\x01'));
  const Outcome refused =
      says(workspace, {"run", "7", "--agent", "demo", "--prompt-file", prompt, "--until", "idle"});
  CHECK(refused.code == 2);
  CHECK(refused.err.find("run.json, which has room for 4 MB") != std::string::npos);
  CHECK(runs(workspace).empty());
}

TEST_CASE("the newer of two runs is meant by every command, however soon it followed") {
  const Workspace workspace;
  for (int round = 0; round < 4; ++round) {
    REQUIRE(Program(workspace.shell("true")).finish().code == 0);
    REQUIRE(Program(workspace.shell("exit 3")).finish().code == 1);
    const std::string newest = runs(workspace)[0].at("run");
    CHECK(runs(workspace)[0].at("code") == 1);
    CHECK(says(workspace, {"wait", "7", "--until", "exited"}).code == 1);
    CHECK(Json::parse(says(workspace, {"status", "7", "--json"}).out).at("run") == newest);
    CHECK(Json::parse(says(workspace, {"show", "7", "--json"}).out).at("run") == newest);
    REQUIRE(says(workspace, {"retry", "7"}).code == 1);
    CHECK(runs(workspace)[0].at("parent") == newest);
  }
}

TEST_CASE("a run whose record cannot be read is never passed over for an older one") {
  const Workspace workspace;
  const std::string older = ended(workspace);
  const std::string newest = ended(workspace);
  const std::string folder = workspace.state() + "/runs/" + newest;
  SECTION("cut off") { fs::resize_file(folder + "/run.json", 100); }
  SECTION("emptied") { fs::resize_file(folder + "/run.json", 0); }
  SECTION("lost") { fs::remove(folder + "/run.json"); }
  SECTION("too big") { std::ofstream(folder + "/run.json") << std::string(5 << 20, ' '); }
  SECTION("a folder") {
    fs::remove(folder + "/run.json");
    fs::create_directory(folder + "/run.json");
  }
  SECTION("a pipe") {
    fs::remove(folder + "/run.json");
    REQUIRE(::mkfifo((folder + "/run.json").c_str(), 0600) == 0);
  }
  SECTION("a word that is not known") {
    change_record(folder, [](Json& record) { record["status"] = "paused"; });
  }
  SECTION("a later format") {
    change_record(folder, [](Json& record) { record["format"] = 1000; });
  }
  for (const Words& words :
       {Words{"show", "7"}, Words{"status", "7"}, Words{"logs", "7"}, Words{"retry", "7"},
        Words{"continue", "7", "more"}, Words{"report", "7", "-o", workspace.file("page.html")},
        Words{"undo", "7", "--yes"}, Words{"wait", "7", "--until", "exited"}}) {
    const Outcome refused = says(workspace, words);
    INFO(words[0] << ": " << refused.err);
    CHECK(refused.code == 2);
    CHECK(lines_of(refused.err).size() == 1);
    CHECK(names_it(refused.err, newest));
    CHECK(names_it(refused.err, "orch runs"));
  }
  CHECK(says(workspace, {"report", "-o", workspace.file("page.html")}).code == 2);
  CHECK(says(workspace, {"show", older}).code == 0);
  CHECK(says(workspace, {"status", older}).code == 0);
  CHECK(says(workspace, {"logs", older}).code == 0);
  const Outcome named = says(workspace, {"show", newest});
  CHECK(named.code == 2);
  CHECK(names_it(named.err, newest + ": run.json"));
  CHECK(says(workspace, {"logs", newest}).code == 0);
  CHECK(names_it(says(workspace, {"status", newest}).out, "unreadable"));

  const Json all = runs(workspace);
  REQUIRE(all.size() == 2);
  CHECK(all[0].at("run") == newest);
  CHECK(all[0].at("state").is_null());
  CHECK(all[0].at("unreadable").get<std::string>().starts_with("run.json "));
  const Words rows = lines_of(says(workspace, {"runs"}).out);
  REQUIRE(rows.size() == 4);
  CHECK(names_it(rows[1], newest));
  CHECK(names_it(rows[1], " unreadable "));
  CHECK(rows[2].starts_with("  ! run.json "));

  const Outcome swept = says(workspace, {"gc", "--older-than", "0s"});
  CHECK(swept.code == 0);
  CHECK_FALSE(fs::exists(workspace.state() + "/runs/" + older));
  CHECK(fs::exists(folder));
  CHECK(names_it(swept.err, newest));
  CHECK(says(workspace, {"show", "7"}).code == 2);

  CHECK(ended(workspace) > newest);
  CHECK(says(workspace, {"show", "7"}).code == 0);
}

TEST_CASE("a record that cannot be read but names its repository does not concern others") {
  const Workspace workspace;
  const std::string here = completed(workspace);
  Launch launch = workspace.shell("true");
  launch.cwd = workspace.file("home");
  REQUIRE(Program(launch).finish().code == 0);
  const Json all = runs(workspace, {"--all-repositories"});
  REQUIRE(all.size() == 2);
  change_record(all[0].at("run_dir"), [](Json& record) { record["status"] = "paused"; });
  CHECK(shown(workspace, "7").at("run") == here);
  CHECK(runs(workspace).size() == 1);
  CHECK(runs(workspace, {"--all-repositories"}).size() == 2);
}

TEST_CASE("a run whose record was not written at its end has ended as its result says") {
  const Workspace workspace;
  const std::string id = completed(workspace);
  change_record(workspace.state() + "/runs/" + id, [](Json& record) {
    record["status"] = "running";
    for (const char* of_end : {"ended", "verdict"}) record.erase(of_end);
  });
  CHECK(runs(workspace)[0].at("state") == "completed");
  CHECK(Json::parse(says(workspace, {"status", "7", "--json"}).out).at("code") == 0);
  CHECK(says(workspace, {"wait", "7", "--until", "exited"}).code == 0);
  CHECK(names_it(says(workspace, {"show", "7"}).out, "completed"));
}

TEST_CASE("a repository whose path is no text is known again by every command") {
  const Workspace workspace;
  const std::string project = workspace.file("caf\xe9");
  fs::create_directories(project);
  const auto here = [&](Words words) {
    Launch launch = workspace.orch(std::move(words));
    launch.cwd = project;
    return Program(launch).finish();
  };
  Launch first = workspace.shell("exit 3", {}, "8");
  first.cwd = project;
  CHECK(Program(first).finish().code == 1);
  Launch second = workspace.demo("long", {"-d", "-p", "count on"});
  second.cwd = project;
  second.env.emplace_back("ORCH_DEMO_LINES=1000000");
  REQUIRE(Program(second).finish().code == 0);
  const Json listed = Json::parse(here({"runs", "--json"}).out);
  REQUIRE(listed.size() == 2);
  // The agent may not have been seen at its prompt yet.
  CHECK((listed[0].at("state") == "running" || listed[0].at("state") == "starting"));
  CHECK(listed[1].at("state") == "failed");
  CHECK(here({"retry", "8"}).code == 1);
  CHECK(here({"kill", "7"}).code == 0);
}

TEST_CASE("of a long log the last lines are shown, with its head where records are") {
  const Workspace workspace;
  REQUIRE(Program(workspace.shell("seq 1 3000")).finish().code == 0);
  CHECK(says(workspace, {"logs", "7", "-n", "2"}).out == "2999\n3000\n");
  CHECK(says(workspace, {"logs", "7", "-n", "0"}).out.empty());
  CHECK(lines_of(says(workspace, {"logs", "7", "-n", "5000"}).out).size() == 3000);
  const Words records = lines_of(says(workspace, {"logs", "7", "--json", "-n", "1"}).out);
  REQUIRE(records.size() == 2);
  CHECK(Json::parse(records[0]).at("event") == "session");
  CHECK(Json::parse(records[1]).at("event") == "exit");
}

TEST_CASE("the doctor says what of the records is amiss, and what to do") {
  const Workspace workspace;
  const std::string good = ended(workspace), torn = ended(workspace);
  CHECK(says(workspace, {"doctor", "--records"}).code == 0);
  fs::resize_file(workspace.state() + "/runs/" + torn + "/run.json", 100);
  fs::create_directories(workspace.state() + "/runs/" + good + "/snapshot");
  fs::create_directories(workspace.state() + "/undos");
  std::ofstream(workspace.state() + "/undos/" + good) << workspace.project();
  std::ofstream(workspace.state() + "/sessions/orch-9@00000000.json") << "{";
  const Outcome told = says(workspace, {"doctor", "--records"});
  CHECK(told.code == 1);
  for (const std::string& part :
       {torn, std::string("run.json cannot be read"), std::string("its snapshot was cut off"),
        "do: orch undo " + good, std::string("do: orch gc --forget orch-9@00000000"),
        std::string("2 runs, 1 sessions")}) {
    INFO(part);
    CHECK(names_it(told.out, part));
  }
  const Json json = Json::parse(says(workspace, {"doctor", "--records", "--json"}).out);
  CHECK(json.at("good") == false);
  CHECK(json.at("findings").size() == 5);
}

TEST_CASE("no command lets the control sequences of a tampered record through") {
  const Words words_of_orch{"status", "reason", "last_status", "last_cause", "speaker", "event"};
  for (const Words& spared :
       {words_of_orch, Words{},
        Words{"id", "issue", "session", "run", "status", "reason", "last_status", "last_cause"}}) {
    const Workspace workspace;
    const std::string run = completed(workspace);
    const std::string folder = workspace.state() + "/runs/" + run;
    for (const char* name : {"run.json", "result.json"}) {
      Json json = Json::parse(content_of(folder + "/" + name));
      poison(json, spared);
      workspace.write("state/runs/" + run + "/" + name, json.dump());
    }
    std::string events;
    for (Json& event : json_lines(content_of(folder + "/events.jsonl"))) {
      poison(event, spared);
      events += event.dump() + "\n";
    }
    workspace.write("state/runs/" + run + "/events.jsonl", events);
    check_all_harmless(workspace, run);
  }
}

TEST_CASE("no command lets the control sequences of a tampered session through") {
  for (const Words& spared :
       {Words{"status"}, Words{"status", "key"}, Words{"status", "key", "run"}}) {
    const Workspace workspace;
    begin_long(workspace, {"--keep", "1h"});
    const std::string run = runs(workspace)[0].at("run");
    const pid_t host = runs(workspace).empty() ? 0 : host_of_session(workspace);
    REQUIRE(host > 0);
    const pid_t guardian = guardian_of(host);
    REQUIRE(guardian > 0);
    REQUIRE(::kill(host, SIGKILL) == 0);
    REQUIRE(ends(guardian));
    Json json = session_of_dead_host(workspace, run);
    poison(json, spared);
    workspace.write("state/sessions/orch-7@00000000.json", json.dump());
    workspace.write("state/sessions/orch-7@00000000.lock", "");
    check_all_harmless(workspace, run);
  }
}

TEST_CASE("the servers of --mcp-config, whose variables may hold keys, are gone with the agent") {
  const Workspace workspace;
  workspace.write("home/.config/orch/adapters/own.json",
                  R"({"manifest": 1, "name": "own", "title": "Own", "program": ["/bin/sh"],
                      "mcp": {"arguments": ["{name}", "{command}"]},
                      "headless": {"arguments": ["-c", "ls -d \"$ORCH_RUN\"/mcp.json; echo '{\"type\": \"end\"}'",
                                                 "sh", "{options}", "{resume}"],
                                   "lines": [{"is": "end", "when": {"/type": "end"}}]}})");
  const std::string key = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5";
  const std::string servers = workspace.write(
      "servers.json",
      R"({"mcpServers": {"one": {"command": "/x", "env": {"TOKEN": ")" + key + "\"}}}}");
  const Outcome outcome =
      run_orch(workspace, {"run", "7", "--agent", "own", "--mode", "headless", "-p", "x", "--until",
                           "idle", "--mcp-config", servers});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 0);
  const RunFolder run = workspace.run_of("7");
  CHECK(run.record.at("argv").dump().find("one") != std::string::npos);
  CHECK_FALSE(fs::exists(run.path + "/mcp.json"));
  CHECK(
      shell_output(workspace, "grep -rl " + key + " '" + workspace.state() + "' || true").empty());
}
