// A mistake of the user gives one clear line, before anything is started or written.
#include <unistd.h>

#include <catch2/catch.hpp>

#include "workspace.h"

using namespace orch::e2e;

namespace {

struct Mistake {
  Words words;
  std::string named;  // a text in that line
};

void check_refused(const Workspace& workspace, const Mistake& mistake, int code) {
  std::string line;
  for (const std::string& word : mistake.words) line += " " + word;
  INFO("orch" << line);
  const Outcome outcome = Program(workspace.orch(mistake.words)).finish();
  INFO(outcome.err);
  CHECK(outcome.code == code);
  CHECK(outcome.out.empty());
  CHECK(lines_of(outcome.err).size() == 1);
  CHECK(outcome.err.starts_with("orch: "));
  CHECK(outcome.err.find(mistake.named) != std::string::npos);
  CHECK_FALSE(workspace.has_state());
}

}  // namespace

TEST_CASE("names that are no names are refused") {
  const Workspace workspace;
  for (const std::string& name : Words{"../x", "a;b", "", std::string(65, 'a'), "a/b", "a b", "ä",
                                       ".", "_a", "a\nb", "a\x1b[31m"}) {
    check_refused(workspace, {{"run", name, "--agent", "demo", "-p", "hi"}, "issue name"}, 2);
  }
  check_refused(workspace, {{"run", "-x", "--agent", "demo", "-p", "hi"}, "see orch run --help"},
                2);
}

TEST_CASE("wrong options and values are refused") {
  const Workspace workspace;
  const std::string folder = workspace.project();
  const std::vector<Mistake> mistakes{
      {{"frobnicate"}, "frobnicate"},
      {{"run"}, "issue"},
      {{"run", "7", "7", "--agent", "demo"}, "twice"},
      {{"run", "7", "--frobnicate"}, "--frobnicate"},
      {{"run", "7", "--agent"}, "--agent"},
      {{"run", "7", "--agent", "nobody", "-p", "hi"}, "nobody"},
      {{"run", "7", "--agent", "demo", "-p", ""}, "empty"},
      {{"run", "7", "--agent", "demo", "-p", " \n"}, "empty"},
      {{"run", "7", "--agent", "demo", "-p", "bad \xff byte"}, "UTF-8 at byte 4"},
      {{"run", "7", "--agent", "claude"}, "no prompt"},
      {{"run", "7", "--agent", "demo", "--prompt-file", "missing.md"}, "missing.md"},
      {{"run", "7", "--agent", "demo", "--prompt-file", folder}, "Is a directory"},
      {{"run", "7", "--agent", "demo", "--system-prompt", "missing.md"}, "missing.md"},
      {{"run", "7", "--agent", "demo", "--until", "doomsday"}, "doomsday"},
      {{"run", "7", "--agent", "demo", "--output", "html"}, "html"},
      {{"run", "7", "8", "--agent", "demo", "--output", "raw"}, "raw"},
      {{"run", "7", "--agent", "demo", "--size", "80"}, "80"},
      {{"run", "7", "--agent", "demo", "--size", "3x3"}, "20x5"},
      {{"run", "7", "--agent", "demo", "--timeout", "soon"}, "soon"},
      {{"run", "7", "--agent", "demo", "--timeout", "0"}, "duration"},
      {{"run", "7", "--agent", "demo", "--max-turns", "0"}, "--max-turns"},
      {{"run", "7", "--agent", "demo", "--max-turns", "many"}, "--max-turns"},
      {{"run", "7", "--agent", "demo", "--complete-keyword", ""}, "--complete-keyword"},
      {{"run", "7", "--agent", "demo", "--cwd", "missing"}, "missing"},
      {{"run", "7", "--agent", "demo", "--state-dir", ""}, "--state-dir"},
      {{"run", "7", "--agent", "demo", "--model", "large"}, "model"},
      {{"run", "7", "--agent", "demo", "--", "true"}, "--agent command"},
      {{"run", "7", "--agent", "command"}, "after --"},
      {{"run", "7", "--"}, "after --"},
      {{"run", "7", "--agent", "command", "-p", "hi", "--", "true"}, "takes no prompt"},
      {{"run", "7", "--until", "idle", "--", "true"}, "--until exit"},
      {{"attach"}, "needs issue"},
      {{"replay", "x", "--speed", "0"}, "--speed 0: write a number from 0."},
      {{"replay", "x", "--speed", "abc"}, "--speed abc: write a number from 0."},
      {{"feedback", "7", "--rounds", "0"}, "--rounds 0: write a whole number from 1 to 100\n"},
      {{"logs", "--lines", "-1"}, "--lines -1: write a whole number, 0 or more\n"},
      {{"run", "7", "--jobs", "99999999999"}, "a whole number, at most 2147483647\n"},
      {{"run", "7", "--timeout", "20s", "--timeout", "soon"}, "soon"},
      {{"agents", "--yaml"}, "--yaml"},
  };
  for (const Mistake& mistake : mistakes) check_refused(workspace, mistake, 2);
}

TEST_CASE("of an option that takes one value the last one counts") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.orch({"run", "7", "--timeout", "soon", "--size", "1", "--size", "80x24",
                              "--timeout", "30s", "--", "true"}))
          .finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(workspace.run_of().record.at("request").at("timeout") == "30s");
}

TEST_CASE("a prompt that is not UTF-8 is refused from a file too") {
  const Workspace workspace;
  const std::string file = workspace.write("prompt", "caf\xe9\n");
  check_refused(workspace, {{"run", "7", "--agent", "demo", "--prompt-file", file}, "byte 3"}, 2);
}

TEST_CASE("a state directory that cannot be made is orch's own failure, and nothing is started") {
  const Workspace workspace;
  const std::string file = workspace.write("file", "");
  const std::string touched = workspace.file("touched");
  for (const std::string& above : Words{"/proc", file}) {
    const std::string folder = above + "/state";
    check_refused(workspace, {{"run", "7", "--state-dir", folder, "--", "touch", touched}, above},
                  125);
    CHECK(::access(touched.c_str(), F_OK) != 0);
  }
}
