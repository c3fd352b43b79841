// Several agents with names that send each other messages through orch.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "skipped.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

// A project with a crew of demo agents that answer with what they were told. The destructor ends
// it.
class Crew {
 public:
  explicit Crew(const std::string& agents, const std::string& flow = "") {
    workspace.write("project/crew.yaml",
                    "version: 1\nproject: shop\nagents:\n" + agents + "\n" + flow);
  }
  ~Crew() { orch({"crew", "down", "--now"}); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  Launch launch(Words words) const {
    Launch launch = workspace.orch(std::move(words));
    launch.env.emplace_back("ORCH_DEMO_SCENARIO=echo");
    for (std::string& entry : launch.env) {
      if (entry.starts_with("PATH=")) entry.insert(5, workspace.file("bin") + ":");
    }
    return launch;
  }
  // Puts a program in front of the real one of this name on the PATH.
  void fake(const std::string& name, const std::string& script) const {
    const std::string path = workspace.write("bin/" + name, "#!/bin/sh\n" + script);
    fs::permissions(path, fs::perms::owner_all);
  }
  // The pid of the process that hangs, which wrote it into this file.
  pid_t hanging(const std::string& name) const {
    return static_cast<pid_t>(std::atoi(content_of(workspace.file(name)).c_str()));
  }
  pid_t host() const { return static_cast<pid_t>(status().at("members")[0].at("pid").get<long>()); }
  long runs_of(const std::string& agent) const {
    long count = 0;
    for (const auto& run : fs::directory_iterator(workspace.state() + "/runs")) {
      count += holds(run.path().filename().string(), "crew-shop-" + agent) ? 1 : 0;
    }
    return count;
  }
  Outcome orch(Words words, const std::string& input = "") const {
    Launch started = launch(std::move(words));
    started.input = input;
    return Program(started).finish();
  }
  void up() const {
    const Outcome outcome = orch({"crew", "up"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
  }
  Json status() const { return Json::parse(orch({"crew", "status", "--json"}).out); }
  std::string status_of(const std::string& agent) const {
    const Json told = status();
    for (const Json& one : told.at("members")) {
      if (one.at("member") != agent) continue;
      return one.at("status").is_null() ? one.at("life") : one.at("status");
    }
    return "none";
  }
  bool becomes(const std::string& agent, const std::string& wanted) const {
    const auto until = Clock::now() + kPatience;
    while (Clock::now() < until) {
      // Returns at once, since the status may change again.
      if (status_of(agent) == wanted) return true;
      ::usleep(50'000);
    }
    return false;
  }
  // How often a message with these words reached an agent.
  long arrivals(std::string_view words) const {
    const auto all = workspace.messages();
    return std::count_if(all.begin(), all.end(),
                         [words](const std::string& it) { return holds(it, words); });
  }
  bool arrives(std::string_view words) const {
    const auto until = Clock::now() + kPatience;
    while (arrivals(words) == 0 && Clock::now() < until) ::usleep(50'000);
    if (arrivals(words) == 1) return true;
    tell_state();
    return false;
  }
  // Prints what is known of the members, for a test that fails.
  void tell_state() const {
    std::string told = orch({"crew", "status", "--json"}).out;
    for (const auto& run : fs::directory_iterator(workspace.state() + "/runs")) {
      for (const char* file : {"/events.jsonl", "/orch.log", "/output.cast"}) {
        const std::string path = run.path().string() + file;
        told.append("\n").append(path).append(":\n").append(content_of(path));
      }
    }
    UNSCOPED_INFO(told);
  }
  std::vector<Json> events_of(const std::string& agent) const {
    for (const auto& run : fs::directory_iterator(workspace.state() + "/runs")) {
      if (!holds(run.path().filename().string(), "crew-shop-" + agent)) continue;
      return json_lines(content_of(run.path().string() + "/events.jsonl"));
    }
    return {};
  }
  // Makes an agent of this name run a script, in which $ORCH is orch. It has the demo agent's
  // manifest.
  void script(const std::string& name, const std::string& text) const {
    Json manifest = Json::parse(content_of(ORCH_SOURCE_DIR "/src/adapters/manifests/demo.json"));
    manifest["name"] = name;
    manifest["program"] = {"sh",
                           workspace.write("script-" + name, "ORCH=" ORCH_PROGRAM "\n" + text)};
    workspace.write("home/.config/orch/adapters/" + name + ".json", manifest.dump());
  }
  bool comes(const std::string& name) const {
    const auto until = Clock::now() + kPatience;
    while (!fs::exists(workspace.file(name)) && Clock::now() < until) ::usleep(50'000);
    return fs::exists(workspace.file(name));
  }

  const Workspace workspace;
};

const std::string kTwo =
    "  - {name: a, role: first, cli: demo, prompt: \"role of a\"}\n"
    "  - {name: b, cli: demo, prompt: \"role of b\"}\n";

// A shell command that waits until the crew answers.
const std::string kUntilUp =
    "until $ORCH crew status --json 2>/dev/null | grep -q '\"idle\"'; do sleep 0.1; done\n";

}  // namespace

TEST_CASE("a crew comes up, hears each nudge once, begins anew where it is told, and goes down") {
  const Crew crew(kTwo);
  const Outcome up = crew.orch({"crew", "up"});
  INFO(up.err);
  REQUIRE(up.code == 0);
  CHECK(up.out == "a\nb\n");
  CHECK(crew.arrives("role of a"));
  CHECK(crew.arrives("role of b"));
  CHECK(crew.orch({"crew", "nudge", "a", "one; $(touch owned) `id` ../.."}).code == 0);
  CHECK(crew.orch({"crew", "nudge", "b", "-"}, "two\x1b[2J\x07!").code == 0);
  CHECK(crew.orch({"crew", "nudge", "b", "three", "--no-wait"}).code == 0);
  CHECK(crew.arrives("three"));
  const auto all = crew.workspace.messages();
  CHECK(std::count(all.begin(), all.end(), "one; $(touch owned) `id` ../..") == 1);
  CHECK(std::count(all.begin(), all.end(), "two[2J!") == 1);
  CHECK_FALSE(fs::exists(crew.workspace.file("project/owned")));
  CHECK(crew.becomes("a", "idle"));

  const Json status = crew.status();
  CHECK(status.at("manager_session").get<std::string>().starts_with("crew-shop@"));
  CHECK(status.at("members")[0].at("role") == "first");
  const long pid_a = status.at("members")[0].at("pid"), pid_b = status.at("members")[1].at("pid");
  CHECK(pid_a == pid_b);  // both have the same host

  const Outcome reset = crew.orch({"crew", "reset", "a"});
  INFO(reset.err);
  CHECK(reset.code == 0);
  const auto until = Clock::now() + kPatience;
  while (crew.arrivals("role of a") < 2 && Clock::now() < until) ::usleep(50'000);
  CHECK(crew.arrivals("role of a") == 2);

  CHECK(crew.orch({"crew", "nudge", "a", std::string(1 << 20, 'x').substr(0, 100'000)}).code == 2);
  const Outcome huge = crew.orch({"crew", "nudge", "a", "-"}, std::string(1 << 20, 'x'));
  CHECK(huge.code == 2);
  CHECK(holds(huge.err, "at most 64 KB can be sent"));
  CHECK(crew.orch({"crew", "nudge", "../a", "x"}).code == 4);
  CHECK(crew.orch({"crew", "nudge", "a", "/quit"}).code == 2);  // would_be_command
  CHECK(crew.orch({"crew", "inbox", "../../x", "text"}).code == 4);

  const std::string run = crew.status().at("members")[0].at("run");
  const Outcome down = crew.orch({"crew", "down"});
  INFO(down.err);
  CHECK(down.code == 0);
  CHECK(lines_of(crew.orch({"sessions", "--json"}).out) == std::vector<std::string>{"[]"});
  CHECK(living_with_mark(run).empty());
  CHECK(ends(static_cast<pid_t>(pid_a)));
  CHECK(crew.orch({"crew", "status"}).code == 4);
  CHECK(crew.orch({"crew", "nudge", "a", "x"}).code == 4);
  bool by_user = false, by_run = false;
  for (const Json& event : crew.events_of("b")) {
    if (event.value("event", "") != "message" || event.at("phase") != "queued") continue;
    by_user |= event.at("from") == "user";
    by_run |= event.at("from") == "run";
  }
  CHECK(by_user);
  CHECK(by_run);
}

TEST_CASE("an agent of a crew speaks under its own name, and may do nothing else") {
  const Crew crew(
      "  - {name: sender, cli: scripted}\n"
      "  - {name: b, cli: demo, prompt: \"role of b\"}\n");
  crew.script("scripted", kUntilUp + R"(
    exec 2>../said
    $ORCH crew send --to b "mail of mine"; echo $? >&2
    $ORCH crew send --to b --from sender "mail under my name"; echo $? >&2
    $ORCH crew nudge b "/nudge of mine" --no-wait; echo $? >&2
    for from in b user run; do $ORCH crew send --to b --from $from forged; echo $? >&2; done
    ORCH_RUN= ORCH_RUNS= setsid $ORCH crew send --to b --from user forged; echo $? >&2
    env -i PATH=$PATH HOME=$HOME ORCH_STATE_DIR=$ORCH_STATE_DIR $ORCH send crew-shop-b forged
    echo $? >&2
    for words in 'crew reset b' 'crew down' 'send crew-shop-b forged' 'kill crew-shop-b' \
        'keys crew-shop-b Enter'; do
      $ORCH $words >&2; echo $? >&2
    done
    : >../done
    sleep 1000
  )");
  crew.up();
  REQUIRE(crew.comes("done"));
  const std::string said = content_of(crew.workspace.file("said"));
  INFO(said);
  CHECK(crew.arrives("[from sender] You have mail in .crew/inbox/b.md: mail of mine"));
  CHECK(crew.arrives("[from sender] You have mail in .crew/inbox/b.md: mail under my name"));
  CHECK(crew.arrives("[from sender] /nudge of mine"));
  CHECK(crew.arrivals("forged") == 0);
  CHECK(crew.status_of("b") != "none");
  std::vector<std::string> codes;
  int refused = 0;
  for (const std::string& line : lines_of(said)) {
    if (line.size() == 1) codes.push_back(line);
    if (holds(line, "refused")) ++refused;
  }
  CHECK(codes ==
        std::vector<std::string>{"0", "0", "0", "2", "2", "2", "2", "2", "2", "2", "2", "2", "2"});
  CHECK(refused == 10);
  const std::string inbox = content_of(crew.workspace.file("project/.crew/inbox/b.md"));
  CHECK(holds(inbox, " from sender\n\n> mail of mine\n"));
  CHECK_FALSE(holds(inbox, "forged"));
  bool from_sender = false;
  for (const Json& event : crew.events_of("b")) {
    from_sender |= event.value("event", "") == "message" && event.value("from", "") == "sender";
  }
  CHECK(from_sender);
}

TEST_CASE("an orphan of an agent is told apart from a person, whatever it clears") {
  const Crew crew(
      "  - {name: sender, cli: scripted}\n"
      "  - {name: b, cli: demo, prompt: \"role of b\"}\n");
  crew.script("scripted", kUntilUp + R"(
    HELP="env -i PATH=$PATH HOME=$HOME ORCH_STATE_DIR=$ORCH_STATE_DIR $ORCH"
    (setsid sh -c "(setsid sh -c '$HELP crew send --to b --from b forged 2>../said; : >../done' &) &" &)
    sleep 1000
  )");
  crew.up();
  REQUIRE(crew.comes("done"));
  const std::string said = content_of(crew.workspace.file("said"));
  INFO(said);
  CHECK(holds(said, "refused: "));
  CHECK(crew.arrivals("forged") == 0);
}

TEST_CASE("nothing is typed into a program that an agent has put in front of itself") {
  const Crew crew(
      "  - {name: a, cli: scripted}\n"
      "  - {name: b, cli: demo, prompt: \"role of b\"}\n");
  crew.script("scripted", "set -m\n(: >../done; exec cat >../typed)\n");
  crew.up();
  REQUIRE(crew.comes("done"));
  REQUIRE(crew.comes("typed"));
  Outcome nudged;
  const auto until = Clock::now() + kPatience;
  do {  // the shell makes the program the foreground process a moment after its start
    nudged = crew.orch({"crew", "nudge", "a", "rm -rf x", "--timeout", "1s"});
  } while (nudged.code == 124 && Clock::now() < until);
  INFO(nudged.err);
  CHECK(nudged.code == 2);
  CHECK(holds(nudged.err, "agent a is not active: another program has its terminal"));
  CHECK(content_of(crew.workspace.file("typed")).empty());
}

TEST_CASE("whose host was killed comes back in the same conversation, and missing agents alone") {
  const Crew crew(kTwo);
  crew.up();
  REQUIRE(crew.arrives("role of a"));
  REQUIRE(crew.arrives("role of b"));
  REQUIRE(crew.becomes("a", "idle"));
  REQUIRE(crew.becomes("b", "idle"));
  const Json before = crew.status();
  const auto host = static_cast<pid_t>(before.at("members")[0].at("pid").get<long>());
  REQUIRE(::kill(host, SIGKILL) == 0);
  REQUIRE(ends(host));
  const auto until = Clock::now() + kPatience;
  while (crew.status_of("a") == "idle" && Clock::now() < until) ::usleep(50'000);
  Outcome up;
  do {  // a wrong option must not make the crew forget its agents
    up = crew.orch({"crew", "up", "--approve", "nosuch.json"});
  } while (!holds(up.err, "nosuch.json") && Clock::now() < until);
  INFO(up.err);
  CHECK(up.code == 2);
  do {  // the guardian of the old host may still be working
    up = crew.orch({"crew", "up"});
  } while (up.code != 0 && Clock::now() < until);
  INFO(up.err);
  CHECK(up.code == 0);
  REQUIRE(crew.becomes("a", "idle"));
  CHECK(crew.orch({"crew", "nudge", "a", "are you back?"}).code == 0);
  CHECK(crew.arrivals("are you back?") == 1);
  CHECK(crew.arrivals("role of a") == 1);  // its old conversation goes on
  const Json record =
      Json::parse(crew.orch({"show", crew.status().at("members")[0].at("run"), "--json"}).out);
  CHECK(record.at("parent") == before.at("members")[0].at("run"));

  REQUIRE(crew.orch({"kill", "crew-shop-b"}).code == 0);
  CHECK(crew.status_of("b") == "stopped");
  const Outcome again = crew.orch({"crew", "up"});
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK(again.out == "b\n");
  CHECK(crew.becomes("b", "idle"));
  CHECK(crew.status().at("members")[0].at("pid") == crew.status().at("members")[1].at("pid"));
}

TEST_CASE("who starts an agent whose program hangs at its version holds up no other agent") {
  const Crew crew(
      "  - {name: a, cli: demo, prompt: \"role of a\"}\n"
      "  - {name: b, cli: slow, prompt: \"role of b\"}\n");
  crew.script("slow", "exec $ORCH demo-agent --scenario echo");
  const std::string asked = crew.workspace.file("asked");
  const std::string hang = crew.workspace.write(
      "version", "[ -e " + crew.workspace.file("hangs") + " ] || { echo 1.2.3; exit; }\ntouch " +
                     asked + "\nexec sleep 1000\n");
  const std::string file = "home/.config/orch/adapters/slow.json";
  Json manifest = Json::parse(content_of(crew.workspace.file(file)));
  manifest["version"] = {hang};
  crew.workspace.write(file, manifest.dump());
  crew.up();
  REQUIRE(crew.becomes("a", "idle"));
  REQUIRE(crew.orch({"kill", "crew-shop-b"}).code == 0);
  crew.workspace.write("hangs", "");
  fs::remove_all(crew.workspace.file("home/.cache"));  // the cached versions
  Program up(crew.launch({"crew", "up"}));
  REQUIRE(crew.comes("asked"));
  CHECK(crew.orch({"crew", "nudge", "a", "are you there?"}).code == 0);
  CHECK(crew.status_of("b") == "queued");  // its program has not answered yet
  const Outcome outcome = up.finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "b\n");
}

namespace {

// A crew in which member a works and reports when it is asked to leave; b does not run, and its
// program hangs when the host asks it for its version.
class HangingVersion {
 public:
  HangingVersion()
      : crew(
            "  - {name: a, cli: polite}\n"
            "  - {name: b, cli: slow, prompt: \"role of b\"}\n") {
    crew.script("polite",
                "trap 'sleep 0.5; : >../left; exit' TERM\n: >../up\n"
                "while :; do sleep 0.1; done\n");
    crew.script("slow", "exec $ORCH demo-agent --scenario echo");
    const std::string version = crew.workspace.write(
        "version", "cd " + crew.workspace.file("") +
                       "\n[ \"$(cat hangs 2>/dev/null)\" = $PPID ] || { echo 1.2.3; exit; }\n"
                       "echo $$ >asked.new; mv asked.new asked\nexec sleep 1000\n");
    const std::string file = "home/.config/orch/adapters/slow.json";
    Json manifest = Json::parse(content_of(crew.workspace.file(file)));
    manifest["version"] = {version};
    crew.workspace.write(file, manifest.dump());
    crew.workspace.write("home/.cache", "no folder: no version can be kept");
  }

  const Crew crew;
};

// A crew ends within 10 s; this leaves some room for a busy machine.
constexpr std::chrono::seconds kLongest{15};

}  // namespace

TEST_CASE("a signal is counted once while a member's program hangs, and ends the crew politely") {
  const HangingVersion scene;
  const Crew& crew = scene.crew;
  crew.up();
  REQUIRE(crew.comes("up"));
  const pid_t host = crew.host();
  REQUIRE(crew.orch({"kill", "crew-shop-b"}).code == 0);
  const long before = crew.runs_of("b");
  crew.workspace.write("hangs", std::to_string(host));
  Program up(crew.launch({"crew", "up"}));
  REQUIRE(crew.comes("asked"));
  const auto since = Clock::now();
  REQUIRE(::kill(host, SIGTERM) == 0);
  CHECK(ends(host));
  CHECK(Clock::now() - since < kLongest);
  CHECK(fs::exists(crew.workspace.file("left")));
  CHECK(ends(crew.hanging("asked")));
  const Outcome outcome = up.finish();
  CHECK(outcome.code != 0);
  CHECK(outcome.out.empty());
  CHECK(crew.runs_of("b") == before);
  CHECK(lines_of(crew.orch({"sessions", "--json"}).out) == std::vector<std::string>{"[]"});
}

TEST_CASE("a crew goes down whatever an agent has made of its state") {
  const Crew crew(kTwo);
  crew.up();
  const std::string state = crew.workspace.project() + "/.crew/state.json";
  int code = 0;
  SECTION("no JSON") {
    crew.workspace.write("project/.crew/state.json", "{\"version\": 1, \"agents\": [\x1b[2J");
    code = 2;
  }
  SECTION("a link") {
    fs::remove(state);
    fs::create_symlink("/etc/passwd", state);
    code = 2;
  }
  SECTION("a folder") {
    fs::remove(state);
    fs::create_directories(state + "/x");
    code = 2;
  }
  SECTION("nothing at all") { fs::remove_all(crew.workspace.project() + "/.crew"); }
  SECTION("another project") {
    Json json = Json::parse(content_of(state));
    json["project"] = "other";
    for (Json& agent : json["agents"]) {
      agent["session"] = "orch-crew-other-" + agent["name"].get<std::string>() + "@00000000";
    }
    crew.workspace.write("project/.crew/state.json", json.dump());
  }
  SECTION("an agent that hides") {
    Json json = Json::parse(content_of(state));
    json["agents"].erase(1);
    crew.workspace.write("project/.crew/state.json", json.dump());
  }
  const Outcome down = crew.orch({"crew", "down", "--now"});
  INFO(down.err);
  if (code == 0) {
    CHECK(down.code == 0);
  } else {
    CHECK(down.code != 0);
    CHECK(holds(down.err, "sessions here are ended all the same"));
    CHECK_FALSE(holds(down.err, "\x1b"));
  }
  CHECK(fs::is_empty(crew.workspace.state() + "/sessions"));
  for (const auto& run : fs::directory_iterator(crew.workspace.state() + "/runs")) {
    CHECK(living_with_mark(run.path().filename().string()).empty());
  }
}

TEST_CASE("a crew whose first members are being asked for their versions can be taken down") {
  const Crew crew(
      "  - {name: a, cli: slow, prompt: \"role of a\"}\n"
      "  - {name: b, cli: demo, prompt: \"role of b\"}\n");
  crew.script("slow", "exec $ORCH demo-agent --scenario echo");
  const std::string version = crew.workspace.write(
      "version", "cd " + crew.workspace.file("") +
                     "\necho $$ >asked.new; mv asked.new asked\nexec sleep 1000\n");
  const std::string file = "home/.config/orch/adapters/slow.json";
  Json manifest = Json::parse(content_of(crew.workspace.file(file)));
  manifest["version"] = {version};
  crew.workspace.write(file, manifest.dump());
  Program up(crew.launch({"crew", "up"}));
  REQUIRE(crew.comes("asked"));
  CHECK(crew.status_of("a") == "queued");
  CHECK(crew.arrives("role of b"));  // b does not wait for a
  const Outcome down = crew.orch({"crew", "down"});
  INFO(down.err);
  CHECK(down.code == 0);
  const Outcome outcome = up.finish();
  INFO(outcome.err);
  CHECK(holds(outcome.err, "agent a: not started: orch kill took it out of the queue"));
  CHECK(outcome.code == 2);
  CHECK(outcome.out == "b\n");
  CHECK(crew.runs_of("a") == 0);
  CHECK(ends(crew.hanging("asked")));
  CHECK(lines_of(crew.orch({"sessions", "--json"}).out) == std::vector<std::string>{"[]"});
}

namespace {

// A crew of two, in which b gets a worktree. If the file `git-hangs` is in .git, git makes no
// worktree before there is a file `git-goes-on`.
class SlowGit {
 public:
  SlowGit()
      : crew(
            "  - {name: a, cli: demo, prompt: \"role of a\"}\n"
            "  - {name: b, cli: demo, worktree: true, prompt: \"role of b\"}\n") {
    crew.fake("git", "cd_to=" + crew.workspace.file("") +
                         "\ncase \" $* \" in *' worktree add '*)\n"
                         "  if [ -e $cd_to/project/.git/git-hangs ]; then\n"
                         "    echo $$ >$cd_to/project/.git/git.new; mv $cd_to/project/.git/git.new "
                         "$cd_to/project/.git/git-pid\n"
                         "    until [ -e $cd_to/project/.git/git-goes-on ]; do sleep 0.05; done\n"
                         "  fi;;\nesac\nPATH=${PATH#*:} exec git \"$@\"\n");
    Launch launch = crew.workspace.orch({});
    launch.argv = {"/bin/sh", "-ec",
                   "git init -q -b main .; git config user.email a@b; git config user.name a; "
                   "git add crew.yaml; git commit -qm first"};
    REQUIRE(Program(launch).finish().code == 0);
    crew.up();
    REQUIRE(crew.arrives("role of a"));
    REQUIRE(crew.arrives("role of b"));
    REQUIRE(crew.becomes("a", "idle"));
    REQUIRE(crew.orch({"kill", "crew-shop-b"}).code == 0);
    Launch clean = crew.workspace.orch({});
    clean.argv = {
        "/bin/sh", "-ec",
        "git worktree remove --force " + worktree() + "; git branch -q -D orch/crew-shop-b"};
    clean.env = crew.launch({}).env;
    Program(clean).finish();
    REQUIRE_FALSE(fs::exists(worktree()));
    crew.workspace.write("project/.git/git-hangs", "");
  }
  std::string worktree() const {
    return fs::canonical(crew.workspace.project()).string() + ".orch/crew-shop-b";
  }
  bool stands_at_git() const { return crew.comes("project/.git/git-pid"); }

  const Crew crew;
};

}  // namespace

TEST_CASE("while git hangs for a member's worktree the others are heard, and the crew goes down") {
  const SlowGit scene;
  const Crew& crew = scene.crew;
  const pid_t host = crew.host();
  Program up(crew.launch({"crew", "up"}));
  REQUIRE(scene.stands_at_git());
  CHECK(crew.orch({"crew", "nudge", "a", "are you there?", "--timeout", "5s"}).code == 0);
  CHECK(crew.status_of("b") == "queued");
  const auto since = Clock::now();
  const Outcome down = crew.orch({"crew", "down"});
  INFO(down.err);
  CHECK(down.code == 0);
  CHECK(ends(host));
  CHECK(Clock::now() - since < kLongest);
  CHECK(ends(crew.hanging("project/.git/git-pid")));
  CHECK(up.finish().code != 0);
  CHECK_FALSE(fs::exists(scene.worktree()));
  CHECK(lines_of(crew.orch({"sessions", "--json"}).out) == std::vector<std::string>{"[]"});
}

TEST_CASE("a member that is taken out of the queue leaves no worktree that git makes late") {
  const SlowGit scene;
  const Crew& crew = scene.crew;
  Program up(crew.launch({"crew", "up"}));
  REQUIRE(scene.stands_at_git());
  REQUIRE(crew.orch({"kill", "crew-shop-b"}).code == 0);
  const Outcome outcome = up.finish();
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "agent b: not started: orch kill took it out of the queue"));
  crew.workspace.write("project/.git/git-goes-on", "");
  CHECK(ends(crew.hanging("project/.git/git-pid")));
  // When b can be started again, its old start has ended with all that belongs to it.
  Outcome again;
  const auto until = Clock::now() + kPatience;
  fs::remove(crew.workspace.file("project/.git/git-hangs"));
  do {
    again = crew.orch({"crew", "up"});
  } while (again.code != 0 && Clock::now() < until);
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK(crew.becomes("b", "idle"));
  CHECK(fs::exists(scene.worktree()));
}

TEST_CASE("while tmux hangs for a member's pane the others are heard, and it is said who hangs") {
  if (!fs::exists("/usr/bin/tmux")) return orch::say_skipped("tmux is not installed");
  const Crew crew(kTwo);
  const std::string hangs = crew.workspace.file("tmux-hangs");
  crew.fake("tmux", "if [ -e " + hangs + " ]; then echo $$ >" + hangs + ".new; mv " + hangs +
                        ".new " + crew.workspace.file("tmux-pid") +
                        "; exec sleep 1000; fi\nexec /usr/bin/tmux \"$@\"\n");
  const auto orch_in_tmux = [&crew](Words words) {
    Launch launch = crew.launch(std::move(words));
    launch.env.push_back("TMUX_TMPDIR=" + crew.workspace.file(""));
    return launch;
  };
  const Outcome first = Program(orch_in_tmux({"crew", "up", "--session-manager", "tmux"})).finish();
  INFO(first.err);
  REQUIRE(first.code == 0);
  INFO(content_of(crew.workspace.file("project/.messages")));
  REQUIRE(crew.arrives("role of a"));
  REQUIRE(crew.becomes("a", "idle"));
  REQUIRE(crew.orch({"kill", "crew-shop-b"}).code == 0);
  const long before = crew.runs_of("b");
  crew.workspace.write("tmux-hangs", "");
  Program up(orch_in_tmux({"crew", "up"}));
  REQUIRE(crew.comes("tmux-pid"));
  CHECK(crew.orch({"crew", "nudge", "a", "are you there?", "--timeout", "4s"}).code == 0);
  const Outcome outcome = up.finish();
  INFO(outcome.err);
  CHECK(outcome.code != 0);
  CHECK(holds(outcome.err, "agent b: "));
  CHECK(holds(outcome.err, "tmux -L orch does not answer within 5 s"));
  CHECK(crew.runs_of("b") == before);
  CHECK(ends(crew.hanging("tmux-pid")));
  fs::remove(hangs);
  CHECK(Program(orch_in_tmux({"crew", "up"})).finish().out == "b\n");
  CHECK(crew.becomes("b", "idle"));
  CHECK(Program(orch_in_tmux({"crew", "down"})).finish().code == 0);
}

TEST_CASE("rules hand work over, so often as they may") {
  const Crew crew(kTwo,
                  "flow:\n  max_hops: 3\n  rules:\n"
                  "    - {when: a, says: PING, nudge: b, text: \"PONG it is\"}\n"
                  "    - {when: b, says: PONG, nudge: a, text: \"PING it is\"}\n");
  crew.up();
  REQUIRE(crew.arrives("role of b"));
  REQUIRE(crew.becomes("a", "idle"));
  CHECK(crew.orch({"crew", "nudge", "a", "say PING"}).code == 0);
  const auto until = Clock::now() + kPatience;
  while (crew.arrivals("PONG it is") < 2 && Clock::now() < until) ::usleep(50'000);
  ::sleep(2);
  CHECK(crew.arrivals("[from a] PONG it is") == 2);
  CHECK(crew.arrivals("[from b] PING it is") == 1);
}

TEST_CASE("what lies in .crew is not followed out of it") {
  const Crew crew(kTwo);
  crew.up();
  REQUIRE(crew.becomes("a", "idle"));
  crew.workspace.write("secret", "the secret\n");
  const std::string inbox = crew.workspace.file("project/.crew/inbox/b.md");
  fs::remove(inbox);
  fs::create_symlink(crew.workspace.file("secret"), inbox);
  const Outcome sent = crew.orch({"crew", "send", "--to", "b", "hello"});
  CHECK(sent.code == 2);
  CHECK(holds(sent.err, "is a link"));
  CHECK(content_of(crew.workspace.file("secret")) == "the secret\n");
  CHECK_FALSE(holds(crew.orch({"crew", "inbox", "b"}).out, "secret"));
  fs::remove(inbox);
  CHECK(crew.orch({"crew", "inbox", "b", "hello"}).code == 0);
  CHECK(holds(crew.orch({"crew", "inbox", "b"}).out, " from user\n\n> hello\n"));
}

TEST_CASE("a crew whose folder is removed under it makes it again, and is heard") {
  const Crew crew(kTwo);
  crew.up();
  REQUIRE(crew.becomes("a", "idle"));
  const char* removed = "";
  SECTION("the inboxes") { removed = "/.crew/inbox"; }
  SECTION("the state") { removed = "/.crew/state.json"; }
  SECTION("all") { removed = "/.crew"; }
  fs::remove_all(crew.workspace.project() + removed);
  CHECK(crew.orch({"crew", "status"}).code == 0);
  fs::remove_all(crew.workspace.project() + removed);
  CHECK(crew.orch({"crew", "up"}).code == 0);
  CHECK(crew.orch({"crew", "send", "--to", "b", "still there?"}).code == 0);
  CHECK(crew.arrives("You have mail in .crew/inbox/b.md: still there?"));
  CHECK(crew.orch({"crew", "down"}).code == 0);
}

TEST_CASE("mail and hand-overs that come while an agent is down are told once, when it is back") {
  const Crew crew(kTwo,
                  "flow:\n  rules:\n"
                  "    - {when: a, says: PLAN READY, nudge: b, text: \"carry it out\"}\n");
  crew.up();
  REQUIRE(crew.arrives("role of b"));
  REQUIRE(crew.becomes("a", "idle"));
  REQUIRE(crew.becomes("b", "idle"));
  REQUIRE(crew.orch({"kill", "crew-shop-b"}).code == 0);
  CHECK(crew.orch({"crew", "inbox", "b", "read this first"}).code == 0);
  CHECK(crew.orch({"crew", "nudge", "a", "say PLAN READY"}).code == 0);
  const std::string debts = crew.workspace.state() + "/crews";
  const auto owes = [&] {
    for (const auto& file : fs::directory_iterator(debts)) {
      // Others are on their way into its place.
      if (file.path().extension() != ".json") continue;
      if (holds(content_of(file.path()), "carry it out")) return true;
    }
    return false;
  };
  const auto until = Clock::now() + kPatience;
  while (!(fs::exists(debts) && owes()) && Clock::now() < until) ::usleep(50'000);
  REQUIRE(owes());
  SECTION("in the same host") {}
  SECTION("in another host") {
    const pid_t host = crew.host();
    REQUIRE(::kill(host, SIGKILL) == 0);
    REQUIRE(ends(host));
  }
  crew.up();
  CHECK(crew.arrives("[from a] carry it out"));
  CHECK(crew.arrives("[from orch] You have new mail in .crew/inbox/b.md"));
  REQUIRE(crew.becomes("b", "idle"));
  CHECK_FALSE(owes());
  REQUIRE(crew.orch({"kill", "crew-shop-b"}).code == 0);
  crew.up();
  REQUIRE(crew.becomes("b", "idle"));
  ::sleep(1);
  CHECK(crew.arrivals("carry it out") == 1);
  CHECK(crew.arrivals("You have new mail in") == 1);
}

TEST_CASE("a host that is killed at any step of a hand-over says nothing twice") {
  const Crew crew(kTwo,
                  "flow:\n  rules:\n"
                  "    - {when: a, says: PLAN READY, nudge: b, text: \"carry it out\"}\n");
  Launch slow = crew.launch({"crew", "up"});
  slow.env.emplace_back("ORCH_DEMO_LAG=700");  // between Enter and what shows that it was taken
  REQUIRE(Program(slow).finish().code == 0);
  REQUIRE(crew.becomes("b", "idle"));
  REQUIRE(crew.arrives("role of b"));
  REQUIRE(crew.becomes("b", "idle"));
  const pid_t host = crew.host();
  REQUIRE(crew.orch({"crew", "nudge", "a", "say PLAN READY", "--no-wait"}).code == 0);
  const auto debts = [&] {
    std::string text;
    std::error_code gone;
    for (const auto& file : fs::directory_iterator(crew.workspace.state() + "/crews", gone)) {
      // Others are on their way into its place.
      if (file.path().extension() == ".json") text += content_of(file.path());
    }
    return text;
  };
  const auto has_phase = [&](const std::string& phase) {
    std::string id;
    for (const Json& event : crew.events_of("b")) {
      if (event.value("event", "") != "message") continue;
      if (event.value("from", "") == "a") id = event.at("id");
      if (!id.empty() && event.at("id") == id && event.at("phase") == phase) return true;
    }
    return false;
  };
  const auto wait_for = [](const std::function<bool()>& come) {
    const auto until = Clock::now() + kPatience;
    while (!come() && Clock::now() < until) ::usleep(2'000);
    REQUIRE(come());
  };
  bool may_be_lost = false;
  SECTION("it is owed") {
    wait_for([&] { return holds(debts(), "carry it out"); });
  }
  SECTION("its text was typed") {
    wait_for([&] { return has_phase("sent"); });
  }
  SECTION("Enter is about to be typed") {
    wait_for([&] { return holds(debts(), "\"entered\": \"2"); });
    may_be_lost = true;
  }
  SECTION("the agent has it, and has not shown that") {
    wait_for([&] { return crew.arrivals("[from a] carry it out") == 1; });
  }
  SECTION("it was seen to be taken") {
    wait_for([&] { return has_phase("accepted"); });
  }
  ::kill(host, SIGKILL);
  REQUIRE(ends(host));
  const auto until = Clock::now() + kPatience;
  Outcome up;
  do {  // the guardian of the old host may still be working
    up = crew.orch({"crew", "up"});
  } while (up.code != 0 && Clock::now() < until);
  INFO(up.err);
  REQUIRE(up.code == 0);
  REQUIRE(crew.becomes("b", "idle"));
  if (!may_be_lost) CHECK(crew.arrives("[from a] carry it out"));
  ::sleep(1);
  const long arrivals = crew.arrivals("[from a] carry it out");
  INFO(debts());
  CHECK(arrivals <= 1);
  CHECK((arrivals == 1 || holds(up.err, "orch: b: may or may not have got this")));
  CHECK_FALSE(holds(debts(), "carry it out"));
}

TEST_CASE("much mail is few notices, and none of it is lost") {
  const Crew crew(kTwo);
  crew.up();
  REQUIRE(crew.arrives("role of b"));
  REQUIRE(crew.becomes("b", "idle"));
  constexpr int kMails = 40;
  for (int i = 0; i < kMails; ++i) {
    REQUIRE(crew.orch({"crew", "inbox", "b", "mail number " + std::to_string(i)}).code == 0);
  }
  const std::string inbox = crew.orch({"crew", "inbox", "b"}).out;
  for (int i = 0; i < kMails; ++i) {
    CHECK(holds(inbox, "> mail number " + std::to_string(i) + "\n"));
  }
  const auto until = Clock::now() + kPatience;
  while (crew.arrivals("mail number " + std::to_string(kMails - 1)) == 0 && Clock::now() < until) {
    ::usleep(50'000);
  }
  // The notice names the newest message.
  CHECK(crew.arrivals("mail number " + std::to_string(kMails - 1)) == 1);
  const long notices = crew.arrivals(".crew/inbox/b.md");
  CHECK(notices <= kMails / 2);
}

TEST_CASE(
    "of a crew file that changed it is said what does not hold yet, and who starts takes it") {
  const Crew crew(kTwo);
  crew.up();
  REQUIRE(crew.arrives("role of b"));
  REQUIRE(crew.orch({"kill", "crew-shop-b"}).code == 0);
  crew.workspace.write("project/crew.yaml",
                       "version: 1\nproject: shop\nagents:\n"
                       "  - {name: a, role: first, cli: demo, prompt: \"another role of a\"}\n"
                       "  - {name: b, cli: demo, prompt: \"another role of b\"}\n"
                       "flow: {rules: [{when: a, says: X, nudge: b, text: y}]}\n");
  const Outcome up = crew.orch({"crew", "up"});
  CHECK(up.code == 0);
  CHECK(holds(up.err, "the crew's flow has changed: it holds after orch crew down"));
  CHECK(holds(up.err, "what the file says of a has changed: it holds after orch crew down"));
  CHECK_FALSE(holds(up.err, "says of b"));
  REQUIRE(crew.becomes("b", "idle"));
  CHECK(crew.orch({"crew", "reset", "b"}).code == 0);
  CHECK(crew.arrives("another role of b"));
  CHECK(crew.arrivals("another role of a") == 0);
}

TEST_CASE("a member gets its own worktree again after the crew was down") {
  const Crew crew("  - {name: b, cli: demo, worktree: true, prompt: \"role of b\"}\n");
  Launch launch = crew.workspace.orch({});
  launch.argv = {"/bin/sh", "-ec",
                 "git init -q -b main .; git config user.email a@b; git config user.name a; "
                 "git add crew.yaml; git commit -qm first"};
  REQUIRE(Program(launch).finish().code == 0);
  crew.up();
  REQUIRE(crew.becomes("b", "idle"));
  const std::string worktree =
      fs::canonical(crew.workspace.project()).string() + ".orch/crew-shop-b";
  crew.workspace.write("project.orch/crew-shop-b/work", "of b\n");
  CHECK(crew.orch({"crew", "down"}).code == 0);
  REQUIRE(fs::exists(worktree + "/work"));
  crew.up();
  CHECK(crew.becomes("b", "idle"));
  CHECK(content_of(worktree + "/work") == "of b\n");
}

TEST_CASE("what is wrong with a crew is told in one line before anything starts") {
  const Crew crew("  - {name: a, cli: nobody-has-this}\n");
  for (const Words& place : {Words{}, Words{"--state-dir", "/proc/none"}}) {
    Words words{"crew", "up"};
    words.insert(words.end(), place.begin(), place.end());
    const Outcome unknown = crew.orch(words);
    CHECK(unknown.code == 2);
    CHECK(lines_of(unknown.err).size() == 1);
    CHECK(holds(unknown.err, "agent a: there is no agent \"nobody-has-this\""));
  }
  CHECK(crew.orch({"crew", "status"}).code == 4);
  const Outcome watched = crew.orch({"crew", "status", "--watch"});
  CHECK(watched.code == 2);
  CHECK(holds(watched.err, "has no option --watch; write orch top"));
  const Workspace empty;
  const Outcome none = Program(empty.orch({"crew", "up"})).finish();
  CHECK(none.code == 2);
  CHECK(holds(none.err, "there is no crew.yaml here"));
  const Outcome nowhere = Program(empty.orch({"crew", "nudge", "a", "x"})).finish();
  CHECK(nowhere.code == 4);
  CHECK_FALSE(fs::exists(empty.file("project/.crew/state.json")));
}

TEST_CASE("a crew's file leads no agent, and reads no prompt, out of the project") {
  const Crew crew(kTwo);
  crew.workspace.write("key", "the key\n");
  fs::create_directory(crew.workspace.file("outside"));
  fs::create_symlink(crew.workspace.file("outside"), crew.workspace.project() + "/link");
  fs::create_symlink(crew.workspace.file("key"), crew.workspace.project() + "/prompt.md");
  REQUIRE(::mkfifo((crew.workspace.project() + "/pipe").c_str(), 0600) == 0);
  for (const char* agent :
       {"cwd: /etc", "cwd: ../outside", "cwd: link", "prompt_file: ../key",
        "prompt_file: prompt.md", "prompt_file: pipe", "prompt_file: /etc/passwd"}) {
    INFO(agent);
    const bool has_prompt = std::string_view(agent).starts_with("prompt");
    crew.workspace.write("project/crew.yaml", std::string("version: 1\nproject: shop\nagents:\n"
                                                          "  - {name: a, cli: demo, ") +
                                                  (has_prompt ? "" : "prompt: x, ") + agent +
                                                  "}\n");
    const Outcome up = crew.orch({"crew", "up"});
    INFO(up.err);
    CHECK(up.code == 2);
    CHECK((holds(up.err, " lies outside of ") || holds(up.err, "leads upwards") ||
           holds(up.err, "leads through the link") || holds(up.err, "no regular file")));
    CHECK(lines_of(crew.orch({"sessions", "--json"}).out) == std::vector<std::string>{"[]"});
  }
}
