// Issues as jobs of engines, with stand-ins for their programs (tests/engine/fake_engine).
// script/slurm runs the same with a real Slurm, script/kubernetes holds the manifests against the
// published API.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

// A workspace with the engines' programs on its PATH.
class Cluster {
 public:
  Cluster() {
    fs::create_directory(workspace.file("bin"));
    fs::create_directory(workspace.file("engine"));
    for (const char* name : {"sbatch", "squeue", "scancel", "scontrol", "sacct", "kubectl"}) {
      fs::create_symlink(FAKE_ENGINE, workspace.file("bin") + "/" + name);
    }
  }
  ~Cluster() {  // what still runs ends with its array
    set("down", false);
    set("hold", false);
    (void)runs({"jobs", "last", "--cancel"});
  }

  Outcome runs(Words words, std::vector<std::string> env = {}) const {
    Launch launch = workspace.orch(std::move(words));
    std::erase_if(launch.env, [](const std::string& entry) { return entry.starts_with("PATH="); });
    launch.env.push_back("PATH=" + workspace.file("bin") + ":/usr/local/bin:/usr/bin:/bin");
    launch.env.push_back("FAKE_ENGINE=" + workspace.file("engine"));
    launch.env.emplace_back("ORCH_DEMO_SPEED=0.1");
    launch.env.insert(launch.env.end(), env.begin(), env.end());
    return Program(launch).finish();
  }
  // Submits to Slurm; returns the submission's folder.
  std::string submitted(Words words, std::vector<std::string> env = {}) const {
    words.insert(words.begin(), "submit");
    words.insert(words.begin() + 1, {"--engine", "slurm"});
    const Outcome outcome = runs(std::move(words), std::move(env));
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return workspace.state() + "/submissions/" + outcome.out.substr(0, outcome.out.find('\n'));
  }
  Json collected(int code) const {
    const Outcome outcome = runs({"collect", "last", "--wait", "--json", "--timeout", "60s"});
    INFO(outcome.err << outcome.out);
    REQUIRE(outcome.code == code);
    return Json::parse(outcome.out).at("jobs");
  }
  void set(const std::string& name, bool on) const {
    const std::string path = workspace.file("engine/" + name);
    on ? (void)workspace.write("engine/" + name, "") : (void)fs::remove(path);
  }
  std::string words() const { return content_of(workspace.file("engine/words")); }
  // An agent that is the demo agent, but for what the script says of some issues.
  std::string agent(const std::string& cases) const {
    const std::string path = workspace.write(
        "bin/agent", "#!/bin/sh\nshift\ncase $ORCH_RUN in\n" + cases + "\nesac\nexec " +
                         std::string(ORCH_PROGRAM) + " demo-agent \"$@\"\n");
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  Workspace workspace;
};

}  // namespace

TEST_CASE("submit: each issue is a job, its verdict is that of result.json, and all come home") {
  const Cluster cluster;
  const std::string folder =
      cluster.submitted({"1", "2", "3", "--jobs", "2", "--agent", "demo", "--agent-program",
                         cluster.agent("*-2-*) export ORCH_DEMO_SCENARIO=crash ;;"), "-p",
                         "Show it.", "--timeout", "5m", "--env", "ORCH_DEMO_SPEED"});
  const std::string home = cluster.workspace.file("home/results");
  const Outcome outcome = cluster.runs({"collect", "last", "--wait", "--artifacts", home});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 1);
  CHECK(outcome.out.find("agent_failed") != std::string::npos);
  for (const char* issue : {"1", "2", "3"}) {
    CHECK(Json::parse(content_of(home + "/" + issue + "/result.json")).at("issue") == issue);
    CHECK(fs::exists(home + "/" + issue + "/report.html"));
  }
  CHECK(Json::parse(content_of(home + "/summary.json")).at("code") == 1);
  CHECK(content_of(folder + "/artifacts/1/verdict") == "1\n");
  CHECK(cluster.words().find("--array=0-2%2") != std::string::npos);
  CHECK(cluster.words().find("--time=15") != std::string::npos);
  // The runs are those of this state directory, as if they had been started here.
  CHECK(cluster.workspace.run_of("3").result.at("reason") == "complete");
}

TEST_CASE("submit: prompts, options and values with quotes, $, line feeds and 200 KB arrive") {
  const Cluster cluster;
  std::string prompt;
  while (prompt.size() < 200'000)
    prompt += "It's \"$HOME\" and $(touch x), `id`, ${{ y }}, \\n é\n";
  cluster.workspace.write("project/.orch/issues/1.md", prompt);
  const std::string odd = "a 'b' \"$c\" $(touch x)\nd";
  const std::string folder =
      cluster.submitted({"1", "--folder", cluster.workspace.file("home/sub 'm' $x\n%a"), "--verify",
                         "test \"$ODD\" = \"$PLAIN\" && printf '%s' \"$ODD\" > seen", "--env",
                         "ODD=" + odd, "--env", "PLAIN", "--agent", "demo"},
                        {"PLAIN=" + odd});
  (void)folder;
  const Json jobs = cluster.collected(0);
  CHECK(jobs.at(0).at("reason") == "complete");
  const RunFolder run = cluster.workspace.run_of("1");
  CHECK(run.record.at("request").at("task") == prompt);
  CHECK(run.record.at("request").at("verify").at(0).get<std::string>().find("$(") ==
        std::string::npos);
  CHECK_FALSE(fs::exists(cluster.workspace.project() + "/x"));
  // The values are nowhere on the disk.
  for (const auto& entry : fs::recursive_directory_iterator(cluster.workspace.file("home"))) {
    if (entry.path().filename() != "0.json") continue;
    const Json request = Json::parse(content_of(entry.path().string()));
    CHECK(request.at("request").at("env") == Json({"ODD", "PLAIN"}));
    CHECK((fs::status(entry.path()).permissions() & fs::perms::others_all) == fs::perms::none);
  }
}

TEST_CASE("submit: what ends with 75 is begun again, so often as --retries says") {
  const Cluster cluster;
  const std::string once = cluster.workspace.file("engine/limited");
  const std::string folder = cluster.submitted(
      {"1", "2", "--retries", "2", "--agent", "demo", "-p", "x", "--agent-program",
       cluster.agent("*-1-*) [ -e " + once + " ] || { touch " + once +
                     "; export ORCH_DEMO_SCENARIO=rate-limit; } ;;\n"
                     "*-2-*) export ORCH_DEMO_SCENARIO=rate-limit ;;")});
  const Json jobs = cluster.collected(75);
  CHECK(jobs.at(0).at("reason") == "complete");
  CHECK(jobs.at(0).at("attempts") == 2);
  CHECK(jobs.at(1).at("reason") == "retry_later");
  CHECK(jobs.at(1).at("attempts") == 3);
  CHECK(cluster.words().find("StartTime=now+60") != std::string::npos);
  CHECK(content_of(folder + "/artifacts/0/verdict") == "2\n");
}

TEST_CASE(
    "submit: a limit's own time is what the engine is told, and the next attempt keeps to it") {
  const Cluster cluster;
  const std::string once = cluster.workspace.file("engine/limited");
  const std::string script = cluster.workspace.write(
      "agent.sh", "cat >/dev/null; if [ -e " + once +
                      R"( ]; then echo '{"type":"say","text":"LOOP_COMPLETE"}'; else touch )" +
                      once +
                      R"(; echo '{"type":"failed","text":"Try again in 3 seconds.","code":429}'; fi
echo '{"type":"end"}'
)");
  cluster.workspace.write(
      "home/.config/orch/adapters/own.json",
      R"({"manifest": 1, "name": "own", "title": "Own", "program": ["/bin/sh"], "headless":
{"arguments": [")" +
          script +
          R"("], "lines": [{"is": "words", "when": {"/type": "say"}, "text": "/text"},
{"is": "failure", "when": {"/type": "failed"}, "text": "/text", "code": "/code"},
{"is": "end", "when": {"/type": "end"}}]}})");
  // Several issues of an agent in a git repository have worktrees; the next attempt takes its own.
  Launch git = cluster.workspace.orch({});
  git.argv = {"/bin/sh", "-c",
              "git init -q -b main . && git config user.email a@b && git config user.name a && "
              "echo one > one && git add one && git commit -qm first"};
  REQUIRE(Program(git).finish().code == 0);
  cluster.submitted({"1", "2", "--jobs", "1", "--agent", "own", "--mode", "headless", "--sandbox",
                     "none", "-p", "x"});
  const Json jobs = cluster.collected(0);
  CHECK(jobs.at(0).at("attempts") == 2);
  CHECK(jobs.at(1).at("attempts") == 1);
  CHECK(cluster.words().find("StartTime=now+3") != std::string::npos);
  for (const char* issue : {"1", "2"}) {
    CHECK_FALSE(fs::exists(cluster.workspace.project() + ".orch/" + issue));
  }
}

TEST_CASE("submit: where the disk is full no verdict is told, and the job says so") {
  const Cluster cluster;
  cluster.set("hold", true);
  const std::string folder = cluster.submitted({"1", "--agent", "demo", "-p", "x"});
  const std::string artifacts = cluster.workspace.file("home/full");
  Launch launch = cluster.workspace.orch(
      {"run", "--request", folder + "/requests/0.json", "--artifacts", artifacts});
  if (!may_mount(launch)) return;
  const std::string script =
      "mkdir $0 && mount -t tmpfs -o size=16k none $0 && head -c 20000 /dev/zero > $0/fill; "
      "\"$@\"; code=$?; cp -r $0 $0-seen; umount $0; mv $0-seen/* $0; exit $code";
  const Words words{"/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, artifacts};
  launch.argv.insert(launch.argv.begin(), words.begin(), words.end());
  launch.env.emplace_back("ORCH_DEMO_SPEED=0.1");
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 125);
  CHECK(outcome.err.find("No space left on device") != std::string::npos);
  CHECK(fs::exists(artifacts));
  CHECK_FALSE(fs::exists(artifacts + "/verdict"));
}

TEST_CASE("submit: a job that was cancelled, or is gone, is told so and never as complete") {
  const Cluster cluster;
  cluster.set("hold", true);
  const std::string folder = cluster.submitted({"1", "2", "--agent", "demo", "-p", "x"});
  CHECK(cluster.runs({"jobs", "last", "1", "--cancel"}).code == 0);
  const Outcome open = cluster.runs({"collect", "last"});
  CHECK(open.code == 5);
  fs::rename(cluster.workspace.file("engine/array-100.json"),
             cluster.workspace.file("engine/gone"));  // the controller has forgotten it
  const Json jobs = cluster.collected(125);
  CHECK(jobs.at(0).at("job_state") == "cancelled");
  CHECK(jobs.at(0).at("code") == 143);
  CHECK(jobs.at(1).at("job_state") == "vanished");
  CHECK(jobs.at(1).at("code") == 125);
}

TEST_CASE("submit: a job is not called over while it may only be late, in words and in the code") {
  const Cluster cluster;
  cluster.set("hold", true);
  const std::string folder = cluster.submitted({"1", "--agent", "demo", "-p", "x"});
  fs::rename(cluster.workspace.file("engine/array-100.json"),
             cluster.workspace.file("engine/gone"));
  const Outcome outcome = cluster.runs({"collect", "last", "--wait", "--timeout", "1s", "--json"});
  CHECK(outcome.code == 124);
  CHECK(holds(outcome.err, "1 of 1 jobs are not over"));
  CHECK(Json::parse(outcome.out).at("open") == 1);
}

TEST_CASE("submit: an issue that is in no submission is an error") {
  const Cluster cluster;
  cluster.set("hold", true);
  cluster.submitted({"1", "--agent", "demo", "-p", "x"});
  for (const Words& more : {Words{}, Words{"--cancel"}}) {
    Words words{"jobs", "last", "1", "nosuchissue"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = cluster.runs(words);
    CHECK(outcome.code == 4);
    CHECK(outcome.out.empty());
    CHECK(holds(outcome.err, "issue nosuchissue is none of submission "));
  }
}

TEST_CASE("submit: an engine that gives no answer decides nothing") {
  const Cluster cluster;
  cluster.set("hold", true);
  cluster.submitted({"1", "--agent", "demo", "-p", "x"});
  cluster.set("down", true);
  const Outcome outcome = cluster.runs({"jobs", "last", "--json"});
  CHECK(Json::parse(outcome.out).at(0).at("job_state") == "unknown");
  CHECK(outcome.err.find("squeue: squeue: error: Unable to contact") != std::string::npos);
  CHECK(lines_of(outcome.err).size() == 1);
  const Outcome refused =
      cluster.runs({"submit", "2", "--engine", "slurm", "--agent", "demo", "-p", "x"});
  CHECK(refused.code == 125);
  CHECK(lines_of(refused.err).size() == 1);
  CHECK(cluster.runs({"jobs", "20991231", "--json"}).code == 4);
}

TEST_CASE("submit: run --request takes what orch submit wrote, and nothing else") {
  const Cluster cluster;
  cluster.set("hold", true);
  const std::string folder = cluster.submitted({"1", "--agent", "demo", "-p", "Show it."});
  const std::string request = folder + "/requests/0.json";
  const auto refused = [&cluster](Words words) {
    words.insert(words.begin(), "run");
    const Outcome outcome = cluster.runs(std::move(words));
    CHECK(lines_of(outcome.err).size() == 1);
    CHECK(outcome.out.empty());
    return outcome.code == 2;
  };
  CHECK(refused({"--request", request, "--timeout", "1h"}));
  CHECK(refused({"--request", request, "-p", "else"}));
  CHECK(refused({"--request", request, "-d"}));
  CHECK(refused({"--request", request, "42"}));
  CHECK(refused({"--request", request, "--", "id"}));
  CHECK(refused({"--request", folder}));
  CHECK(refused({"--request", folder + "/none"}));
  fs::create_symlink(request, cluster.workspace.file("link"));
  CHECK(refused({"--request", cluster.workspace.file("link")}));
  Json odd = Json::parse(content_of(request));
  odd["request"]["notify"] = "touch x";
  CHECK(refused({"--request", cluster.workspace.write("odd", odd.dump())}));

  const std::string artifacts = cluster.workspace.file("home/artifacts");
  const Outcome first = cluster.runs({"run", "--request", request, "--artifacts", artifacts});
  CHECK(first.code == 0);
  CHECK(cluster.workspace.run_of("1").record.at("request").at("task") == "Show it.");
  // A second job of the same issue tells no second verdict.
  const Outcome second = cluster.runs({"run", "--request", request, "--artifacts", artifacts});
  CHECK(second.code == 0);
  CHECK(second.err == "orch: issue 1: attempt 1 has reported the verdict: complete\n");
  CHECK(cluster.workspace.run_of("1").record.at("issue") == "1");
}

TEST_CASE("submit: a job that gets SIGTERM ends its agent and tells no verdict") {
  const Cluster cluster;
  const std::string folder =
      cluster.submitted({"1", "--agent", "demo", "-p", "x", "--env", "ORCH_DEMO_SCENARIO=hang"});
  REQUIRE(comes(folder + "/artifacts/0/attempt-1"));
  const Clock::time_point until = Clock::now() + kPatience;
  while (Clock::now() < until &&
         cluster.runs({"jobs", "last"}).out.find("running") == std::string::npos) {
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  CHECK(cluster.runs({"jobs", "last", "--cancel"}).code == 0);
  const Json jobs = cluster.collected(143);
  CHECK(jobs.at(0).at("job_state") == "cancelled");
  CHECK(jobs.at(0).at("reason") == "terminated");
  CHECK_FALSE(fs::exists(folder + "/artifacts/0/verdict"));
}

TEST_CASE("submit: Kubernetes gets a manifest, and tells verdicts by the pods' last words") {
  const Cluster cluster;
  const Words words{"submit",
                    "1",
                    "2",
                    "--engine",
                    "kubernetes",
                    "--image",
                    "my/orch:1",
                    "--claim",
                    "work",
                    "--agent",
                    "demo",
                    "-p",
                    "It's $(ORCH_INDEX)",
                    "--memory",
                    "4g",
                    "--engine-option=--namespace=ci"};
  Words dry = words;
  dry.emplace_back("--dry-run");
  const Outcome printed = cluster.runs(dry);
  REQUIRE(printed.code == 0);
  CHECK(Json::parse(printed.out).at("items").size() == 2);
  CHECK_FALSE(fs::exists(cluster.workspace.state() + "/submissions"));

  const Outcome outcome = cluster.runs(words);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json applied = Json::parse(content_of(cluster.workspace.file("engine/applied.json")));
  const std::string job = applied.at("items").at(1).at("metadata").at("name");
  const Json request =
      Json::parse(applied.at("items").at(0).at("stringData").at("1.json").get<std::string>());
  CHECK(request.at("issue") == "2");
  CHECK(request.at("request").at("task") == "It's $(ORCH_INDEX)");
  const auto pod = [&job](const std::string& index, int code, const std::string& reason) {
    const Json said{{"reason", reason}, {"code", code}, {"detail", ""}};
    const Json ended{{"exitCode", code}, {"message", said.dump()}};
    return Json{{"metadata",
                 {{"name", "pod-" + index},
                  {"creationTimestamp", "2026-11-27T16:30:00Z"},
                  {"labels", {{"batch.kubernetes.io/job-name", job}}},
                  {"annotations", {{"batch.kubernetes.io/job-completion-index", index}}}}},
                {"status",
                 {{"phase", code == 0 ? "Succeeded" : "Failed"},
                  {"containerStatuses", {{{"state", {{"terminated", ended}}}}}}}}};
  };
  cluster.workspace.write(
      "engine/jobs.json",
      Json{{"items",
            {{{"metadata", {{"name", job}}},
              {"status", {{"completedIndexes", "0"}, {"failedIndexes", "1"}}}}}}}
          .dump());
  cluster.workspace.write(
      "engine/pods.json",
      Json{{"items", {pod("0", 0, "complete"), pod("1", 20, "gate_failed")}}}.dump());
  const Json jobs = cluster.collected(20);
  CHECK(jobs.at(0).at("job_state") == "completed");
  CHECK(jobs.at(1).at("reason") == "gate_failed");
  // The volume is read through a pod of its own; then the files decide.
  const std::string attempt = cluster.workspace.file("engine/volume/0/0/attempt-1");
  fs::create_directories(attempt);
  const Json result{{"reason", "complete"}, {"code", 0}, {"detail", ""}, {"run", "r"}};
  cluster.workspace.write("engine/volume/0/0/attempt-1/result.json", result.dump());
  cluster.workspace.write("engine/volume/0/0/verdict", "1\n");
  const std::string home = cluster.workspace.file("home/results");
  for (int time = 0; time < 2; ++time) {
    CHECK(cluster.runs({"collect", "last", "--artifacts", home}).code == 20);
    CHECK(Json::parse(content_of(home + "/1/result.json")) == result);
    CHECK(Json::parse(content_of(home + "/summary.json")).at("issues").size() == 2);
  }
  const Json holder = Json::parse(content_of(cluster.workspace.file("engine/pod.json")));
  CHECK(holder.at("spec").at("volumes").at(0).at("persistentVolumeClaim").at("claimName") ==
        "work");
  CHECK(cluster.words().find(std::string("delete\0pod", 10)) != std::string::npos);
  CHECK(cluster.words().find(std::string("kubectl\0--namespace=ci\0apply", 29)) !=
        std::string::npos);
}

TEST_CASE("submit: GitHub gets a matrix and a workflow") {
  const Cluster cluster;
  const Outcome outcome =
      cluster.runs({"submit", "1", "2", "--engine", "github-matrix", "--image", "my/orch:1",
                    "--agent", "demo", "-p", "x", "--env", "TOKEN", "--jobs", "2"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(Json::parse(outcome.out).at("matrix").at(0).at("include").size() == 2);
  const fs::path folder =
      fs::directory_iterator(cluster.workspace.project() + "/.orch/submissions")->path();
  CHECK(content_of(folder.string() + "/workflow.yml").find("TOKEN: ${{ secrets.TOKEN }}") !=
        std::string::npos);
  const Json request = Json::parse(content_of(folder.string() + "/requests/1.json"));
  CHECK(request.at("request").value("folder", "") == "");
  CHECK(cluster.runs({"collect", "last"}).code == 2);
  CHECK(names_in(folder.string()) == std::vector<std::string>{"requests", "workflow.yml"});
  const std::string entry =
      cluster.workspace.state() + "/submissions/" + folder.filename().string();
  CHECK(content_of(entry + "/workflow.yml") == content_of(folder.string() + "/workflow.yml"));
  CHECK(holds(outcome.err, entry + "/workflow.yml"));
}

TEST_CASE("submit: what an agent writes into the repository afterwards is obeyed by nobody") {
  const Cluster cluster;
  const Outcome submitted =
      cluster.runs({"submit", "1", "2", "--engine", "github-matrix", "--image", "my/orch:1",
                    "--agent", "demo", "-p", "Show it."});
  REQUIRE(submitted.code == 0);
  const Json include = Json::parse(submitted.out).at("matrix").at(0).at("include");
  const std::string folder =
      fs::directory_iterator(cluster.workspace.project() + "/.orch/submissions")->path().string();
  const std::string id = fs::path(folder).filename();
  Json planted = Json::parse(
      content_of(cluster.workspace.state() + "/submissions/" + id + "/submission.json"));
  planted["engine"] = "kubernetes";
  planted["engine_options"] = {"--kubeconfig=/planted"};
  cluster.workspace.write("project/.orch/submissions/" + id + "/submission.json", planted.dump());
  fs::create_directories(folder + "/artifacts/0/attempt-1");
  cluster.workspace.write("project/.orch/submissions/" + id + "/artifacts/0/verdict", "1\n");
  cluster.workspace.write(
      "project/.orch/submissions/" + id + "/artifacts/0/attempt-1/result.json",
      Json{{"reason", "complete"}, {"code", 0}, {"detail", ""}, {"run", "r"}}.dump());
  for (const Words& words : std::vector<Words>{
           {"jobs"}, {"jobs", "last"}, {"jobs", "last", "--cancel"}, {"collect", "last"}}) {
    CHECK(cluster.runs(words).out.find("completed") == std::string::npos);
  }
  CHECK_FALSE(fs::exists(cluster.workspace.file("engine/words")));

  // The job there takes what its hash says, and nothing else.
  const auto runs = [&](int index, const std::string& hash) {
    return cluster.runs({"run", "--request",
                         folder + "/requests/" + std::to_string(index) + ".json",
                         "--request-sha256", hash, "--artifacts",
                         cluster.workspace.file("home/a" + std::to_string(index))});
  };
  CHECK(runs(0, include.at(0).at("sha256")).code == 0);
  CHECK(runs(1, include.at(0).at("sha256")).code == 2);
  const std::string request = "project/.orch/submissions/" + id + "/requests/1.json";
  Json odd = Json::parse(content_of(cluster.workspace.file(request)));
  odd["request"]["sandbox"] = "none";
  cluster.workspace.write(request, odd.dump());
  CHECK(runs(1, include.at(1).at("sha256")).code == 2);
  CHECK(runs(1, "").code == 2);
  CHECK_FALSE(fs::exists(cluster.workspace.file("home/a1")));
  const Outcome without = cluster.runs({"run", "--request", cluster.workspace.file(request)});
  CHECK(without.code == 2);
  CHECK(holds(without.err, "where agents may write"));
}

TEST_CASE("submit: what GitHub needs is written through no link that an agent may have made") {
  const Cluster cluster;
  const Words words{"submit", "1",  "--engine", "github-matrix", "--image", "my/orch:1", "--agent",
                    "demo",   "-p", "x"};
  for (const char* link : {"project/.orch", "project/.orch/submissions"}) {
    INFO(link);
    fs::remove_all(cluster.workspace.project() + "/.orch");
    fs::create_directories(cluster.workspace.file("home/mine"));
    fs::create_directories(fs::path(cluster.workspace.file(link)).parent_path());
    fs::create_directory_symlink(cluster.workspace.file("home/mine"), cluster.workspace.file(link));
    const Outcome outcome = cluster.runs(words);
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, "is a link in a folder where agents write"));
    CHECK(fs::is_empty(cluster.workspace.file("home/mine")));
    CHECK_FALSE(fs::exists(cluster.workspace.state() + "/submissions"));
  }
}

TEST_CASE("submit: --folder where agents write is refused, before anything is written") {
  const Cluster cluster;
  const Workspace& workspace = cluster.workspace;
  fs::create_directories(workspace.file("home/granted"));
  fs::create_directory_symlink(workspace.file("home"), workspace.project() + "/out");
  const auto refused = [&](const std::string& folder, const Words& more, std::string_view word) {
    Words words{"submit", "1",  "--engine", "slurm",    "--agent",
                "demo",   "-p", "x",        "--folder", folder};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = cluster.runs(words);
    INFO(folder << ": " << outcome.err);
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, word));
    CHECK(lines_of(outcome.err).size() == 1);
    CHECK_FALSE(fs::exists(workspace.state() + "/submissions"));
  };
  constexpr std::string_view kWhy = "where agents may write";
  refused("jobs", {}, kWhy);
  refused(workspace.project() + "/deep/er/jobs", {}, kWhy);
  refused("../project/jobs", {}, kWhy);
  refused(workspace.file("home/granted/jobs"), {"--cwd", workspace.file("home/granted")}, kWhy);
  refused(workspace.file("home/.claude/projects/jobs"), {},
          kWhy);  // claude's own, whoever runs now
  refused("out/jobs", {}, "is a link in a folder where agents write");
  if (const Outcome fence =
          cluster.runs({"run", "9", "--agent", "demo", "--until", "idle", "--sandbox", "landlock",
                        "-p", "x", "--write", workspace.file("home/granted")});
      fence.code == 0) {
    fs::remove_all(workspace.state() + "/submissions");
    refused(workspace.file("home/granted/jobs"), {}, kWhy);  // agents may write there for long
  }
}

TEST_CASE("submit: no later agent is granted the folder in which verdicts are told") {
  const Cluster cluster;
  const std::string shared = cluster.workspace.file("home/shared");
  fs::create_directories(shared);
  cluster.set("hold", true);
  cluster.submitted({"1", "--agent", "demo", "-p", "x", "--folder", shared + "/jobs"});
  for (const std::string& place : {shared, shared + "/jobs", shared + "/jobs/artifacts"}) {
    const Outcome outcome = cluster.runs({"run", "9", "--agent", "demo", "--until", "idle", "-p",
                                          "x", "--sandbox", "landlock", "--write", place});
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    const bool has_fence = !holds(outcome.err, "this machine has no fence");
    if (has_fence) CHECK(holds(outcome.err, "the verdicts of orch submit"));
  }
}

TEST_CASE("submit: a kubeconfig that an agent could have written is not obeyed") {
  const Cluster cluster;
  cluster.workspace.write("project/kubeconfig", "{}");
  const auto refused = [&cluster](const Words& more, const std::vector<std::string>& env) {
    Words words{"submit",    "1",       "--engine", "kubernetes", "--image",
                "my/orch:1", "--agent", "demo",     "-p",         "x"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = cluster.runs(words, env);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(lines_of(outcome.err).size() == 1);
    CHECK(holds(outcome.err, "where agents may write"));
    CHECK_FALSE(fs::exists(cluster.workspace.file("engine/words")));
    CHECK_FALSE(fs::exists(cluster.workspace.state() + "/submissions"));
  };
  refused({"--engine-option=--kubeconfig=kubeconfig"}, {});
  refused({"--engine-option=--kubeconfig=" + cluster.workspace.project() + "/kubeconfig"}, {});
  refused({}, {"KUBECONFIG=" + cluster.workspace.file("home/none") + ":kubeconfig"});
}

TEST_CASE("submit: a request that was changed is not carried out") {
  const Cluster cluster;
  cluster.set("hold", true);
  const std::string shared = cluster.workspace.file("home/shared/jobs");
  cluster.submitted({"1", "2", "--agent", "demo", "-p", "Show it.", "--folder", shared});
  Json odd = Json::parse(content_of(shared + "/requests/0.json"));
  odd["request"]["sandbox"] = "none";
  odd["request"]["task"] = "Something else.";
  cluster.workspace.write("home/shared/jobs/requests/0.json", odd.dump());
  cluster.set("hold", false);
  const Json jobs = cluster.collected(125);
  CHECK(jobs.at(0).at("job_state") == "vanished");
  CHECK(jobs.at(1).at("job_state") == "completed");
  CHECK(holds(content_of(shared + "/logs/0-0.log"), "it is not what orch submit wrote"));
}

TEST_CASE("submit: collect brings what can be copied, and names what cannot") {
  const Cluster cluster;
  const std::string folder = cluster.submitted({"1", "2", "--agent", "demo", "-p", "Show it."});
  cluster.collected(0);
  const std::string first = folder + "/artifacts/0/attempt-1";
  const std::string longest(250, 'n');
  cluster.workspace.write(first.substr(cluster.workspace.file("").size()) + "/" + longest, "long");
  REQUIRE(::mkfifo((first + "/pipe").c_str(), 0600) == 0);
  fs::create_symlink("/etc/hostname", first + "/link");
  cluster.workspace.write(first.substr(cluster.workspace.file("").size()) + "/secret", "x");
  REQUIRE(::chmod((first + "/secret").c_str(), 0) == 0);
  const size_t left = ::geteuid() == 0 ? 2 : 3;  // root may read everything
  cluster.workspace.write(first.substr(cluster.workspace.file("").size()) + "/holes", "begin");
  constexpr uintmax_t kSparse = uintmax_t{3} << 30;
  fs::resize_file(first + "/holes", kSparse);
  const std::string home = cluster.workspace.file("home/results");
  const Outcome outcome = cluster.runs({"collect", "last", "--artifacts", home, "--json"});
  INFO(outcome.err);
  CHECK(outcome.code == 125);
  const Json told = Json::parse(outcome.out);
  CHECK(told.at("code") == 125);
  REQUIRE(told.at("left_behind").size() == left);
  CHECK(told.at("left_behind").at(0).at("file") == first + "/link");
  CHECK(holds(outcome.err, "orch: not copied: " + first + "/pipe: "));
  CHECK(content_of(home + "/1/" + longest) == "long");
  struct stat info {};
  REQUIRE(::stat((home + "/1/holes").c_str(), &info) == 0);
  CHECK(static_cast<uintmax_t>(info.st_size) == kSparse);
  CHECK(info.st_blocks * 512 < 1 << 20);
  CHECK(fs::exists(home + "/2/result.json"));
  CHECK(Json::parse(content_of(home + "/summary.json")).at("issues").size() == 2);
  CHECK(Json::parse(content_of(home + "/summary.json")).at("code") == 0);
}

TEST_CASE("submit: a pod's folders are those of its image and volume, not of this machine") {
  const Cluster cluster;
  const auto planned = [&cluster](const Words& more) {
    Words words{"submit",  "1",    "2",       "--engine", "kubernetes", "--image", "my/orch:1",
                "--claim", "work", "--agent", "demo",     "-p",         "x",       "--dry-run"};
    words.insert(words.end(), more.begin(), more.end());
    return cluster.runs(words);
  };
  const auto request = [](const Outcome& outcome) {
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const Json secret = Json::parse(outcome.out).at("items").at(0);
    return Json::parse(secret.at("stringData").at("1.json").get<std::string>()).at("request");
  };
  const Json there =
      request(planned({"--cwd", "/orch/share/repository", "--write", "/cache/there"}));
  CHECK(there.at("cwd") == "/orch/share/repository");
  CHECK(there.value("folder", "") == "");
  CHECK(there.at("write") == Json({"/cache/there"}));
  // Without --cwd it is the image's own.
  CHECK(request(planned({})).value("cwd", ".") == ".");
  CHECK(request(planned({})).value("folder", "") == "");
  for (const char* place :
       {"/", "/orch", "/orch/share", "/orch/share/", "/orch/share/../share", "/orch/state/x"}) {
    INFO(place);
    const Outcome outcome = planned({"--cwd", place});
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, "the verdicts of all jobs lie in /orch/share"));
    CHECK(planned({"--write", place}).code == 2);
  }
}

TEST_CASE("submit: what no job could do is refused before anything is written") {
  const Cluster cluster;
  const auto refused = [&cluster](Words words) {
    words.insert(words.begin(), {"submit", "1", "--agent", "demo", "-p", "x"});
    const Outcome outcome = cluster.runs(std::move(words));
    INFO(outcome.err);
    CHECK(lines_of(outcome.err).size() == 1);
    return outcome.code == 2 && !fs::exists(cluster.workspace.state() + "/submissions");
  };
  CHECK(refused({"--engine", "pbs"}));
  CHECK(refused({"--engine", "slurm", "--artifacts", "x"}));
  CHECK(refused({"--engine", "slurm", "-d"}));
  CHECK(refused({"--engine", "slurm", "--claim", "x"}));
  CHECK(refused({"--engine", "slurm", "--timeout", "soon"}));
  CHECK(refused({"--engine", "slurm", "--engine-option", "/tmp/script"}));
  CHECK(refused({"--engine", "slurm", "--retries", "1000"}));
  CHECK(refused({"--engine", "slurm", "--approve", "-"}));
  CHECK(refused({"--engine", "kubernetes"}));
  CHECK(refused({"--engine", "kubernetes", "--image", "x", "--env", "TOKEN"}));
  CHECK(refused({"--engine", "kubernetes", "--image", "x", "--memory", "much"}));
  CHECK(refused({"--engine", "github-matrix", "--image", "x", "--env", "A=b"}));
  CHECK(refused({"--engine", "github-matrix", "--image", "x", "--folder", "/tmp/elsewhere"}));
}
