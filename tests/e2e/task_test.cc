// orch task: from a task file to a note, with the demo agent and a scripted meta-agent.
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "workspace.h"

using namespace orch::e2e;

namespace {

constexpr const char* kPlan = R"(type: plan_task
payload:
  acceptance_criteria:
    - id: ac-1
      description: It is done.
)";
constexpr const char* kWork = R"(type: next_action
payload:
  decision: {action: run_worker, reason: to be done}
  worker_call: {prompt: Do it.}
)";
constexpr const char* kPassed = R"(type: completion_assessment
payload:
  all_criteria_satisfied: true
  by_criterion: [{id: ac-1, status: passed}]
)";
constexpr const char* kDone = R"(type: next_action
payload: {decision: {action: mark_complete, reason: all is well}}
)";

std::string indented(const std::string& text, const std::string& by) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    out += by + text.substr(at, end - at);
    at = end;
  }
  return out;
}

// A task file with these answers of the meta-agent; `more` is put before its runner.
std::string task_file(const Workspace& workspace, const std::vector<std::string>& answers,
                      const std::string& more = "prd: Do it.\n",
                      const std::string& worker = "timeout: 60s", const std::string& meta = "") {
  std::string text =
      "id: t\n" + more + "runner:\n  meta:\n    kind: scripted\n" + meta + "    script:\n";
  for (const std::string& answer : answers) text += "      - |\n" + indented(answer, "        ");
  text += "  worker: {kind: demo, " + worker + "}\n  sandbox: none\n";
  return workspace.write("project/task.yaml", text);
}

Launch task(const Workspace& workspace, const std::string& file, Words words = {},
            const std::string& scenario = "plain") {
  Words all{"task"};
  if (!file.empty()) all.push_back(file);
  all.insert(all.end(), words.begin(), words.end());
  Launch launch = workspace.orch(all);
  launch.env.push_back("ORCH_DEMO_SCENARIO=" + scenario);
  launch.env.push_back("ORCH_DEMO_LOG=" + workspace.file("project/.messages"));
  launch.env.push_back("ORCH_DEMO_SPEED=0.2");
  return launch;
}

std::string note_of(const Workspace& workspace) {
  return content_of(workspace.project() + "/.agent-runner/task-t.md");
}

}  // namespace

TEST_CASE("a task says how it stands, what it has spent and may spend", "[task]") {
  const Workspace workspace;
  const auto status = [&](Words words) {
    words.insert(words.begin(), {"task", "--status"});
    return Program(workspace.orch(std::move(words))).finish();
  };
  const Outcome none = status({"t"});
  CHECK(none.code == 4);
  CHECK(holds(none.err, "no task is called t; there are none"));
  const std::string file =
      task_file(workspace, {kPlan, kWork, kPassed, kDone}, "prd: Do it.\nbudget: {time: 2h}\n");
  Program long_task(task(workspace, file, {}, "long"));
  Json at_work = Json::object();
  const auto until = Clock::now() + kPatience;
  while (at_work.value("step", Json()) != "worker 1" && Clock::now() < until) {
    ::usleep(50'000);
    const Outcome told = status({"t", "--json"});
    if (told.code == 0) at_work = Json::parse(told.out);
  }
  CHECK(at_work.at("state") == "RUNNING");
  CHECK(at_work.at("at_work") == true);
  CHECK(at_work.at("spent").at("worker_runs") == 1);
  CHECK(at_work.at("budget").at("ms") == 7'200'000);
  CHECK(at_work.at("budget").at("tokens").is_null());
  const Outcome outcome = long_task.finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  const Outcome done = status({"t"});
  CHECK(holds(done.out, "state        COMPLETE (complete)\n"));
  CHECK(holds(done.out, "criteria     1 of 1 passed\n"));
  CHECK(holds(done.out, " of 2h00m\n"));
  CHECK(holds(note_of(workspace), "most_ms: 7200000\n"));
  CHECK(holds(status({"other"}).err, "no task is called other; there are t"));
  CHECK(status({"../t"}).code == 4);
}

TEST_CASE("the demo task is complete and leaves its note", "[task]") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.orch({"task", ORCH_SOURCE_DIR "/docs/examples/task-demo.yaml", "--json"}))
          .finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  const Json end = Json::parse(outcome.out);
  CHECK(end.at("state") == "COMPLETE");
  CHECK(end.at("runs").size() == 1);
  const std::string note = content_of(workspace.project() + "/.agent-runner/task-demo.md");
  CHECK(holds(note, "status: \"COMPLETE\""));
  CHECK(holds(note, "- [x] **ac-1** (passed)"));
  CHECK(holds(note, "- after worker run 1, as the last check: passed"));
  CHECK(content_of(end.at("folder").get<std::string>() + "/note.md") == note);
  // Its runs are rows of the task, and leave the next step to it.
  const Outcome summary = run_orch(workspace, {"runs", "--summary"});
  INFO(summary.out);
  CHECK(holds(summary.out, "\ndemo       task/complete "));
  CHECK(holds(summary.out, "\n  demo-t2  completed/exit "));
  CHECK(holds(summary.out, "\n  demo-w1  completed/idle "));
  CHECK_FALSE(holds(summary.out, "orch continue"));
  CHECK(holds(summary.out, "\n3 runs: "));
  for (const Json& run : Json::parse(run_orch(workspace, {"runs", "--summary", "--json"}).out)) {
    CHECK(run.at("summary").at("task") == "demo");
  }
  const Outcome diff = run_orch(workspace, {"diff", "demo"});
  CHECK(diff.code == 4);
  CHECK(holds(diff.err, "demo is a task: orch task --status demo"));
}

TEST_CASE("a wrong task file is one line with the place, and nothing is kept", "[task]") {
  const Workspace workspace;
  const std::string file =
      workspace.write("project/bad.yaml", "id: t\nprd: x\nrunner:\n  metta: {}\n");
  const Outcome outcome = Program(task(workspace, file)).finish();
  CHECK(outcome.code == 2);
  CHECK(outcome.err ==
        "orch: " + file +
            ":4:3: runner.meta is missing; expected who plans, decides and assesses\n");
  CHECK_FALSE(std::filesystem::exists(workspace.state() + "/tasks"));
  for (const char* option : {"--resume", "--status"}) {
    const Outcome none = Program(task(workspace, "", {option, "none"})).finish();
    CHECK(none.code == 4);
    CHECK(holds(none.err, "no task is called none; there are none"));
  }
  CHECK(Program(task(workspace, "")).finish().code == 2);
}

TEST_CASE("a task whose tests fail is not marked complete", "[task]") {
  const Workspace workspace;
  const std::string file = task_file(workspace, {kPlan, kWork, kPassed, kDone, kDone, kDone},
                                     "prd: Do it.\ntest: echo broken; exit 3\n");
  const Outcome outcome = Program(task(workspace, file)).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 1);
  CHECK(holds(outcome.err, "refused mark_complete: the tests fail"));
  CHECK(holds(outcome.out, "FAILED (refused): the tests fail"));
  CHECK(holds(note_of(workspace), "failed with exit code 3"));
  CHECK(holds(note_of(workspace), "broken"));
}

TEST_CASE("a PRD reaches the worker as it was, and nothing of it is executed", "[task]") {
  const Workspace workspace;
  std::string prd = "$(touch x) `touch x` \"; touch x; ' \\ %s\n\x1b]0;title\x1b\\ and\n";
  while (prd.size() < 200'000)
    prd += "Line " + std::to_string(prd.size()) + ": $(touch x) 'quotes'\n";
  workspace.write("project/prd.md", prd);
  const std::string file = task_file(workspace, {kPlan, kWork, kPassed, kDone},
                                     "prd: {file: prd.md}\ntest: test ! -e x\n");
  const Outcome outcome = Program(task(workspace, file)).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_FALSE(std::filesystem::exists(workspace.project() + "/x"));
  const std::string folder = workspace.state() + "/tasks/t/";
  CHECK(content_of(folder + "prd.md") == prd);
  CHECK(content_of(folder + "prompts/1.md").ends_with("as its author wrote it:\n\n" + prd));
  const std::vector<std::string> messages = workspace.messages();
  REQUIRE(messages.size() == 1);
  // The escape character cannot be typed as text.
  std::string typed = prd;
  std::erase(typed, '\x1b');
  while (typed.ends_with('\n')) typed.pop_back();
  CHECK(holds(messages[0], typed));
}

TEST_CASE("a task that is interrupted is cancelled, and can be gone on with", "[task]") {
  const Workspace workspace;
  const std::string file = task_file(workspace, {kPlan, kWork, kPassed, kDone});
  Program program(task(workspace, file, {}, "hang"));
  program.wait_for_error("worker run 1: orch attach");
  program.signal(SIGINT);
  const Outcome outcome = program.finish();
  INFO(outcome.err);
  CHECK(outcome.code == 130);
  CHECK(holds(outcome.out, "CANCELLED (interrupted)"));
  CHECK(holds(note_of(workspace), "status: \"CANCELLED\""));
  const Outcome again = Program(task(workspace, "", {"--resume", "t"})).finish();
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK(holds(note_of(workspace), "status: \"COMPLETE\""));
}

TEST_CASE("a task goes on where orch was killed", "[task]") {
  const Workspace workspace;
  const std::string file =
      task_file(workspace, {kPlan, kWork, kPassed, kDone}, "prd: Do it.\ntest: 'true'\n");
  Program program(task(workspace, file, {}, "hang"));
  program.wait_for_error("worker run 1: orch attach");
  const Outcome second = Program(task(workspace, file)).finish();
  CHECK(second.code == 2);
  CHECK(holds(second.err, "task t runs already"));
  std::string summary;  // the run's record is there a moment later
  for (int i = 0; i < 600 && !holds(summary, "t-w1"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    summary = run_orch(workspace, {"runs", "--summary"}).out;
  }
  INFO(summary);
  CHECK(holds(summary, "t       task/at work "));
  program.signal(SIGKILL);
  program.finish();
  CHECK(holds(run_orch(workspace, {"runs", "--summary"}).out, "> orch task --resume t "));
  const Outcome again = Program(task(workspace, "", {"--resume", "t", "--json"})).finish();
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK(holds(note_of(workspace), "with interrupted (exit 143)"));
  const Outcome over = Program(task(workspace, "", {"--resume", "t"})).finish();
  CHECK(over.code == 2);
  CHECK(holds(over.err, "task t has ended: COMPLETE"));
}

TEST_CASE("a note is not written through a link that leads out of the repository", "[task]") {
  const Workspace workspace;
  std::filesystem::create_directory(workspace.file("elsewhere"));
  std::filesystem::create_symlink(workspace.file("elsewhere"),
                                  workspace.project() + "/.agent-runner");
  const Outcome outcome =
      Program(task(workspace, task_file(workspace, {kPlan, kWork, kPassed, kDone}))).finish();
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.err, "note.md alone"));
  CHECK(std::filesystem::is_empty(workspace.file("elsewhere")));
}

TEST_CASE("a task that goes wrong ends as its fault says, with a note", "[task]") {
  const std::string plan = kPlan, work = kWork;
  const std::string unmet =
      "type: completion_assessment\npayload: {all_criteria_satisfied: false, by_criterion: [{id: "
      "ac-1, status: failed}]}\n";
  struct Row {
    const char* fault;
    std::vector<std::string> answers;
    const char* scenario;
    std::string worker, meta, more;
    const char* reason;
    int code;
  };
  const std::string once = "timeout: 60s, max_loops: 1";
  const std::vector<Row> rows{
      {"a meta-agent that talks nonsense",
       {"Sorry.\n", "Sorry.\n"},
       "plain",
       once,
       "",
       "",
       "meta_failed",
       1},
      {"a meta-agent that answers half a document",
       {"type: plan_task\npayload: {acceptance_criteria: [\n", plan, work, kPassed, kDone},
       "plain",
       once,
       "",
       "",
       "complete",
       0},
      {"a meta-agent that hangs",
       {"# delay: 60000\n" + plan},
       "plain",
       once,
       "    timeout: 1s\n",
       "",
       "meta_failed",
       1},
      {"a meta-agent that fails",
       {"# fail: no connection\n"},
       "plain",
       once,
       "",
       "",
       "meta_failed",
       1},
      {"a worker that crashes", {plan, work, unmet, work}, "crash", once, "", "", "loops", 124},
      {"a worker that hangs",
       {plan, work, unmet, work},
       "hang",
       "timeout: 2s, max_loops: 1",
       "",
       "",
       "loops",
       124},
      // To the task, which may have stood still meanwhile, some time may be left after the worker.
      {"no time left",
       {plan, work, "# delay: 60000\n" + unmet},
       "hang",
       once,
       "",
       "budget: {time: 3s}\n",
       "timeout",
       124},
  };
  for (const Row& row : rows) {
    const Workspace workspace;
    const std::string file =
        task_file(workspace, row.answers, "prd: Do it.\n" + row.more, row.worker, row.meta);
    const Outcome outcome = Program(task(workspace, file, {"--json"}, row.scenario)).finish();
    INFO(row.fault << "\n" << outcome.err);
    CHECK(outcome.code == row.code);
    CHECK(Json::parse(outcome.out).at("reason") == row.reason);
    CHECK(holds(note_of(workspace), "reason: \"" + std::string(row.reason) + "\""));
  }
}

TEST_CASE("a limit of the meta-agent is waited for, within the budget of time", "[task]") {
  const Workspace workspace;
  const std::string limit = "# limit: 1500\n";
  SECTION("there is time") {
    const std::string file = task_file(workspace, {kPlan, limit, kWork, kPassed, kDone});
    const Outcome outcome = Program(task(workspace, file)).finish();
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(holds(outcome.err, "the meta-agent is at its limit"));
  }
  SECTION("there is none: the task can be gone on with") {
    const std::string file =
        task_file(workspace, {kPlan, "# limit: 3600000\n", kWork, kPassed, kDone},
                  "prd: Do it.\nbudget: {time: 60s}\n");
    const Outcome outcome = Program(task(workspace, file)).finish();
    CHECK(outcome.code == 75);
    CHECK(holds(outcome.out, "FAILED (limit)"));
    const Outcome again = Program(task(workspace, "", {"--resume", "t"})).finish();
    INFO(again.err);
    CHECK(again.code == 0);
  }
}

TEST_CASE("a task whose meta-agent failed goes on with its next answer", "[task]") {
  const Workspace workspace;
  const std::string file =
      task_file(workspace, {kPlan, "# fail: out of order\n", kWork, kPassed, kDone});
  const Outcome failed = Program(task(workspace, file)).finish();
  CHECK(failed.code == 1);
  CHECK(holds(failed.out, "FAILED (meta_failed)"));
  const Outcome again = Program(task(workspace, "", {"--resume", "t"})).finish();
  INFO(again.err);
  CHECK(again.code == 0);
}

TEST_CASE("a task that was killed before it began, twice, begins", "[task]") {
  const Workspace workspace;
  const std::string file = task_file(workspace, {kPlan, kWork, kPassed, kDone});
  REQUIRE(Program(task(workspace, file)).finish().code == 0);
  const std::string journal = workspace.state() + "/tasks/t/journal.jsonl";
  const std::string first = lines_of(content_of(journal))[0] + "\n";
  std::ofstream(journal) << first;
  Program program(task(workspace, "", {"--resume", "t"}, "hang"));
  program.wait_for_error("worker run 1: orch attach");
  program.signal(SIGKILL);
  program.finish();
  CHECK(content_of(journal).find("\"event\":\"task\"") ==
        content_of(journal).rfind("\"event\":\"task\""));
  const Outcome again = Program(task(workspace, "", {"--resume", "t"})).finish();
  INFO(again.err);
  CHECK(again.code == 0);
}

TEST_CASE("the time of a step that was cut off is used", "[task]") {
  const Workspace workspace;
  const std::string file =
      task_file(workspace, {kPlan, kWork, kPassed, kDone}, "prd: Do it.\nbudget: {time: 100s}\n");
  Program program(task(workspace, file, {}, "hang"));
  program.wait_for_error("worker run 1: orch attach");
  const std::string clock = workspace.state() + "/tasks/t/clock";
  const auto is_later = [&] { return std::atol(content_of(clock).c_str()) > 2'500; };
  for (int look = 0; look < 900 && !is_later(); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  REQUIRE(is_later());
  program.signal(SIGKILL);
  program.finish();
  const Outcome again = Program(task(workspace, "", {"--resume", "t", "--json"})).finish();
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK(Json::parse(again.out).at("ms").get<int>() > 2'500);
}

TEST_CASE("of a test that writes one long line the meta-agent is told the end", "[task]") {
  const Workspace workspace;
  const std::string file = task_file(
      workspace, {kPlan, kWork, kPassed, kDone},
      "prd: Do it.\ntest: \"head -c 300000 /dev/zero | tr '\\\\0' x; echo END; exit 0\"\n");
  const Outcome outcome = Program(task(workspace, file)).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  const std::string asked = content_of(workspace.state() + "/tasks/t/questions/3.yaml");
  CHECK(holds(asked, "xxxEND"));
}

TEST_CASE("a budget that nobody would count is refused before anything starts", "[task]") {
  const Workspace workspace;
  const std::string file =
      task_file(workspace, {kPlan, kWork, kPassed, kDone}, "prd: Do it.\nbudget: {cost: 1}\n");
  const Outcome outcome = Program(task(workspace, file)).finish();
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "budget.cost: the worker, demo, does not report what its turns cost"));
  CHECK_FALSE(std::filesystem::exists(workspace.state() + "/tasks"));
}

TEST_CASE("a link does not lead a meta-agent's worker out of the repository", "[task]") {
  const Workspace workspace;
  std::filesystem::create_directory(workspace.file("outside"));
  std::filesystem::create_symlink(workspace.file("outside"), workspace.project() + "/link");
  const std::string file =
      task_file(workspace,
                {kPlan,
                 "type: next_action\npayload:\n  decision: {action: run_worker, reason: x}\n"
                 "  worker_call: {prompt: Do it., workdir: link}\n"},
                "prd: Do it.\n", "timeout: 60s, allow: [workdir]");
  const Outcome outcome = Program(task(workspace, file)).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 125);
  CHECK(holds(outcome.out, "worker_call.workdir: link is not a folder of the repository"));
  CHECK(workspace.messages().empty());
}

TEST_CASE("gc removes tasks that were begun again or are complete, and none that may go on",
          "[task]") {
  const Workspace workspace;
  const std::string file = task_file(workspace, {kPlan, kWork, kPassed, kDone});
  REQUIRE(Program(task(workspace, file)).finish().code == 0);
  REQUIRE(Program(task(workspace, file)).finish().code == 0);
  const std::string fails = task_file(workspace, {kPlan});
  REQUIRE(Program(task(workspace, fails)).finish().code == 1);  // its script has no further answer
  const auto folders = [&] {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(workspace.state() + "/tasks")) {
      count += entry.is_directory() ? 1 : 0;
    }
    return count;
  };
  CHECK(folders() == 3);
  const auto gc = [&](Words words) {
    words.insert(words.begin(), "gc");
    return Program(workspace.orch(std::move(words))).finish();
  };
  CHECK(gc({}).code == 0);
  CHECK(folders() == 3);
  CHECK(holds(gc({"--dry-run", "--older-than", "0s"}).err, ", 2 tasks"));
  CHECK(folders() == 3);
  const Outcome swept = gc({"--older-than", "0s"});
  INFO(swept.err);
  CHECK(swept.code == 0);
  CHECK(holds(swept.err, ", 2 tasks"));
  CHECK(folders() == 1);  // the failed one can still be resumed
  CHECK(holds(Program(workspace.orch({"task", "--status", "t"})).finish().out, "FAILED"));
}

TEST_CASE("a task whose records would lie where its workers work is refused at once", "[task]") {
  const Workspace workspace;
  const std::string file = task_file(workspace, {kPlan, kWork, kPassed, kDone});
  const std::string inside = workspace.project() + "/records";
  const auto outcome = [&](const std::string& approve) {
    return Program(task(workspace, file, {"--approve", approve, "--state-dir", inside})).finish();
  };
  const Outcome refused = outcome("all");
  INFO(refused.err);
  CHECK(refused.code == 2);
  CHECK(holds(refused.err, inside));
  CHECK(holds(refused.err, "keep orch's records elsewhere, by --state-dir"));
  CHECK_FALSE(std::filesystem::exists(inside));
}

namespace {

std::string sha256_of(const Workspace& workspace, const std::string& file) {
  return shell_output(workspace, "sha256sum < '" + file + "' | cut -c1-64 | tr -d '\\n'");
}

// A task file with these further lines: at its beginning, in runner.meta, in runner.worker and in
// runner.
struct Lines {
  std::string top = {}, meta = {}, worker = {}, runner = {};
};
std::string text_with(const Lines& lines) {
  return "id: t\nprd: Do it.\n" + lines.top +
         "runner:\n  meta:\n    kind: scripted\n    script: ['type: nothing']\n" + lines.meta +
         "  worker:\n    kind: " + (lines.worker.empty() ? "demo\n" : lines.worker) + lines.runner;
}

}  // namespace

TEST_CASE("what only the user may set is refused in a task file that others may have written",
          "[task][layer]") {
  struct Row {
    Lines lines;
    const char* field;
  };
  const std::vector<Row> rows{
      {{.meta = "    env: {PATH: '/tmp/evil:/usr/bin'}\n"}, "runner.meta.env.PATH"},
      {{.meta = "    env: {NODE_OPTIONS: '--require=./x.js'}\n"}, "runner.meta.env.NODE_OPTIONS"},
      {{.meta = "    flags: [--mcp-config, ./mcp.json]\n"}, "runner.meta.flags"},
      {{.meta = "    cli_path: ./evil\n"}, "runner.meta.cli_path"},
      {{.meta = "    base_url: http://127.0.0.1:1/v1\n"}, "runner.meta.base_url"},
      {{.meta = "    tool_specific: {api_key_env: AWS_SECRET}\n"},
       "runner.meta.tool_specific.api_key_env"},
      {{.worker = "demo\n    cli_path: ./evil\n"}, "runner.worker.cli_path"},
      {{.worker = "demo\n    flags: [--yolo]\n"}, "runner.worker.flags"},
      {{.worker = "demo\n    env: {A: 'env:HOME'}\n"}, "runner.worker.env.A"},
      {{.worker = "demo\n    allow: [prompt, cli_path]\n"}, "runner.worker.allow: cli_path"},
      {{.worker = "claude\n", .runner = "  sandbox: none\n"}, "runner.sandbox: none"},
      {{.runner = "  sandbox: {kind: docker, image: evil}\n"}, "runner.sandbox.image"},
      {{.runner = "  sandbox: {kind: docker, mounts: ['/:/all']}\n"}, "runner.sandbox.mounts"},
      {{.runner = "  sandbox: {kind: docker, network: host}\n"}, "runner.sandbox.network"},
      {{.top = "repo: ../elsewhere\n"}, "repo"},
  };
  for (const Row& row : rows) {
    const Workspace workspace;
    std::filesystem::create_directory(workspace.file("elsewhere"));
    const std::string file = workspace.write("project/task.yaml", text_with(row.lines));
    const std::string hash = sha256_of(workspace, file);
    INFO(content_of(file));
    const Outcome refused = Program(task(workspace, file)).finish();
    INFO(refused.err);
    CHECK(refused.code == 2);
    CHECK(lines_of(refused.err).size() == 1);
    CHECK(holds(refused.err, std::string("is not trusted, so it may not set ") + row.field + ": "));
    CHECK(holds(refused.err, "orch trust " + file));
    CHECK(holds(refused.err, "--trust-file " + hash));
    CHECK_FALSE(std::filesystem::exists(workspace.state() + "/tasks"));
    const Json told = Json::parse(Program(task(workspace, file, {"--json"})).finish().out);
    CHECK(told.at("untrusted") == Json::array({row.field}));
    CHECK(told.at("sha256") == hash);

    Launch piped = task(workspace, "-");
    piped.input = content_of(file);
    CHECK(holds(Program(piped).finish().err, "standard input is not trusted"));
    // It may be refused for other reasons, but not for this one.
    piped.argv.insert(piped.argv.end(), {"--trust-file", hash});
    CHECK_FALSE(holds(Program(piped).finish().err, "is not trusted"));
    const std::string own = workspace.write("tasks/task.yaml", content_of(file));
    CHECK_FALSE(holds(Program(task(workspace, own)).finish().err, "is not trusted"));
    workspace.write("home/.config/orch/unused", "");
    REQUIRE(Program(workspace.orch({"trust", file, "--yes"})).finish().code == 0);
    CHECK_FALSE(holds(Program(task(workspace, file)).finish().err, "is not trusted"));
    workspace.write("project/task.yaml", content_of(file) + "# changed\n");
    CHECK(holds(Program(task(workspace, file)).finish().err, "is not trusted"));
  }
}

TEST_CASE("a task file is not the user's own wherever others could have put it", "[task][layer]") {
  const Workspace workspace;
  const std::string text = text_with({.meta = "    flags: [--x]\n", .runner = "  sandbox: none\n"});
  const auto is_refused = [&](const std::string& file) {
    return holds(Program(task(workspace, file)).finish().err, "is not trusted");
  };
  const std::string own = workspace.write("tasks/task.yaml", text);
  CHECK_FALSE(is_refused(own));
  SECTION("a link in the project to a file of the user's, and one of the user's into the project") {
    std::filesystem::create_symlink(own, workspace.project() + "/link.yaml");
    CHECK(Program(task(workspace, workspace.project() + "/link.yaml")).finish().code == 2);
    const std::string theirs = workspace.write("project/theirs.yaml", text);
    std::filesystem::create_symlink(theirs, workspace.file("tasks/link.yaml"));
    CHECK(is_refused(workspace.file("tasks/link.yaml")));
  }
  SECTION("a hard link in the project") {
    std::filesystem::create_hard_link(own, workspace.project() + "/task.yaml");
    CHECK(is_refused(own));
  }
  SECTION("another repository") {
    std::filesystem::create_directories(workspace.file("clone/.git"));
    CHECK(is_refused(workspace.write("clone/sub/task.yaml", text)));
  }
  SECTION("a folder in which an agent has worked") {
    std::filesystem::create_directory(workspace.file("before"));
    Launch run = workspace.orch({"run", "9", "--approve", "all", "--", "true"});
    run.cwd = workspace.file("before");
    REQUIRE(Program(run).finish().code == 0);
    CHECK(is_refused(workspace.write("before/task.yaml", text)));
  }
  SECTION("a folder in which it is going to work") {
    Launch there = task(workspace, "shop/task.yaml");
    there.cwd = workspace.file("tasks");
    workspace.write("tasks/shop/task.yaml", "repo: shop\n" + text);
    CHECK(holds(Program(there).finish().err, "is not trusted"));
  }
  SECTION("a file or a folder that others can write") {
    std::filesystem::permissions(own, std::filesystem::perms::others_write,
                                 std::filesystem::perm_options::add);
    CHECK(is_refused(own));
    std::filesystem::permissions(own, std::filesystem::perms::others_write,
                                 std::filesystem::perm_options::remove);
    std::filesystem::permissions(workspace.file("tasks"), std::filesystem::perms::others_write,
                                 std::filesystem::perm_options::add);
    CHECK(is_refused(own));
  }
}

TEST_CASE("the tests of an untrusted task run in the fence, and so after a resume", "[task]") {
  const Workspace workspace;
  const std::string file =
      task_file(workspace, {kPlan, kWork, kPassed, kDone},
                "prd: Do it.\ntest: \"touch inside; touch ../outside; true\"\n");
  Program program(task(workspace, file, {}, "hang"));
  program.wait_for_error("worker run 1: orch attach");
  program.signal(SIGINT);
  program.finish();
  const Outcome outcome = Program(task(workspace, "", {"--resume", "t"})).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(std::filesystem::exists(workspace.project() + "/inside"));
  CHECK_FALSE(std::filesystem::exists(workspace.file("outside")));
  const std::string hash = sha256_of(workspace, file);
  CHECK(Program(task(workspace, file, {"--trust-file", hash})).finish().code == 0);
  CHECK(std::filesystem::exists(workspace.file("outside")));
  const Outcome other =
      Program(task(workspace, file, {"--trust-file", std::string(64, 'a')})).finish();
  CHECK(other.code == 2);
  CHECK(holds(other.err, "is another one, " + hash));
  CHECK(holds(Program(task(workspace, file, {"--trust-file", "x"})).finish().err, "sha256sum"));
}

TEST_CASE("a meta-agent that is a program works in the fence, with no keys of others", "[task]") {
  const Workspace workspace;
  const std::string program = workspace.write("bin/claude", R"(#!/bin/sh
cat > /dev/null
say() { if eval "$2" > /dev/null 2>&1; then printf '%s yes. ' "$1"; else printf '%s no. ' "$1"; fi; }
printf 'type: plan_task\npayload:\n  acceptance_criteria:\n    - {id: ac-1, description: "'
say reads-keys 'cat "$HOME/.ssh/id_ed25519"'
say writes-project 'touch "$PROJECT/written"'
say writes-home 'touch "$HOME/.bashrc"'
say writes-own 'touch ./scratch'
say has-own-key 'test "$ANTHROPIC_API_KEY"'
say has-other-keys 'test "$OPENAI_API_KEY$GEMINI_API_KEY$GITHUB_TOKEN"'
say in-project 'test "$PWD" = "$PROJECT"'
printf '"}\n'
)");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  workspace.write("home/.ssh/id_ed25519", "-----BEGIN OPENSSH PRIVATE KEY-----\nx\n");
  workspace.write("project/task.yaml",
                  "id: t\nprd: Do it.\nrunner:\n  meta: {kind: claude-cli}\n"
                  "  worker: {kind: demo}\n  sandbox: landlock\n");
  Launch launch = task(workspace, "task.yaml");
  for (std::string& entry : launch.env) {
    if (entry.starts_with("PATH=")) entry.insert(5, workspace.file("bin") + ":");
  }
  for (const char* name :
       {"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GITHUB_TOKEN"}) {
    launch.env.push_back(std::string(name) + "=key-of-the-test");
  }
  launch.env.push_back("PROJECT=" + workspace.project());
  SECTION("by all layers that there are") {}
  SECTION("by Landlock alone") {
    const std::string none = workspace.write("bin/bwrap", "#!/bin/sh\nexit 1\n");
    std::filesystem::permissions(none, std::filesystem::perms::owner_all);
  }
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 1);  // it says the same to every question
  const std::string note = note_of(workspace);
  INFO(note);
  CHECK(holds(note,
              "reads-keys no. writes-project no. writes-home no. writes-own yes. "
              "has-own-key yes. has-other-keys no. in-project no."));
  CHECK_FALSE(std::filesystem::exists(workspace.project() + "/written"));
}
