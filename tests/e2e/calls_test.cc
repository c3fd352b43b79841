// The call check, with an agent of the test's own that runs the hook as real agents do: its calls
// are decided before they run, and a check that is not in force ends the run.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

// What the agent does with the hook. $CHECK is its command, as a JSON string. A call runs only if
// the hook ends with 0 and says nothing; agents that run more than that are not orch's to hold.
constexpr const char* kCallingAgent = R"(
cat > message
CHECK=${CHECK#\"}; CHECK=${CHECK%\"}
SOCKET=$(echo "$CHECK" | cut -d"'" -f8)
echo "$SOCKET" > socket
hook() { printf '%s' "$1" | sh -c "$CHECK"; }
begin() { hook '{"event":"start"}'; }
call() {  # ID COMMAND
  answer=$(hook '{"event":"call","id":"'"$1"'","tool":"shell","input":{"command":"'"$2"'"},"cwd":"'"$PWD"'"}' 2>> errors)
  code=$?
  echo "$code $answer" >> answers
  if [ $code = 0 ] && [ -z "$answer" ]; then sh -c "$2"; fi
}
end() { echo '{"type":"say","text":"Done."}'; echo '{"type":"end"}'; }
)";

constexpr const char* kCallingManifest =
    R"("headless": {"arguments": ["AGENT", "{options}", "{resume}"], "lines": [
  {"is": "words", "when": {"/type": "say"}, "text": "/text"},
  {"is": "tool", "when": {"/type": "tool"}, "id": "/id", "name": "/name", "input": "/input"},
  {"is": "tool_end", "when": {"/type": "result"}, "id": "/id", "text": "/text"},
  {"is": "end", "when": {"/type": "end"}}],
  "tools": [{"name": "^shell$", "is": "command", "at": ["/command"]}]},
"calls": {"env": {"CHECK": "{check}"}, "event": "/event", "id": "/id", "tool": "/tool", "input": "/input", "cwd": "/cwd",
  "stream_ids": true, "record_tools": "^shell$",
  "events": [{"name": "start", "is": "start"}, {"name": "call", "is": "call", "deny": "{reason}"},
             {"name": "ran", "is": "ran"}]})";

constexpr const char* kCallingPolicy =
    R"({"default": "all", "rules": [{"name": "never", "command": "never-run", "answer": "deny"}]})";
constexpr const char* kUndecided = "touch asked; $(cat x)";

struct Checked {
  explicit Checked(const std::string& script) {
    std::string manifest = kCallingManifest;
    manifest.replace(manifest.find("AGENT"), 5,
                     workspace.write("agent.sh", kCallingAgent + script));
    workspace.write("home/.config/orch/adapters/own.json",
                    R"({"manifest": 1, "name": "own", "title": "Own", "program": ["/bin/sh"],)" +
                        manifest + "}");
    policy = workspace.write("policy.json", kCallingPolicy);
  }
  Words words(Words more = {}) const {
    Words all{"run",       "7",    "--agent", "own", "--mode",  "headless",
              "--sandbox", "none", "-p",      "x",   "--until", "idle"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Outcome run(Words more = {}) const {
    return Program(workspace.orch(words(std::move(more)))).finish();
  }
  Outcome run_by_policy(Words more = {}) const {
    more.insert(more.end(), {"--approve", policy});
    return run(std::move(more));
  }
  bool made(const std::string& name) const { return fs::exists(workspace.project() + "/" + name); }
  std::string text(const std::string& name) const {
    return content_of(workspace.project() + "/" + name);
  }

  Workspace workspace;
  std::string policy;
};

Words decisions(const RunFolder& folder) {
  Words found;
  for (const Json& event : folder.events) {
    if (event.at("event") != "tool" || event.at("phase") != "decided") continue;
    found.push_back(event.at("decided").get<std::string>() + " " +
                    event.at("by").get<std::string>());
  }
  return found;
}

}  // namespace

TEST_CASE("each call is decided before it runs, and the run says how many") {
  const Checked checked("begin; call 1 'touch made'; call 2 'touch bad; never-run'; end\n");
  const Outcome outcome = checked.run_by_policy();
  const RunFolder folder = check_ending(checked.workspace, outcome, "idle", 0);
  CHECK(checked.made("made"));
  CHECK_FALSE(checked.made("bad"));
  CHECK(decisions(folder) == Words{"allow policy:all", "deny rule:never"});
  CHECK(holds(checked.text("answers"), "Not allowed (rule:never)"));
  CHECK(folder.result.at("calls") == Json{{"decided", 2}, {"denied", 1}, {"asked", 0}});
  CHECK(holds(outcome.err, "calls: 2 decided before they ran, 1 denied, 0 asked"));
}

TEST_CASE("a policy is tried on the calls of a run, and each call is shown with its rule") {
  const Checked checked(
      "begin; call 1 'touch made'; call 2 'never-run'; call 3 'npm publish'; end\n");
  const Workspace& workspace = checked.workspace;
  check_ending(workspace, checked.run_by_policy(), "idle", 0);

  const Outcome same = run_orch(workspace, {"policy", "try", checked.policy, "7"});
  CHECK(same.code == 0);
  CHECK(holds(same.out, "3 calls, 0 decided differently"));
  const Outcome all = run_orch(workspace, {"policy", "try", "all", "7", "--json"});
  CHECK(all.code == 1);
  const Json json = Json::parse(all.out);
  CHECK(json.at("differ") == 1);
  const Json& changed = json.at("calls").at(1);
  CHECK(changed.at("what") == "never-run");
  CHECK(changed.at("was").at("decided") == "deny");
  CHECK(changed.at("was").at("by") == "rule:never");
  CHECK(changed.at("now") == Json{{"decided", "allow"}, {"by", "policy:all"}});
  CHECK(json.at("calls").at(2).at("now") == Json{{"decided", "deny"}, {"by", "denylist:publish"}});

  const Outcome wrong = run_orch(workspace, {"policy", "try", "none.json", "7"});
  CHECK(wrong.code == 2);
  CHECK(holds(wrong.err, "write none, all or a file"));
  CHECK(run_orch(workspace, {"policy", "try", "all", "8"}).code == 4);

  const Outcome logs = run_orch(workspace, {"logs", "7"});
  CHECK(holds(logs.out, "orch: allowed by policy:all, "));
  CHECK(holds(logs.out, " ms  shell: touch made"));
  CHECK(holds(logs.out, "orch: denied by denylist:publish, "));
  const std::string page = workspace.file("page.html");
  REQUIRE(run_orch(workspace, {"report", "7", "-o", page}).code == 0);
  CHECK(holds(content_of(page), "denied by rule:never, "));
  CHECK(holds(content_of(page), "allowed by policy:all, "));
}

TEST_CASE("in a place made for the agent only what reaches out of it is denied") {
  const Checked checked("begin; call 1 '" + std::string(kUndecided) +
                        "'; call 2 'touch bad; git push --force'; end\n");
  Words words = checked.words({"--approve", "all"});
  *std::find(words.begin(), words.end(), "none") = "external";
  const Outcome outcome = Program(checked.workspace.orch(words)).finish();
  const RunFolder folder = check_ending(checked.workspace, outcome, "idle", 0);
  CHECK(checked.made("asked"));
  CHECK_FALSE(checked.made("bad"));
  CHECK(decisions(folder) == Words{"allow policy:all", "deny denylist:force-push"});
  const Outcome tried = Program(checked.workspace.orch({"policy", "try", "all", "7"})).finish();
  CHECK(holds(tried.out, "2 calls, 0 decided differently"));
}

TEST_CASE("without a policy nothing is checked") {
  const Checked checked("echo \"$CHECK\" > check; end\n");
  const RunFolder folder = check_ending(checked.workspace, checked.run(), "idle", 0);
  CHECK(checked.text("check") == "\n");
  CHECK(folder.result.at("calls").is_null());
}

TEST_CASE("--check-calls has orch ask about each call, though no policy decides") {
  const std::string script = "begin; call 1 'touch made'; call 2 'rm -rf /'; end\n";
  SECTION("nobody is there") {
    const Checked checked(script);
    const Outcome outcome = checked.run({"--check-calls"});
    check_ending(checked.workspace, outcome, "needs_human", 10);
    CHECK(holds(outcome.err, "touch made"));
    CHECK_FALSE(checked.made("made"));
  }
  SECTION("somebody answers, also after a retry") {
    const Checked checked(script);
    const Workspace& workspace = checked.workspace;
    REQUIRE(checked.run({"--check-calls", "-d"}).code == 0);
    for (const char* answer : {"yes", "no"}) {
      REQUIRE(run_orch(workspace, {"wait", "7", "--until", "waiting", "--timeout", "60s"}).code ==
              0);
      CHECK(run_orch(workspace, {"answer", "7", answer}).code == 0);
    }
    CHECK(run_orch(workspace, {"wait", "7", "--until", "exited", "--timeout", "60s"}).code == 0);
    CHECK(checked.made("made"));
    const RunFolder folder = workspace.run_of();
    CHECK(folder.result.at("calls") == Json{{"decided", 2}, {"denied", 1}, {"asked", 2}});
    CHECK(folder.record.at("request").at("check_calls") == true);
    const Words told = decisions(folder);
    REQUIRE(told.size() == 4);
    CHECK(told[1] == "allow user");
    CHECK(told[3] == "deny user");
  }
}

TEST_CASE("--check-calls is refused where no hook could tell the calls") {
  const Workspace workspace;
  const auto refused = [&workspace](Words words, const std::string& why) {
    words.insert(words.begin(), {"run", "7", "-p", "x", "--check-calls"});
    const Outcome outcome = run_orch(workspace, words);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(lines_of(outcome.err).size() == 1);
    CHECK(holds(outcome.err, why));
  };
  refused({"--agent", "claude", "--no-hooks"}, "--no-hooks leaves out the hook");
  refused({"--agent", "cursor"}, "agent cursor has no hook that reports its calls");
}

TEST_CASE(
    "a call that no policy decides ends a run with nobody there, and waits for an answer where "
    "there is") {
  const std::string call = std::string("begin; call 1 '") + kUndecided + "'; end\n";
  SECTION("nobody") {
    const Checked checked(call);
    const Outcome outcome = checked.run_by_policy();
    check_ending(checked.workspace, outcome, "needs_human", 10);
    CHECK(holds(outcome.err, kUndecided));
    CHECK_FALSE(checked.made("asked"));
  }
  SECTION("somebody says yes, or no") {
    const std::string answer = GENERATE("yes", "no");
    const Checked checked(call);
    const Workspace& workspace = checked.workspace;
    REQUIRE(checked.run_by_policy({"-d"}).code == 0);
    REQUIRE(run_orch(workspace, {"wait", "7", "--until", "waiting", "--timeout", "60s"}).code == 0);
    const std::string socket = lines_of(checked.text("socket")).front();
    const Outcome stranger = run_orch(workspace, {"internal", "check-call", socket});
    CHECK(stranger.code == 2);
    CHECK(holds(stranger.err, "not of the session's run"));
    const Outcome answered = run_orch(workspace, {"answer", "7", answer});
    INFO(answered.err);
    CHECK(answered.code == 0);
    CHECK(run_orch(workspace, {"wait", "7", "--until", "exited", "--timeout", "60s"}).code == 0);
    CHECK(checked.made("asked") == (answer == "yes"));
    CHECK(decisions(workspace.run_of()) ==
          Words{"asked denylist:unreadable",
                (answer == "yes" ? "allow" : "deny") + std::string(" user")});
  }
}

TEST_CASE("a check that is not in force ends the run") {
  const auto ends = [](const std::string& script, const std::string& why, bool unread = true) {
    const Checked checked(script);
    // A question lasts longer than any script here: it is never its own end that ends the run.
    const Outcome outcome = checked.run_by_policy({"--ask-timeout", "1m"});
    const RunFolder folder =
        check_ending(checked.workspace, outcome, unread ? "calls_unread" : "idle", unread ? 10 : 0);
    INFO(folder.result.at("detail"));
    CHECK(holds(folder.result.at("detail").get<std::string>(), why));
  };
  SECTION("its hooks never run") {
    ends("echo '{\"type\":\"say\",\"text\":\"x\"}'; sleep 60; end\n", "switches its hooks off");
  }
  SECTION("what it tells is not understood") {
    ends("begin; hook nonsense; sleep 30; end\n", "does not understand");
  }
  SECTION("its output tells of a call that no hook told") {
    ends(
        "begin; echo '{\"type\":\"tool\",\"id\":\"9\",\"name\":\"shell\",\"input\":{}}'; "
        "echo '{\"type\":\"result\",\"id\":\"9\",\"text\":\"\"}'; sleep 30; end\n",
        "a call of shell ran without a report before");
  }
  SECTION("another input ran than was read") {
    ends(
        "begin; call 1 'touch a'; hook "
        "'{\"event\":\"ran\",\"id\":\"1\",\"tool\":\"shell\",\"input\":{\"command\":\"touch "
        "b\"}}'; "
        "sleep 30; end\n",
        "with another input");
  }
  SECTION("a hook is killed before its call is decided") {
    ends("begin; (call 1 '" + std::string(kUndecided) +
             "') & sleep 2; for p in /proc/[0-9]*; do if tr '\\0' ' ' < $p/cmdline | grep -qF "
             "\"$SOCKET\"; then kill -9 ${p#/proc/}; fi; done 2>/dev/null; sleep 30; end\n",
         "has gone before it was decided", true);
  }
  SECTION("a call that was denied runs all the same") {
    ends(
        "begin; call 1 'touch a; never-run'; echo "
        "'{\"type\":\"tool\",\"id\":\"1\",\"name\":\"shell\",\"input\":{}}'; "
        "echo '{\"type\":\"result\",\"id\":\"1\",\"text\":\"\"}'; sleep 30; end\n",
        "that was denied");
  }
  SECTION("an output that tells what was told") {
    ends(
        "begin; call 1 'touch a'; echo "
        "'{\"type\":\"tool\",\"id\":\"1\",\"name\":\"shell\",\"input\":{}}'; "
        "echo '{\"type\":\"result\",\"id\":\"1\",\"text\":\"\"}'; end\n",
        "", false);
  }
}

TEST_CASE("an agent that ends while its call waits does not end well, and the call does not run") {
  const Checked checked("begin; (call 1 '" + std::string(kUndecided) + "') & sleep 1; kill -9 0\n");
  // Without a limit of its own the run would end a second after the question.
  const Outcome outcome = checked.run_by_policy({"--ask-timeout", "1m"});
  // Whichever is seen first: the hook that has gone, or the agent's end.
  INFO(outcome.err);
  CHECK((outcome.code == 10 || outcome.code == 137));
  CHECK_FALSE(checked.made("asked"));
}

TEST_CASE("with --calls-unread dialogs a run goes on whose calls cannot be read") {
  const Checked checked("begin; hook nonsense; end\n");
  check_ending(checked.workspace, checked.run_by_policy({"--calls-unread", "dialogs"}), "idle", 0);
}

TEST_CASE("a hook that does not reach its session refuses") {
  const Workspace workspace;
  const Outcome outcome =
      run_orch(workspace, {"internal", "check-call", workspace.file("none.sock")});
  CHECK(outcome.code == 2);
  CHECK(outcome.err.starts_with("orch has not read this call: "));
  CHECK(run_orch(workspace, {"internal", "check-call"}).code == 2);
}

TEST_CASE("a hook refuses when nobody has decided for so long that its agent would not wait on") {
  const Workspace workspace;
  const std::string path = workspace.file("deaf.sock");
  const int listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  REQUIRE(::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(listening, 1) == 0);
  const Outcome outcome = run_orch(workspace, {"internal", "check-call", "--wait", "200", path});
  ::close(listening);
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "nobody has decided it"));
}

TEST_CASE("a hook that is stopped holds its call, and the run ends by its own time") {
  const Checked checked(
      "begin; (printf '%s' "
      "'{\"event\":\"call\",\"id\":\"1\",\"tool\":\"shell\",\"input\":{\"command\":\"touch "
      "late\"}}' | "
      "sh -c \"kill -STOP \\$\\$; $CHECK\" && touch late) & wait; end\n");
  const Outcome outcome = checked.run_by_policy({"--timeout", "4s"});
  check_ending(checked.workspace, outcome, "timeout", 124);
  CHECK_FALSE(checked.made("late"));
}

TEST_CASE("a call of more than 1 MB is refused") {
  const Checked checked(
      "begin; "
      "{ printf '{\"event\":\"call\",\"id\":\"2\",\"tool\":\"shell\",\"input\":{\"command\":\"'; "
      "head -c 1200000 /dev/zero | tr '\\0' x; printf '\"}}'; } | sh -c \"$CHECK\" 2>> errors; "
      "echo $? > big-code; end\n");
  check_ending(checked.workspace, checked.run_by_policy(), "idle", 0);
  CHECK(checked.text("big-code") == "2\n");
  CHECK(holds(checked.text("errors"), "larger than 1 MB"));
}

TEST_CASE("a policy and --no-hooks exclude each other") {
  const Workspace workspace;
  const Outcome outcome = run_orch(
      workspace, {"run", "7", "-p", "x", "--agent", "claude", "--approve", "all", "--no-hooks"});
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "--no-hooks"));
  CHECK(lines_of(outcome.err).size() == 1);
}
