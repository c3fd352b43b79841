// What an agent's own session file says of a turn, and what it does not say yet.
#include <algorithm>
#include <catch2/catch.hpp>

#include "workspace.h"

using namespace orch::e2e;

namespace {

// A shell script: as soon as the agent has taken its first message, the session file gets that, and
// the content of `answer`.
constexpr const char* kKeeper = R"sh(mkdir -p "$HOME/.own"
keep() {
  while kill -0 $$; do
    if [ -s "$ORCH_DEMO_LOG" ]; then
      message=$(head -n 1 "$ORCH_DEMO_LOG")
      now=$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)
      printf '{"type":"user","at":"%s","said":%s}\n' "$now" "$message" > "$HOME/kept"
      cat "${0%/*}/answer" >> "$HOME/kept"
      mv "$HOME/kept" "$HOME/.own/kept.jsonl"
      return
    fi
    sleep 0.02
  done
}
keep </dev/null >/dev/null 2>&1 &
exec ")sh" ORCH_PROGRAM R"sh(" demo-agent "$@"
)sh";

// Installs the demo agent behind a script that keeps a session file for it.
void install_keeper(const Workspace& workspace, const std::string& answer) {
  workspace.write("answer", answer);
  Json manifest = Json::parse(content_of(ORCH_SOURCE_DIR "/src/adapters/manifests/demo.json"));
  manifest["name"] = "own";
  manifest["program"] = {"/bin/sh", workspace.write("agent.sh", kKeeper)};
  const Json user{{"is", "user"}, {"when", {{"/type", "user"}}}, {"content", {"/said/message"}}};
  const Json agent{{"is", "agent"}, {"when", {{"/type", "agent"}}}, {"content", {"/text"}}};
  manifest["record"] = {
      {"home", {"$HOME/.own"}}, {"files", "*.jsonl"}, {"lines", {user, agent}}, {"time", "/at"}};
  workspace.write("home/.config/orch/adapters/own.json", manifest.dump());
}

// The number of turns after which the run was complete; each ends with the keyword on the screen.
int turns_to_complete(const Workspace& workspace) {
  Launch launch = workspace.orch({"run", "7", "--agent", "own", "-p", "go", "--sandbox", "none"});
  // Slow enough that the file is there long before the turn ends, even on a busy machine.
  std::replace(launch.env.begin(), launch.env.end(), std::string("ORCH_DEMO_SPEED=0.2"),
               std::string("ORCH_DEMO_SPEED=1"));
  const Outcome outcome = Program(launch).finish();
  const RunFolder folder = check_ending(workspace, outcome, "complete", 0);
  return folder.result.at("turns").get<int>();
}

}  // namespace

TEST_CASE("a session file without any word of the turn leaves it to the screen") {
  const Workspace workspace;
  install_keeper(workspace, "");
  CHECK(turns_to_complete(workspace) == 1);
}

TEST_CASE("a session file with the turn's words decides, whatever the screen shows") {
  const Workspace workspace;
  install_keeper(workspace, R"({"type":"agent","text":"It is not done."})");
  CHECK(turns_to_complete(workspace) == 2);  // the file has nothing of the second turn
}
