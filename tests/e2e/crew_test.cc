// Several agents with names, who speak to each other through orch.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

bool mentions(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

// A project with a crew of demo agents that answer with what they were told; ended with the test.
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
    return launch;
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
    for (const Json& one : told.at("agents")) {
      if (one.at("name") == agent) return one.at("status");
    }
    return "none";
  }
  bool becomes(const std::string& agent, const std::string& wanted) const {
    const auto until = Clock::now() + kPatience;
    while (status_of(agent) != wanted && Clock::now() < until) ::usleep(50'000);
    return status_of(agent) == wanted;
  }
  // How often a message with these words reached an agent.
  long arrivals(std::string_view words) const {
    const auto all = workspace.messages();
    return std::count_if(all.begin(), all.end(),
                         [words](const std::string& it) { return mentions(it, words); });
  }
  bool arrives(std::string_view words) const {
    const auto until = Clock::now() + kPatience;
    while (arrivals(words) == 0 && Clock::now() < until) ::usleep(50'000);
    return arrivals(words) == 1;
  }
  std::vector<Json> events_of(const std::string& agent) const {
    for (const auto& run : fs::directory_iterator(workspace.state() + "/runs")) {
      if (!mentions(run.path().filename().string(), "crew-shop-" + agent)) continue;
      return json_lines(content_of(run.path().string() + "/events.jsonl"));
    }
    return {};
  }
  // Has an agent of this name run a script, in which $ORCH is orch; the manifest is the demo's.
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

// Waits until the crew can be asked, then says what it says.
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
  CHECK(status.at("session") == "crew-shop");
  CHECK(status.at("agents")[0].at("role") == "first");
  const long pid_a = status.at("agents")[0].at("pid"), pid_b = status.at("agents")[1].at("pid");
  CHECK(pid_a == pid_b);  // one host

  const Outcome reset = crew.orch({"crew", "reset", "a"});
  INFO(reset.err);
  CHECK(reset.code == 0);
  const auto until = Clock::now() + kPatience;
  while (crew.arrivals("role of a") < 2 && Clock::now() < until) ::usleep(50'000);
  CHECK(crew.arrivals("role of a") == 2);

  CHECK(crew.orch({"crew", "nudge", "a", std::string(1 << 20, 'x').substr(0, 100'000)}).code == 2);
  const Outcome huge = crew.orch({"crew", "nudge", "a", "-"}, std::string(1 << 20, 'x'));
  CHECK(huge.code == 2);
  CHECK(mentions(huge.err, "at most 64 KB can be sent"));
  CHECK(crew.orch({"crew", "nudge", "../a", "x"}).code == 4);
  CHECK(crew.orch({"crew", "nudge", "a", "/quit"}).code == 2);  // would_be_command
  CHECK(crew.orch({"crew", "inbox", "../../x", "text"}).code == 4);

  const std::string run = crew.status().at("agents")[0].at("run");
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
    if (mentions(line, "refused")) ++refused;
  }
  CHECK(codes ==
        std::vector<std::string>{"0", "0", "0", "2", "2", "2", "2", "2", "2", "2", "2", "2", "2"});
  CHECK(refused == 10);
  const std::string inbox = content_of(crew.workspace.file("project/.crew/inbox/b.md"));
  CHECK(mentions(inbox, " from sender\n\n> mail of mine\n"));
  CHECK_FALSE(mentions(inbox, "forged"));
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
  CHECK(mentions(said, "refused: "));
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
  do {  // its shell hands the terminal over a moment after the program began
    nudged = crew.orch({"crew", "nudge", "a", "rm -rf x", "--timeout", "1s"});
  } while (nudged.code == 124 && Clock::now() < until);
  INFO(nudged.err);
  CHECK(nudged.code == 2);
  CHECK(mentions(nudged.err, "agent a is not active: another program has its terminal"));
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
  const auto host = static_cast<pid_t>(before.at("agents")[0].at("pid").get<long>());
  REQUIRE(::kill(host, SIGKILL) == 0);
  REQUIRE(ends(host));
  const auto until = Clock::now() + kPatience;
  while (crew.status_of("a") == "idle" && Clock::now() < until) ::usleep(50'000);
  Outcome up;
  do {  // the guardian of the old host may still be at work
    up = crew.orch({"crew", "up"});
  } while (up.code != 0 && Clock::now() < until);
  INFO(up.err);
  CHECK(up.code == 0);
  REQUIRE(crew.becomes("a", "idle"));
  CHECK(crew.orch({"crew", "nudge", "a", "are you back?"}).code == 0);
  CHECK(crew.arrivals("are you back?") == 1);
  CHECK(crew.arrivals("role of a") == 1);  // it goes on
  const Json record =
      Json::parse(crew.orch({"show", crew.status().at("agents")[0].at("run"), "--json"}).out);
  CHECK(record.at("parent") == before.at("agents")[0].at("run"));

  REQUIRE(crew.orch({"kill", "crew-shop-b"}).code == 0);
  CHECK(crew.status_of("b") == "stopped");
  const Outcome again = crew.orch({"crew", "up"});
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK(again.out == "b\n");
  CHECK(crew.becomes("b", "idle"));
  CHECK(crew.status().at("agents")[0].at("pid") == crew.status().at("agents")[1].at("pid"));
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
  CHECK(mentions(sent.err, "is a link"));
  CHECK(content_of(crew.workspace.file("secret")) == "the secret\n");
  CHECK_FALSE(mentions(crew.orch({"crew", "inbox", "b"}).out, "secret"));
  fs::remove(inbox);
  CHECK(crew.orch({"crew", "inbox", "b", "hello"}).code == 0);
  CHECK(mentions(crew.orch({"crew", "inbox", "b"}).out, " from user\n\n> hello\n"));
}

TEST_CASE("the screens of a crew stand side by side, and show what happens") {
  const Crew crew(kTwo);
  crew.up();
  REQUIRE(crew.arrives("role of b"));
  Launch launch = crew.launch({"crew", "status", "--watch"});
  launch.terminal = TerminalSize{120, 30};
  launch.errors_on_terminal = true;
  launch.env.emplace_back("TERM=xterm-256color");
  Program watch(launch);
  watch.wait_for_drawn("first");
  REQUIRE(crew.becomes("b", "idle"));
  CHECK(crew.orch({"crew", "nudge", "b", "SHOWN"}).code == 0);
  watch.wait_for_drawn("SHOWN");
  watch.type("q");
  const Outcome left = watch.finish();
  CHECK(left.code == 0);
  CHECK(left.terminal_as_found);
  const Outcome piped = crew.orch({"crew", "status", "--watch"});
  CHECK(piped.code == 2);
}

TEST_CASE("what is wrong with a crew is told in one line before anything starts") {
  const Crew crew("  - {name: a, cli: nobody-has-this}\n");
  const Outcome unknown = crew.orch({"crew", "up"});
  CHECK(unknown.code != 0);
  CHECK(lines_of(unknown.err).size() == 1);
  CHECK(mentions(unknown.err, "agent a: "));
  CHECK(crew.orch({"crew", "status"}).code == 4);
  const Workspace empty;
  const Outcome none = Program(empty.orch({"crew", "up"})).finish();
  CHECK(none.code == 2);
  CHECK(mentions(none.err, "there is no crew.yaml here"));
  const Outcome nowhere = Program(empty.orch({"crew", "nudge", "a", "x"})).finish();
  CHECK(nowhere.code == 4);
  CHECK_FALSE(fs::exists(empty.file("project/.crew/state.json")));
}
