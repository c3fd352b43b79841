// Dialogs that are answered by commands: by meaning, number and words, only once, and only while
// they are shown.
#include <signal.h>

#include <catch2/catch.hpp>
#include <thread>

#include "workspace.h"

using namespace orch::e2e;

namespace {

// A demo agent in the background that soon opens a dialog. The destructor ends it.
class Asking {
 public:
  Asking(const Workspace& workspace, const std::string& scenario, Words words = {})
      : workspace_(workspace) {
    words.insert(words.begin(), "-d");
    REQUIRE(Program(workspace.demo(scenario, std::move(words))).finish().code == 0);
    REQUIRE(run_orch(workspace, {"wait", "7", "--until", "waiting", "--timeout", "60s"}).code == 0);
  }
  ~Asking() { run_orch(workspace_, {"kill", "--all", "--now"}); }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  // The dialog as status --json shows it, once it has been read.
  Json dialog() const {
    for (const Clock::time_point until = Clock::now() + kPatience; Clock::now() < until;) {
      const Outcome status = run_orch(workspace_, {"status", "7", "--json"});
      REQUIRE(status.code == 0);
      const Json json = Json::parse(status.out);
      if (json.contains("dialog") && json.at("dialog").is_object()) return json.at("dialog");
    }
    FAIL("no dialog");
    return {};
  }
  Outcome answer(const std::string& answer, Words more = {}) const {
    Words words{"answer", "7", answer};
    words.insert(words.end(), more.begin(), more.end());
    return run_orch(workspace_, words);
  }
  // Waits until the run has ended; returns its exit code.
  int end() const {
    return run_orch(workspace_, {"wait", "7", "--until", "exited", "--timeout", "60s"}).code;
  }

 private:
  const Workspace& workspace_;
};

// "answer/by" for each dialog record of a run that has an answer.
Words answered(const Workspace& workspace) {
  Words found;
  for (const Json& event : workspace.run_of().events) {
    if (event.at("event") != "dialog" || event.at("answer").is_null()) continue;
    found.push_back(event.at("answer").get<std::string>() + "/" +
                    event.at("by").get<std::string>());
  }
  return found;
}

void check_one_line(const std::string& err, std::string_view part) {
  INFO(err);
  CHECK(lines_of(err).size() == 1);
  CHECK(holds(err, part));
}

}  // namespace

TEST_CASE("a session in the background waits at its dialog until somebody answers it") {
  const Workspace workspace;
  const Asking asking(workspace, "permission");
  const Json dialog = asking.dialog();
  CHECK(dialog.at("id") == "d1");
  CHECK(dialog.at("kind") == "permission");
  CHECK(dialog.at("text") == "Do you want to proceed?");
  CHECK(dialog.at("command") == "touch out.txt && echo tests passed");
  CHECK(dialog.at("complete") == true);
  CHECK(dialog.at("options")[1] == Json{{"number", 2},
                                        {"text", "No"},
                                        {"meaning", "deny"},
                                        {"description", nullptr},
                                        {"ticked", nullptr}});
  CHECK(dialog.at("commands")[0] == "orch answer 7 yes");

  const std::string status = run_orch(workspace, {"status", "7"}).out;
  INFO(status);
  for (const char* part : {"question     Do you want to proceed?\n", "1. Yes (allow once)\n",
                           "answer       orch answer 7 yes | no | 1 | 2\n"}) {
    CAPTURE(part);
    CHECK(holds(status, part));
  }
  CHECK(holds(run_orch(workspace, {"sessions"}).out,
              "\n  ? Do you want to proceed?  orch answer 7 yes|no|1|2\n"));
  CHECK(Json::parse(run_orch(workspace, {"sessions", "--json"}).out)[0].at("dialog").at("id") ==
        "d1");

  const Outcome answer = asking.answer("yes");
  INFO(answer.err);
  CHECK(answer.code == 0);
  CHECK(answer.out == "orch-7: answered: Do you want to proceed?\n");
  CHECK(asking.end() == 0);
  CHECK(answered(workspace) == Words{"Yes/user"});
  CHECK(holds(workspace.run_of().transcript, "The tests passed."));
}

TEST_CASE("a dialog is answered by meaning, by number and by an option's words") {
  struct Row {
    std::string scenario, answer, record;
  };
  for (const Row& row :
       std::initializer_list<Row>{{"permission", "no", "No/user"},
                                  {"permission", "2", "No/user"},
                                  {"question", "postgresql", "PostgreSQL/user"},
                                  {"trust", "Y", "Yes, I trust this folder/user"}}) {
    CAPTURE(row.scenario, row.answer);
    const Workspace workspace;
    const Asking asking(workspace, row.scenario, {"--until", "idle"});
    const Outcome answer =
        asking.answer(row.answer, {"--json"});  // the dialog may still be being read
    INFO(answer.err);
    REQUIRE(answer.code == 0);
    CHECK(Json::parse(answer.out).at("answer") == row.answer);
    CHECK(Json::parse(answer.out).at("dialog").at("id") == "d1");
    CHECK(asking.end() == 0);
    CHECK(answered(workspace) == Words{row.record});
  }
}

TEST_CASE("words of one's own tell the agent what to do instead") {
  const Workspace workspace;
  const Asking asking(workspace, "instead");
  const Outcome answer = asking.answer("use make instead");
  INFO(answer.err);
  CHECK(answer.code == 0);
  CHECK(asking.end() == 0);
  CHECK(answered(workspace) == Words{"No, and tell Demo what to do differently/user"});
  REQUIRE(workspace.messages().size() == 2);
  CHECK(workspace.messages()[1] == "use make instead");
}

TEST_CASE("an answer that the dialog does not offer is refused, and nothing is typed") {
  const Workspace workspace;
  const Asking asking(workspace, "question");
  const std::string offer = "its options are 1. SQLite, 2. PostgreSQL, 3. None of them";
  for (const char* wrong : {"yes", "no", "4", "0", "-1", "My\x1b[2JSQL", "Postgre"}) {
    CAPTURE(wrong);
    const Outcome refused = asking.answer(wrong);
    CHECK(refused.code == 2);
    CHECK(refused.out.empty());
    check_one_line(refused.err, offer);
    CHECK_FALSE(holds(refused.err, "\x1b"));
  }
  CHECK(asking.answer("").code == 2);
  const Outcome gone = asking.answer("1", {"--dialog", "d7"});
  CHECK(gone.code == 2);
  check_one_line(gone.err, "the dialog that was meant is gone; another one is open: Database");
  CHECK(asking.dialog().at("id") == "d1");
  CHECK(asking.answer("1", {"--dialog", "d1"}).code == 0);
  CHECK(asking.end() == 0);
  CHECK(answered(workspace) == Words{"SQLite/user"});
}

TEST_CASE("where nothing is asked there is nothing to answer") {
  const Workspace workspace;
  CHECK(run_orch(workspace, {"answer", "7", "yes"}).code == 4);
  REQUIRE(Program(workspace.demo("plain", {"-d", "--until", "exit"})).finish().code == 0);
  REQUIRE(run_orch(workspace, {"wait", "7"}).code == 0);
  for (const Words& words : {Words{"answer", "7", "yes"}, {"answer", "7", "1", "--dialog", "d1"}}) {
    const Outcome outcome = run_orch(workspace, words);
    CHECK(outcome.code == 4);
    check_one_line(outcome.err, "no dialog is open");
  }
  run_orch(workspace, {"kill", "--all", "--now"});
}

TEST_CASE("of two who answer at once one does, and keys are typed once") {
  const Workspace workspace;
  const Asking asking(workspace, "permission", {"--until", "idle"});
  asking.dialog();
  Program one(workspace.orch({"answer", "7", "yes"})), two(workspace.orch({"answer", "7", "no"}));
  const Outcome first = one.finish(), second = two.finish();
  INFO(first.err + second.err);
  CHECK((first.code == 0) != (second.code == 0));
  const int lost = first.code == 0 ? second.code : first.code;
  CHECK((lost == 2 || lost == 4));
  asking.end();
  CHECK(answered(workspace) == Words{first.code == 0 ? "Yes/user" : "No/user"});
}

TEST_CASE("what a policy leaves is answered by whoever is there") {
  const Workspace workspace;
  const Asking asking(workspace, "question", {"--approve", "all"});
  CHECK(asking.answer("2").code == 0);
  CHECK(asking.end() == 0);
  CHECK(answered(workspace) == Words{"PostgreSQL/user"});
}

TEST_CASE("while somebody holds the keyboard nobody else answers") {
  const Workspace workspace;
  Launch launch = workspace.demo("permission");
  launch.terminal = TerminalSize{100, 30};
  launch.errors_on_terminal = true;
  Program person(launch);
  person.wait_for_output("orch-7 waits: Do you want to proceed?");
  person.type(kLeavingKey);
  person.wait_for_output("\x1b[?1049h");
  const Outcome refused = run_orch(workspace, {"answer", "7", "yes"});
  CHECK(refused.code == 2);
  check_one_line(refused.err, "somebody else is typing");
  person.type(kLeavingKey);
  person.wait_for_output("\x1b[?1049l");
  CHECK(run_orch(workspace, {"answer", "7", "yes"}).code == 0);
  CHECK(person.finish().code == 0);
  CHECK(answered(workspace) == Words{"Yes/user"});
}

TEST_CASE("an answer that the agent does not take is no success") {
  const Workspace workspace;
  const Asking asking(workspace, "permission");
  asking.dialog();
  const std::vector<pid_t> agent = living_with_mark(
      Json::parse(run_orch(workspace, {"status", "7", "--json"}).out).at("run").get<std::string>());
  REQUIRE_FALSE(agent.empty());
  for (const pid_t pid : agent) REQUIRE(::kill(pid, SIGSTOP) == 0);
  const Outcome answer = asking.answer("yes");
  for (const pid_t pid : agent) ::kill(pid, SIGCONT);
  CHECK(answer.code == 3);
  CHECK(answer.out.empty());
  check_one_line(answer.err, "still stands");
  CHECK(asking.end() == 0);  // the agent takes the key in the end
}

TEST_CASE("an agent that ends at the answer has taken it") {
  const Workspace workspace;
  const Asking asking(workspace, "trust");
  CHECK(asking.answer("no").code == 0);
  CHECK(asking.end() == 1);
}

TEST_CASE("a run that ended on a dialog says how to answer the next one") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.demo("permission")).finish();
  check_ending(workspace, outcome, "needs_human", 10);
  CHECK(last_line(outcome.err) ==
        "orch: orch-7: needs_human (exit 10): Bash command; --approve all or --approve "
        "FILE lets orch answer, --ask-timeout 10m lets you: orch answer 7 yes|no|1|2");
}

TEST_CASE("a run that ended on a dialog which its rules left open does not advise to give rules") {
  const Workspace workspace;
  const std::string rules = workspace.write("policy.json", R"({"rules": []})");
  const Outcome outcome = Program(workspace.demo("permission", {"--approve", rules})).finish();
  check_ending(workspace, outcome, "needs_human", 10);
  CHECK(last_line(outcome.err) ==
        "orch: orch-7: needs_human (exit 10): Bash command; the rules of --approve left it to you: "
        "--ask-timeout 10m waits: orch answer 7 yes|no|1|2");
}

TEST_CASE("the end of a run is waited for, and its code is the wait's") {
  const Workspace workspace;
  const auto begin = [&](const std::string& issue, const std::string& scenario, Words words) {
    words.insert(words.begin(), "-d");
    REQUIRE(Program(workspace.demo(scenario, std::move(words), issue)).finish().code == 0);
  };
  const auto wait = [&](Words words) {
    words.insert(words.begin(), {"wait", "--until", "exited", "--timeout", "60s"});
    return run_orch(workspace, std::move(words));
  };
  begin("1", "default", {});
  begin("2", "crash", {});
  begin("3", "permission", {"--ask-timeout", "0"});
  CHECK(wait({"1"}).code == 0);
  CHECK(wait({"2"}).code == 1);
  CHECK(wait({"3"}).code == 10);
  const Outcome ended = wait({"1", "2", "3"});  // they ended long ago
  CHECK(ended.code == 1);
  CHECK(lines_of(ended.out).size() == 3);
  CHECK(wait({"1", "3"}).code == 10);
  CHECK(run_orch(workspace, {"run", "4", "-d", "--", "sh", "-c", "exit 77"}).code == 0);
  CHECK(wait({"4"}).code ==
        Json::parse(run_orch(workspace, {"status", "4", "--json"}).out).at("code").get<int>());
}

TEST_CASE("on a terminal orch answer shows the whole dialog, and asks before it types a key") {
  const Workspace workspace;
  const Asking asking(workspace, "permission");
  Program declines(on_terminal(workspace.orch({"answer", "7", "yes"})));
  declines.wait_for_drawn("$ touch out.txt && echo tests passed");
  declines.wait_for_drawn("2. No");
  declines.wait_for_drawn("Answer so? [y/N]");
  declines.type("n\n");
  CHECK(declines.finish().code == 2);
  CHECK(asking.dialog().at("text") == "Do you want to proceed?");
  Program chooses(on_terminal(workspace.orch({"answer", "7"})));
  chooses.wait_for_drawn("Your answer:");
  chooses.type("1\n");  // sooner than anybody reads, or not: then it is taken
  for (int tries = 0; tries < 20 && !holds(chooses.output(), "answered"); ++tries) {
    chooses.wait_for_more_output();
    if (holds(last_line(chooses.output()), "Your answer:")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      chooses.type("1\n");
    }
  }
  CHECK(chooses.finish().code == 0);
  CHECK(asking.end() == 0);
  CHECK(answered(workspace) == Words{"Yes/user"});
}

TEST_CASE("a script gives the answer with the command, and so does who names the dialog") {
  const Workspace workspace;
  const Asking asking(workspace, "permission");
  const Outcome none = run_orch(workspace, {"answer", "7"});
  CHECK(none.code == 2);
  check_one_line(none.err, "which answer? orch answer 7 yes");
  const std::string id = asking.dialog().at("id");
  const Outcome named =
      Program(on_terminal(workspace.orch({"answer", "7", "yes", "--dialog", id}))).finish();
  CHECK(named.code == 0);
  CHECK_FALSE(holds(named.out, "asks:"));
}
