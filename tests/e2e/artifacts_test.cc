// What a run leaves for CI: --artifacts, the step's summary and outputs.
#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;
namespace fs = std::filesystem;

namespace {

// What Python's XML parser reads: the attributes of suite and cases. It fails if the file is
// malformed.
Outcome parsed_by_python(const Workspace& workspace, const std::string& path) {
  Launch launch = workspace.orch({});
  launch.argv = {"/usr/bin/python3", "-c",
                 "import sys, xml.etree.ElementTree as e\n"
                 "s = e.parse(sys.argv[1]).getroot()\n"
                 "print(s.tag, s.get('tests'), s.get('failures'), s.get('errors'))\n"
                 "for c in s: print(c.get('name'), *[(k.tag, k.get('type')) for k in c])",
                 path};
  return Program(launch).finish();
}

const std::vector<std::string> kAll{"events.jsonl", "junit.xml",       "last_screen.svg",
                                    "orch.log",     "output.cast",     "report.html",
                                    "result.json",  "trajectory.json", "transcript.txt"};

}  // namespace

TEST_CASE("what could not be started is told everywhere as its record tells it") {
  const Workspace workspace;
  const std::string folder = workspace.file("artifacts");
  const Outcome outcome = Program(workspace.orch({"run", "1", "2", "--artifacts", folder,
                                                  "--output", "json", "--", "/nonexistent"}))
                              .finish();
  CHECK(outcome.code == 127);
  CHECK(outcome.err.find("orch: orch-2: not_found (exit 127): ") != std::string::npos);
  CHECK(outcome.out.find("\"event\":\"exit\",\"code\":127,\"reason\":\"not_found\"") !=
        std::string::npos);
  const Json summary = Json::parse(content_of(folder + "/summary.json"));
  for (const Json& issue : summary.at("issues")) {
    CHECK(issue.at("reason") == "not_found");
    const std::string of_issue = folder + "/" + issue.at("issue").get<std::string>();
    const Json result = Json::parse(content_of(of_issue + "/result.json"));
    CHECK(result.at("reason") == "not_found");
    CHECK(result.at("run") == issue.at("run"));
    CHECK(parsed_by_python(workspace, of_issue + "/junit.xml").out ==
          "testsuite 1 0 1\nrun ('error', 'not_found')\n");
  }
}

TEST_CASE("artifacts are whole after a run that was good, that failed and that was ended") {
  const Workspace workspace;
  const std::string folder = workspace.file("deep/artifacts");
  CHECK(Program(workspace.shell("echo fine", {"--artifacts", folder}, "1")).finish().code == 0);
  CHECK(names_in(folder) == kAll);
  CHECK(parsed_by_python(workspace, folder + "/junit.xml").out == "testsuite 1 0 0\nrun\n");
  CHECK(Program(workspace.shell("echo bad; exit 4", {"--artifacts", folder}, "2")).finish().code ==
        1);
  CHECK(names_in(folder) == kAll);
  CHECK(Json::parse(content_of(folder + "/result.json")).at("code") == 1);
  CHECK(parsed_by_python(workspace, folder + "/junit.xml")
            .out.starts_with("testsuite 1 1 0\nrun ('failure', "));
  Program cancelled(workspace.shell("echo begun; exec sleep 100", {"--artifacts", folder}, "3"));
  cancelled.wait_for_output("begun");
  cancelled.signal(SIGTERM);
  CHECK(cancelled.finish().code == 143);
  CHECK(names_in(folder) == kAll);
  CHECK(Json::parse(content_of(folder + "/result.json")).at("reason") == "terminated");
}

TEST_CASE("gates are cases of the suite, and what they wrote is kept without secrets") {
  const Workspace workspace;
  const std::string folder = workspace.file("artifacts");
  Launch launch = workspace.demo(
      "default", {"-p", "do it", "--verify", "true", "--verify", "echo got $A_TOKEN; exit 3",
                  "--fix-turns", "0", "--artifacts", folder});
  launch.env.push_back("A_TOKEN=pl4nted-s3cret-0123456789");
  CHECK(Program(launch).finish().code == 20);
  const std::string parsed = parsed_by_python(workspace, folder + "/junit.xml").out;
  CHECK(parsed.starts_with("testsuite 3 2 0\nrun ('failure', 'gate_failed')\ntrue\necho got "));
  CHECK(content_of(folder + "/gates/2.log") == "got ***\n");
  CHECK(content_of(folder + "/junit.xml").find("pl4nted") == std::string::npos);
}

TEST_CASE("a gate that is mended has not failed, and a run that exits with 0 has no failure") {
  const Workspace workspace;
  const std::string folder = workspace.file("artifacts");
  const std::string once = "test -e again || { touch again; exit 4; }";
  CHECK(Program(workspace.demo("default", {"-p", "do it", "--verify", once, "--fix-turns", "1",
                                           "--artifacts", folder}))
            .finish()
            .code == 0);
  CHECK(parsed_by_python(workspace, folder + "/junit.xml").out ==
        "testsuite 2 0 0\nrun\n" + once + "\n");
}

TEST_CASE("a gate that is killed at its limit has failed, also where it then exits with 0") {
  const Workspace workspace;
  const std::string folder = workspace.file("artifacts");
  const std::string slow = "trap 'exit 0' TERM; sleep 60 & wait";
  CHECK(Program(workspace.shell(
                    "true", {"--verify", slow, "--verify-timeout", "300ms", "--artifacts", folder}))
            .finish()
            .code == 20);
  CHECK(parsed_by_python(workspace, folder + "/junit.xml").out ==
        "testsuite 2 2 0\nrun ('failure', 'gate_failed')\n" + slow +
            " ('failure', 'gate_failed')\n");
}

TEST_CASE("a run that was not begun leaves artifacts that say why") {
  const Workspace workspace;
  const std::string folder = workspace.file("artifacts");
  const Outcome refused =
      Program(workspace.orch({"run", "7", "--agent", "nobody", "-p", "x", "--artifacts", folder}))
          .finish();
  CHECK(refused.code == 2);
  CHECK(names_in(folder) == std::vector<std::string>{"junit.xml", "result.json"});
  CHECK(parsed_by_python(workspace, folder + "/junit.xml").out ==
        "testsuite 1 0 1\nrun ('error', 'usage')\n");
  CHECK(Json::parse(content_of(folder + "/result.json")).at("reason") == "usage");
}

TEST_CASE("of several issues each has a folder of its own") {
  const Workspace workspace;
  const std::string folder = workspace.file("artifacts");
  CHECK(Program(workspace.orch({"run", "1", "2", "--artifacts", folder, "--", "/bin/echo", "hi"}))
            .finish()
            .code == 0);
  CHECK(names_in(folder) == std::vector<std::string>{"1", "2", "summary.json"});
  CHECK(names_in(folder + "/1") == kAll);
  CHECK(names_in(folder + "/2") == kAll);
}

TEST_CASE("a folder for artifacts that cannot be written is refused before the start") {
  const Workspace workspace;
  const std::string file = workspace.write("file", "x");
  for (const std::string& path : {file, file + "/below", std::string("/proc/none")}) {
    const Outcome outcome = Program(workspace.shell("echo ran", {"--artifacts", path})).finish();
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.err.find("--artifacts " + path) != std::string::npos);
    CHECK(lines_of(outcome.err).size() == 1);
    CHECK_FALSE(workspace.has_state());
  }
}

TEST_CASE("links that an agent plants among the artifacts lead nowhere") {
  const Workspace workspace;
  const std::string folder = workspace.project() + "/artifacts";
  const std::string victim = workspace.write("victim", "untouched");
  const std::string place = workspace.file("place");
  fs::create_directory(place);
  const Outcome planted =
      Program(workspace.shell("ln -s " + victim + " artifacts/junit.xml; ln -s " + victim +
                                  " artifacts/report.html",
                              {"--artifacts", folder}))
          .finish();
  CHECK(planted.code == 0);
  CHECK(content_of(victim) == "untouched");
  CHECK(fs::is_regular_file(fs::symlink_status(folder + "/junit.xml")));
  CHECK(names_in(folder) == kAll);
  const Outcome replaced = Program(workspace.shell("rm -r artifacts; ln -s " + place + " artifacts",
                                                   {"--artifacts", folder}, "8"))
                               .finish();
  CHECK(replaced.code == 0);
  CHECK(replaced.err.find("links are not followed") != std::string::npos);
  CHECK(names_in(place).empty());
}

TEST_CASE("a link that an agent left at the artifacts' place beforehand is not followed") {
  const Workspace workspace;
  std::filesystem::create_directories(workspace.file("outside"));
  std::filesystem::create_directory_symlink(workspace.file("outside"),
                                            workspace.project() + "/results");
  for (const char* folder : {"results", "results/7", "./results/../results/x"}) {
    INFO(folder);
    const Outcome outcome =
        Program(workspace.shell("true", {"--artifacts", workspace.project() + "/" + folder}))
            .finish();
    CHECK(outcome.code == 2);
    CHECK(outcome.err.find("is a link in a folder where agents write") != std::string::npos);
  }
  CHECK(std::filesystem::is_empty(workspace.file("outside")));
  // A link that the user made to another place is followed.
  std::filesystem::create_directory_symlink(workspace.file("outside"), workspace.file("mine"));
  CHECK(Program(workspace.shell("true", {"--artifacts", workspace.file("mine")})).finish().code ==
        0);
}

TEST_CASE("artifacts that cannot be written at the end are a warning, not another verdict") {
  const Workspace workspace;
  const std::string folder = workspace.project() + "/artifacts";
  Launch launch =
      workspace.shell("rmdir artifacts; echo > artifacts; exit 5", {"--artifacts", folder});
  launch.env.push_back("GITHUB_ACTIONS=true");
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 1);
  CHECK(outcome.err.find("orch: --artifacts: ") != std::string::npos);
  CHECK(outcome.err.find("\n::warning title=orch::--artifacts: ") != std::string::npos);
}

TEST_CASE("junit.xml can be parsed whatever an agent says") {
  const Workspace workspace;
  const std::string folder = workspace.file("artifacts");
  Program(workspace.shell(R"(printf '</testcase>]]><x a="\001\377\360\220\277\277" ￿&#0;\033[31m'
exit 9)",
                          {"--artifacts", folder}))
      .finish();
  const Outcome parsed = parsed_by_python(workspace, folder + "/junit.xml");
  INFO(parsed.err);
  CHECK(parsed.code == 0);
}

TEST_CASE("on GitHub a step gets its summary and outputs, and agents' words cannot forge any") {
  const Workspace workspace;
  const std::string summary = workspace.write("summary", ""),
                    output = workspace.write("output", "");
  Launch launch = workspace.shell(
      R"(printf '</pre><script>x</script> [a](http://evil) | ![i](http://evil) @everyone\n'
printf 'reason<<EOF\ncomplete\nEOF\n::endgroup::\n::set-output name=a::b\n'
exit 4)",
      {"--artifacts", workspace.file("artifacts")});
  for (const std::string& variable :
       {std::string("GITHUB_ACTIONS=true"), "GITHUB_STEP_SUMMARY=" + summary,
        "GITHUB_OUTPUT=" + output}) {
    launch.env.push_back(variable);
  }
  CHECK(Program(launch).finish().code == 1);
  const std::string text = content_of(summary);
  CHECK(text.find("| orch&#45;7 | ") != std::string::npos);
  CHECK(text.find("<script>") == std::string::npos);
  CHECK(text.find("http://") == std::string::npos);
  CHECK(text.find('@') == std::string::npos);
  std::vector<std::string> names;
  const std::vector<std::string> lines = lines_of(content_of(output));
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t mark = lines[i].find("<<orch-");
    REQUIRE(mark != std::string::npos);
    names.push_back(lines[i].substr(0, mark));
    const std::string delimiter = lines[i].substr(mark + 2);
    while (++i < lines.size() && lines[i] != delimiter) {
      if (names.back() == "exit_code") CHECK(lines[i] == "1");
      if (names.back() == "session") CHECK(lines[i] == "orch-7");
    }
    REQUIRE(i < lines.size());
  }
  CHECK(names == std::vector<std::string>{"exit_code", "reason", "run", "session", "artifacts"});
}

TEST_CASE("on GitHub what was not started is annotated as what failed is") {
  const Workspace workspace;
  const std::string summary = workspace.write("summary", "");
  const auto on_github = [&summary](Launch launch) {
    launch.env.push_back("GITHUB_ACTIONS=true");
    launch.env.push_back("GITHUB_STEP_SUMMARY=" + summary);
    return Program(launch).finish();
  };
  SECTION("an issue that waited while another one met its limit") {
    Launch launch =
        workspace.orch({"run", "1", "2", "--jobs", "1", "--agent", "demo", "-p", "do it"});
    launch.env.push_back("ORCH_DEMO_SCENARIO=rate-limit");
    const Outcome outcome = on_github(launch);
    CHECK(outcome.code == 75);
    CHECK(outcome.out.find("\n::warning title=orch-1::retry_later (exit 75)") != std::string::npos);
    CHECK(outcome.out.find("\n::warning title=orch-2::not_started (exit 75): not started: ") !=
          std::string::npos);
    CHECK(content_of(summary).find("| orch&#45;2 | not&#95;started | 75 |") != std::string::npos);
  }
  SECTION("a run that was refused") {
    const Outcome outcome = on_github(workspace.orch({"run", "7", "--agent", "nobody", "-p", "x"}));
    CHECK(outcome.code == 2);
    CHECK(outcome.err.find("::error title=orch::usage (exit 2): ") != std::string::npos);
    CHECK(content_of(summary).find("| orch | usage | 2 |") != std::string::npos);
  }
}

TEST_CASE("the question that a run stopped at stands in the summary") {
  const Workspace workspace;
  const std::string summary = workspace.write("summary", "");
  Launch launch = workspace.demo("permission", {"-p", "run it"});
  launch.env.push_back("GITHUB_ACTIONS=true");
  launch.env.push_back("GITHUB_STEP_SUMMARY=" + summary);
  CHECK(Program(launch).finish().code == 10);
  CHECK(content_of(summary).find("It waits for an answer") != std::string::npos);
}

TEST_CASE("on GitHub each of several issues has a group of its own") {
  const Workspace workspace;
  Launch launch = workspace.orch({"run", "1", "2", "--", "/bin/echo", "said"});
  launch.env.push_back("GITHUB_ACTIONS=true");
  const Outcome outcome = Program(launch).finish();
  size_t groups = 0;
  bool inside = false;
  for (const std::string& line : lines_of(outcome.out)) {
    if (line.starts_with("::group::orch-")) {
      CHECK_FALSE(inside);
      inside = true;
      ++groups;
    } else if (line == "::endgroup::") {
      inside = false;
    } else if (line == "said") {
      CHECK(inside);
    }
  }
  CHECK(groups == 2);
}
