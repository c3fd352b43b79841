// An agent is not a person: its processes may look at sessions, but not change them.
#include <catch2/catch.hpp>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;

namespace {

constexpr const char* kRefused = "refused: this process belongs to run ";

// The session answers only some time after its agent has started, so the script waits for that.
const std::string kPrelude =
    "ORCH=" ORCH_PROGRAM "\nuntil $ORCH status 7 2>/dev/null | grep -q pid; do :; done\n";

// A session whose agent runs a script, which can call $ORCH, and whose output goes to the file
// "said". The agent ends with its script.
class Session {
 public:
  Session(const Workspace& workspace, const std::string& script, Words more = {})
      : workspace_(workspace) {
    Json manifest = Json::parse(content_of(ORCH_SOURCE_DIR "/src/adapters/manifests/demo.json"));
    manifest["name"] = "scripted";
    manifest["program"] = {"sh", workspace.write("script", kPrelude + script)};
    workspace.write("home/.config/orch/adapters/scripted.json", manifest.dump());
    Words words{"run", "7", "--agent", "scripted", "--until", "exit", "--output", "quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = Program(workspace.orch(words)).finish();
    INFO(outcome.err);
    CHECK(outcome.code == 0);
  }
  std::string said() const { return content_of(workspace_.file("said")); }

 private:
  const Workspace& workspace_;
};

// Another session, which a person started: a shell that waits.
class Other {
 public:
  explicit Other(const Workspace& workspace) : workspace_(workspace) {
    REQUIRE(Program(workspace.orch({"run", "8", "-d", "--", "sleep", "100"})).finish().code == 0);
  }
  ~Other() { Program(workspace_.orch({"kill", "8", "--now"})).finish(); }
  bool runs() const {
    const Outcome outcome = Program(workspace_.orch({"sessions"})).finish();
    return holds(outcome.out, "orch-8");
  }

 private:
  const Workspace& workspace_;
};

void check_all_refused(const std::string& said, size_t count) {
  INFO(said);
  const std::vector<std::string> lines = lines_of(said);
  CHECK(lines.size() == 2 * count);  // for each the error and the exit code
  for (size_t i = 0; i + 1 < lines.size(); i += 2) {
    CHECK(lines[i].starts_with("orch: session orch-"));
    CHECK(holds(lines[i], kRefused));
    CHECK(holds(lines[i], "--trust-agent"));
    CHECK(lines[i + 1] == "2");
  }
}

}  // namespace

TEST_CASE("an agent may look at its own session and change nothing of it") {
  const Workspace workspace;
  const Session session(workspace, R"(
    exec 2>../said
    $ORCH status 7 >../looked || exit 1
    for words in 'keys 7 Enter' 'send 7 hi' 'reset 7' 'kill 7' 'kill 7 --now' 'kill --all' \
        'answer 7 yes --dialog d1'; do
      $ORCH $words; echo $? >&2
    done)");
  check_all_refused(session.said(), 7);
  CHECK(holds(content_of(workspace.file("looked")), "orch-7"));
}

TEST_CASE(
    "neither an empty environment nor a session of its own makes an agent's helper a person") {
  const Workspace workspace;
  const Other other(workspace);
  const Session session(workspace, R"(
    HELP="env -i ORCH_STATE_DIR=$ORCH_STATE_DIR $ORCH"
    attempt() {
      (setsid sh -c "(setsid sh -c '$HELP $1 2>>../said; echo \$? >>../said; : >../done' &) &" &)
      until rm ../done 2>/dev/null; do :; done
    }
    attempt "keys 7 Enter"
    attempt "kill 7"
    attempt "kill 8"
    attempt "keys 8 Enter"
    attempt "kill --now 8")");
  check_all_refused(session.said(), 5);
  CHECK(other.runs());
}

TEST_CASE("an agent gains nothing by running orch run around its helper") {
  const Workspace workspace;
  const Other other(workspace);
  const Session session(workspace, R"(
    $ORCH run 9 --output quiet -- sh -c "$ORCH kill 8 2>../said; echo \$? >>../said" 2>/dev/null
    $ORCH run 9 --trust-agent --output quiet -- \
        sh -c "env -i ORCH_STATE_DIR=$ORCH_STATE_DIR $ORCH kill 7 2>>../said; echo \$? >>../said" \
        2>/dev/null)");
  check_all_refused(session.said(), 2);
  CHECK(other.runs());
}

TEST_CASE("an agent does not say what a person trusts") {
  const Workspace workspace;
  workspace.write("project/.orch/adapters/mine.json", "{}");
  const Session session(workspace, "$ORCH trust --yes 2>../said; echo $? >>../said");
  CHECK(holds(session.said(), kRefused));
  CHECK(last_line(session.said()) == "2");
}

TEST_CASE("an agent acts on the sessions that it started itself as it acts on all it started") {
  const Workspace workspace;
  const Session session(workspace, R"(
    $ORCH run 9 -d -- sleep 100 >/dev/null && $ORCH kill 9 >../said 2>&1; echo $? >>../said)");
  CHECK(session.said() == "orch-9\n0\n");
}

TEST_CASE("with --trust-agent an agent acts as whoever started it") {
  const Workspace workspace;
  const Other other(workspace);
  const Session session(workspace,
                        "$ORCH keys 7 a 2>../said; echo $? >>../said; $ORCH kill 8 >>../said 2>&1",
                        {"--trust-agent"});
  CHECK(session.said() == "0\norch-8\n");
  CHECK_FALSE(other.runs());
}

TEST_CASE("a command that orch run wraps acts as whoever started it") {
  const Workspace workspace;
  const Other other(workspace);
  const Outcome outcome =
      Program(workspace.shell(ORCH_PROGRAM " kill 8", {"--output", "text"})).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.out, "orch-8"));
  CHECK_FALSE(other.runs());
}
