// What a shell completes with the script that orch completion prints.
#include <catch2/catch.hpp>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;

namespace {

// What bash offers to complete the last of these words.
std::string offered(const Workspace& workspace, const std::string& words) {
  Launch launch = workspace.orch({});
  const std::string program = workspace.file("bin/orch");
  if (!std::filesystem::exists(program)) {
    std::filesystem::create_directories(workspace.file("bin"));
    std::filesystem::create_symlink(launch.argv.front(), program);
  }
  launch.argv = {"/bin/bash", "--norc", "-c",
                 "PATH=" + workspace.file("bin") + ":$PATH; eval \"$(orch completion bash)\"\n" +
                     "COMP_WORDS=(orch " + words + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n" +
                     "_orch; echo \"${COMPREPLY[@]}\""};
  return Program(launch).finish().out;
}

}  // namespace

TEST_CASE("bash completes commands, options, what they take, and the sessions that run") {
  const Workspace workspace;
  CHECK(offered(workspace, "ans") == "answer\n");
  CHECK(offered(workspace, "run --mode ''") == "acp headless interactive\n");
  CHECK(offered(workspace, "run --mode = h") == "headless\n");  // bash splits --mode=h like this
  CHECK(offered(workspace, "wait --until=c") == "--until=complete\n");  // zsh and fish do not
  CHECK(offered(workspace, "config set time") == "timeout\n");
  CHECK(offered(workspace, "help comp") == "completion\n");
  CHECK(offered(workspace, "plan --role f") == "fast\n");
  CHECK(offered(workspace, "jobs ''") == "last\n");
  CHECK(offered(workspace, "race 7 --agents clau") == "claude\n");
  CHECK(offered(workspace, "crew nudge ''") == "\n");  // there is no crew

  Program run(workspace.shell("sleep 60", {"-d"}, "mend-it"));
  REQUIRE(run.finish().code == 0);
  CHECK(offered(workspace, "status ''") == "mend-it\n");
  CHECK(offered(workspace, "retry mend") == "mend-it\n");
  CHECK(Program(workspace.orch({"kill", "mend-it", "--now"})).finish().code == 0);
}

TEST_CASE("the scripts for other shells are there, and one for none is refused") {
  const Workspace workspace;
  for (const char* shell : {"zsh", "fish"}) {
    const Outcome script = Program(workspace.orch({"completion", shell})).finish();
    CHECK(script.code == 0);
    CHECK(script.out.find("orch internal complete") != std::string::npos);
  }
  const Outcome none = Program(workspace.orch({"completion", "cmd"})).finish();
  CHECK(none.code == 2);
  CHECK(none.err == "orch: the shell must be bash, zsh or fish\n");
}
