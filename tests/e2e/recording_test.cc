// Everything that a run showed can be replayed.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>

#include "workspace.h"

using namespace orch::e2e;

namespace {

Outcome replay(const Workspace& workspace, Words words) {
  words.insert(words.begin(), "replay");
  return Program(workspace.orch(std::move(words))).finish();
}

// The statuses of a run without the last one: a recording does not have the process's end.
std::vector<std::string> statuses_before_exit(const RunFolder& run) {
  std::vector<std::string> statuses = run.statuses();
  REQUIRE(statuses.back() == "exited");
  statuses.pop_back();
  return statuses;
}

}  // namespace

TEST_CASE("a recording is a valid asciicast v2") {
  const Workspace workspace;
  Program(workspace.demo("permission", {"--size", "90x30", "-p", "run the tests"})).finish();
  const std::vector<Json> lines = json_lines(content_of(workspace.run_of().recording()));
  REQUIRE(lines.size() > 10);
  const Json& header = lines.front();
  CHECK(header.at("version") == 2);
  CHECK(header.at("width") == 90);
  CHECK(header.at("height") == 30);
  CHECK(header.at("timestamp").is_number_integer());
  CHECK(header.at("orch").at("agent") == "demo");
  double seconds = 0;
  for (size_t i = 1; i < lines.size(); ++i) {
    INFO(lines[i].dump());
    REQUIRE(lines[i].is_array());
    REQUIRE(lines[i].size() == 3);
    CHECK(lines[i].at(0).get<double>() >= seconds);
    seconds = lines[i].at(0);
    const std::string kind = lines[i].at(1);
    CHECK((kind == "o" || kind == "i" || kind == "m"));
    CHECK(lines[i].at(2).is_string());
  }
  CHECK(lines.back().at(2) == "note=end");
}

TEST_CASE("the replay of a run's recording tells the statuses that the run told") {
  const std::vector<std::string> scenarios{"default",  "permission", "error",
                                           "continue", "trick",      "reports"};
  std::vector<Workspace> workspaces(scenarios.size());
  std::vector<std::unique_ptr<Program>> programs;
  for (size_t i = 0; i < scenarios.size(); ++i) {
    programs.push_back(std::make_unique<Program>(
        workspaces[i].demo(scenarios[i], {"--max-turns", "3", "-p", "do it"})));
  }
  for (size_t i = 0; i < scenarios.size(); ++i) {
    INFO(scenarios[i]);
    programs[i]->finish();
    const RunFolder run = workspaces[i].run_of();
    const Outcome replayed = replay(workspaces[i], {"--json", run.recording()});
    REQUIRE(replayed.code == 0);
    CHECK(replayed.err.empty());
    CHECK(statuses_of(json_lines(replayed.out)) == statuses_before_exit(run));
    const Outcome for_people = replay(workspaces[i], {run.recording()});
    CHECK(lines_of(for_people.out).size() == statuses_before_exit(run).size());
    CHECK(for_people.out.find("working") != std::string::npos);
  }
}

TEST_CASE("an issue is meant though a folder beside has its name") {
  const Workspace workspace;
  std::filesystem::create_directory(workspace.project() + "/build");
  REQUIRE(Program(workspace.demo("echo", {"-p", "x", "--until", "idle"}, "build")).finish().code ==
          0);
  for (const char* command : {"replay", "shot", "explain", "report"}) {
    const Outcome outcome = Program(workspace.orch({command, "build"})).finish();
    INFO(command << ": " << outcome.err);
    CHECK(outcome.code == 0);
  }
}

TEST_CASE("a recording that cannot be replayed is one line that says why") {
  const Workspace workspace;
  const std::string text = workspace.write("text", "no recording\n");
  const std::string nameless =
      workspace.write("nameless.cast", "{\"version\":2,\"width\":80,\"height\":24}\n");
  const std::vector<std::pair<Words, int>> cases{{{text}, 2},
                                                 {{nameless}, 2},
                                                 {{nameless, "--agent", "nobody"}, 2},
                                                 {{workspace.file("missing")}, 2}};
  for (const auto& [words, code] : cases) {
    INFO(words.front());
    const Outcome outcome = replay(workspace, words);
    CHECK(outcome.code == code);
    CHECK(outcome.out.empty());
    CHECK(lines_of(outcome.err).size() == 1);
  }
  CHECK(replay(workspace, {nameless, "--agent", "demo"}).code == 0);
}

TEST_CASE("a shot writes out characters that change the order of others") {
  const Workspace workspace;
  const std::string cast = workspace.write(
      "bidi.cast",
      "{\"version\":2,\"width\":20,\"height\":5}\n[0.1,\"o\",\"a\u202eb\u2066c\u200d\"]\n");
  const std::string text = run_orch(workspace, {"shot", cast}).out;
  CHECK(holds(text, R"(a\u{202e}b\u{2066}c)"));
  const std::string ansi = run_orch(workspace, {"shot", cast, "--format", "ansi"}).out;
  CHECK(holds(ansi, "abc"));
  for (const std::string& picture : {text, ansi}) CHECK_FALSE(holds(picture, "\xe2\x80"));
}

TEST_CASE("a recording from a pipe is as good as the file, and one of a run is never a pipe") {
  const Workspace workspace;
  Program(workspace.demo("default", {"-p", "first words"})).finish();
  const std::string recording = workspace.run_of().recording();
  const auto piped = [&](Words words) {
    Launch launch = workspace.orch(std::move(words));
    launch.input = content_of(recording);
    return Program(launch).finish();
  };
  CHECK(piped({"shot", "/dev/stdin"}).out == Program(workspace.orch({"shot", "7"})).finish().out);
  CHECK(piped({"replay", "/dev/stdin"}).out == replay(workspace, {recording}).out);
  const std::string page = workspace.file("page.html");
  const Outcome reported = piped({"report", "/dev/stdin", "-o", page});
  INFO(reported.err);
  CHECK(reported.code == 0);
  CHECK(content_of(page).find("first words") != std::string::npos);
  std::filesystem::remove(recording);
  REQUIRE(::mkfifo(recording.c_str(), 0600) == 0);
  for (const char* command : {"shot", "replay", "report", "explain"}) {
    INFO(command);
    const Outcome refused = Program(workspace.orch({command, "7"})).finish();
    CHECK(refused.code == 2);
    CHECK(refused.err.find("no regular file") != std::string::npos);
  }
  CHECK(Program(workspace.orch({"logs", "7", "--raw"})).finish().code != 0);
}

TEST_CASE("a large recording is shown in little memory") {
  const Workspace workspace;
  std::string cast = "{\"version\": 2, \"width\": 80, \"height\": 24}\n";
  SECTION("of many small events") {
    for (int i = 0; cast.size() < 8'000'000; ++i) {
      cast +=
          "[" + std::to_string(i / 1000.0) + ", \"o\", \"line " + std::to_string(i) + "\\r\\n\"]\n";
    }
  }
  SECTION("of few large ones") {
    const std::string text(1'000'000, 'x');
    for (int i = 0; i < 8; ++i) cast += "[" + std::to_string(i) + ".0, \"o\", \"" + text + "\"]\n";
  }
  cast += "[9999.0, \"o\", \"the end\"]\n";
  const std::string path = workspace.write("large.cast", cast);
  const std::string peak = workspace.file("peak");
  Launch launch = workspace.orch({});
  // The peak memory (VmHWM) of the only child, which the parent learns at the end of that.
  launch.argv = {"/usr/bin/python3",
                 "-c",
                 "import resource, subprocess, sys\n"
                 "code = subprocess.run(sys.argv[2:]).returncode\n"
                 "kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
                 "open(sys.argv[1], 'w').write(str(kb))\nsys.exit(code)\n",
                 peak,
                 ORCH_PROGRAM,
                 "shot",
                 path};
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 0);
  CHECK(outcome.out.find("the end") != std::string::npos);
  CHECK(std::stol(content_of(peak)) < 100'000);  // KB
}
