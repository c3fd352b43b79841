#include <catch2/catch.hpp>
#include <csignal>
#include <memory>

#include "agent/dialog_choice.h"
#include "run/dialog_option.h"
#include "run/machine.h"

namespace orch::run {
namespace {

using agent::DialogChoice;
using agent::Meaning;
using event::AgentStatus;
using event::Cause;
using event::ExitReason;
using Kind = DialogChoice::Kind;

agent::DialogRequest bash() {
  agent::DialogRequest request;
  request.kind = Cause::kPermission;
  request.tool = "Bash";
  request.complete = true;
  request.title = "Bash command";
  request.body = "touch a\nDo you want to proceed?";
  request.options = {{"Yes", Meaning::kAllowOnce},
                     {"Yes, and don't ask again", Meaning::kAllowAlways},
                     {"No", Meaning::kDeny}};
  return request;
}

// A machine for whose agent the test reports the news itself.
struct Asked {
  explicit Asked(int64_t ask_timeout_ms = kNever) : Asked(plan(ask_timeout_ms)) {}
  explicit Asked(RunPlan plan) : machine(std::move(plan), 0) {
    machine.on_news(
        0,
        event::StatusChange{
            .status = AgentStatus::kWaiting, .cause = Cause::kPermission, .from = {}, .rule = {}});
    take();
  }
  static RunPlan plan(int64_t ask_timeout_ms) {
    RunPlan plan;
    plan.until = Until::kExit;
    plan.ask_timeout_ms = ask_timeout_ms;
    return plan;
  }

  void news(const agent::News& one) {
    machine.on_news(now, one);
    take();
  }
  base::Status answers(DialogChoice choice, std::string dialog = "") {
    base::Status begun = machine.answer({std::move(dialog), std::move(choice)}, now);
    take();
    return begun;
  }
  std::string refusal(DialogChoice choice, std::string dialog = "") {
    const base::Status begun = answers(std::move(choice), std::move(dialog));
    return begun ? "" : begun.error().text;
  }
  void run_to(TimeMs at) {
    for (TimeMs due = machine.next_deadline(); due <= at; due = machine.next_deadline()) {
      now = due;
      machine.on_time(now, 0);
      take();
      REQUIRE(machine.next_deadline() > due);
    }
    now = at;
  }
  void take() {
    for (Action& action : machine.take_actions()) {
      if (const auto* told = std::get_if<Tell>(&action)) {
        if (const auto* dialog = std::get_if<event::Dialog>(&told->event)) {
          records.push_back(dialog->answer + "/" + dialog->by);
        }
      }
      if (auto* answered = std::get_if<TellAnswered>(&action))
        outcomes.push_back(answered->outcome);
      if (const auto* command = std::get_if<agent::Command>(&action)) {
        if (const auto* answer = std::get_if<agent::Answer>(command)) chosen.push_back(*answer);
        if (const auto* deliver = std::get_if<agent::Deliver>(command)) {
          delivered.push_back(deliver->text);
        }
      }
    }
  }

  Machine machine;
  TimeMs now = 0;
  std::vector<std::string> records;  // "answer/by" for each dialog record
  std::vector<base::Status> outcomes;
  std::vector<agent::Answer> chosen;
  std::vector<std::string> delivered;
};

DialogChoice yes() { return {}; }
DialogChoice number(int n) { return {Kind::kNumber, n, ""}; }
DialogChoice text(std::string words) { return {Kind::kText, 0, std::move(words)}; }

base::Result<ChosenOptions> chosen_in(const agent::DialogRequest& request, DialogChoice choice) {
  return options_chosen(request, std::vector{std::move(choice)});
}

}  // namespace

TEST_CASE("a choice names an option by meaning, by number or by its words") {
  struct Row {
    const char* word;
    int option;  // -1: it is refused
  };
  for (const Row& row : {Row{"yes", 0}, Row{"Y", 0}, Row{"no", 2}, Row{"N", 2}, Row{"1", 0},
                         Row{"2", 1}, Row{"3", 2}, Row{"4", -1}, Row{"0", -1}, Row{"-1", -1},
                         Row{"99999999999", -1}, Row{" yes, AND don't ask again ", 1},
                         Row{"Yes, and", -1}, Row{"whatever", -1}, Row{" ", -1}}) {
    CAPTURE(row.word);
    const auto chosen = chosen_in(bash(), agent::dialog_choice_of(row.word));
    CHECK(chosen.ok() == (row.option >= 0));
    if (chosen) CHECK(static_cast<int>(chosen->options.front()) == row.option);
    if (!chosen) CHECK(chosen.error().code == base::ErrorCode::kUsage);
  }
}

TEST_CASE("yes never means more than was asked, and means nothing where two options could be it") {
  agent::DialogRequest request = bash();
  request.options = {{"Yes, always", Meaning::kAllowAlways}, {"No", Meaning::kDeny}};
  CHECK(chosen_in(request, yes()).error().text ==
        "not exactly one option of the dialog means yes; answer it by number: "
        "its options are 1. Yes, always, 2. No");
  request.options = {{"Yes", Meaning::kAllowOnce}, {"Yes, too", Meaning::kAllowOnce}};
  CHECK_FALSE(chosen_in(request, yes()).ok());
  CHECK_FALSE(chosen_in(request, {Kind::kNo, 0, ""}).ok());
}

TEST_CASE(
    "a dialog that was not seen whole is answered by number alone, as its options are drawn") {
  agent::DialogRequest request = bash();
  request.complete = false;
  request.first = 3;
  CHECK_FALSE(chosen_in(request, yes()).ok());
  CHECK_FALSE(chosen_in(request, text("Yes")).ok());
  CHECK_FALSE(chosen_in(request, number(2)).ok());
  CHECK_FALSE(chosen_in(request, number(6)).ok());
  CHECK(chosen_in(request, number(3))->options.front() == 0);
  CHECK(chosen_in(request, number(5))->options.front() == 2);
  request.options.clear();
  CHECK_FALSE(chosen_in(request, number(3)).ok());
}

TEST_CASE("tick boxes take several choices, and are answered as a whole") {
  agent::DialogRequest request;
  request.complete = true;
  request.options = {{.text = "Red", .description = "warm", .ticked = false},
                     {.text = "Blue", .ticked = true},
                     {.text = "Chat about this"}};
  const auto chosen = [&request](const std::vector<DialogChoice>& choices) {
    return options_chosen(request, choices);
  };
  CHECK(chosen({number(1), text("blue")})->options == std::vector<size_t>{0, 1});
  CHECK(chosen({number(2)})->options == std::vector<size_t>{1});
  CHECK(chosen({text("Red warm")})->options == std::vector<size_t>{0});
  CHECK(chosen({{Kind::kNo, 0, ""}})->options.empty());
  CHECK(chosen({number(3)})->options == std::vector<size_t>{2});
  CHECK(chosen({number(1), number(3)}).error().text ==
        "of several answers each must name a tick box: its options are 1. [ ] Red - warm, "
        "2. [x] Blue, 3. Chat about this");
  CHECK_FALSE(chosen({number(1), {Kind::kNo, 0, ""}}).ok());
  CHECK_FALSE(chosen({yes()}).ok());
  CHECK_FALSE(chosen({number(4)}).ok());
}

TEST_CASE("where one option is chosen a second answer is refused") {
  CHECK_FALSE(options_chosen(bash(), std::vector{number(1), number(2)}).ok());
}

TEST_CASE("words of one's own go to the option that asks for them, if there is but one") {
  agent::DialogRequest request = bash();
  request.options[2].wants_words = true;
  const auto chosen = chosen_in(request, text("use make"));
  REQUIRE(chosen.ok());
  CHECK(*chosen == ChosenOptions{{2}, "use make"});
  CHECK(chosen_in(request, text("no"))->words.empty());
  request.options[1].wants_words = true;
  CHECK_FALSE(chosen_in(request, text("use make")).ok());
}

TEST_CASE("an answer is told only once the dialog was seen to go, and recorded once it was typed") {
  Asked rig;
  CHECK(rig.refusal(yes()) == "no dialog is open");
  rig.news(agent::DialogOpened{bash()});
  REQUIRE(rig.machine.waiting_dialog());
  CHECK(rig.machine.waiting_dialog()->id == "d1");
  CHECK(rig.records == std::vector<std::string>{"/policy:none"});
  REQUIRE(rig.answers(number(3)).ok());
  CHECK(rig.chosen.back().options == std::vector<size_t>{2});
  CHECK_FALSE(rig.machine.waiting_dialog());
  CHECK(rig.refusal(yes()) == "another answer to this dialog is being typed");
  CHECK(rig.records.size() == 1);
  rig.news(agent::DialogTyped{});
  CHECK(rig.records.back() == "No/user");
  CHECK(rig.outcomes.empty());
  rig.news(agent::DialogClosed{});
  REQUIRE(rig.outcomes.size() == 1);
  CHECK(rig.outcomes[0].ok());
  CHECK(rig.refusal(yes()) == "no dialog is open");
}

TEST_CASE("a person is waited for while a dialog stands that somebody has time to answer") {
  Asked rig, hurried(0), watched(0), kept_short(60'000);
  CHECK_FALSE(rig.machine.waits_for_person());  // no dialog has been read yet
  for (Asked* one : {&rig, &hurried, &watched, &kept_short}) one->news(agent::DialogOpened{bash()});
  CHECK(rig.machine.waits_for_person());
  CHECK(kept_short.machine.waits_for_person());
  CHECK_FALSE(hurried.machine.waits_for_person());  // its run ends at the dialog
  watched.news(agent::Attended{true});
  CHECK(watched.machine.waits_for_person());

  REQUIRE(rig.answers(yes()).ok());
  CHECK_FALSE(rig.machine.waits_for_person());
  rig.news(agent::DialogLeft{"the keys were not taken"});
  CHECK(rig.machine.waits_for_person());
  rig.news(agent::DialogClosed{});
  CHECK_FALSE(rig.machine.waits_for_person());
  kept_short.machine.on_kill(false);
  CHECK_FALSE(kept_short.machine.waits_for_person());
}

TEST_CASE("an answer to a dialog that changed is refused, and nothing is typed") {
  Asked rig;
  rig.news(agent::DialogOpened{bash()});
  rig.news(agent::DialogClosed{});
  agent::DialogRequest other = bash();
  other.title = "Edit file";
  rig.news(agent::DialogOpened{other});
  const size_t commands = rig.chosen.size();
  CHECK(rig.refusal(yes(), "d1") ==
        "the dialog that was meant is gone; another one is open: Edit file");
  CHECK(rig.chosen.size() == commands);
  CHECK(rig.answers(yes(), "d2").ok());
}

TEST_CASE("a dialog that goes before its answer is typed was answered by somebody else") {
  Asked rig;
  rig.news(agent::DialogOpened{bash()});
  REQUIRE(rig.answers(yes()).ok());
  SECTION("it goes") { rig.news(agent::DialogClosed{}); }
  SECTION("another takes its place at once") { rig.news(agent::DialogOpened{bash()}); }
  SECTION("the agent ends") { rig.machine.on_exit(0, 0, 0), rig.take(); }
  REQUIRE(rig.outcomes.size() == 1);
  REQUIRE_FALSE(rig.outcomes[0].ok());
  CHECK(rig.outcomes[0].error().code == base::ErrorCode::kUsage);
  for (const std::string& record : rig.records) CHECK(record != "Yes/user");
}

TEST_CASE("an answer that does not take is told as such, and the dialog waits again") {
  Asked rig(10'000);
  rig.news(agent::DialogOpened{bash()});
  REQUIRE(rig.answers(yes()).ok());
  rig.news(agent::DialogTyped{});
  SECTION("the driver says so") {
    rig.news(agent::DialogLeft{"the dialog still stands after its answer was typed"});
  }
  SECTION("nobody says anything for long") { rig.run_to(kLongestAnswerMs); }
  REQUIRE(rig.outcomes.size() == 1);
  REQUIRE_FALSE(rig.outcomes[0].ok());
  CHECK(rig.outcomes[0].error().code == base::ErrorCode::kSystem);
  CHECK(rig.outcomes[0].error().text == "the dialog still stands after its answer was typed");
  REQUIRE(rig.machine.waiting_dialog());
  CHECK(rig.machine.waiting_dialog()->id == "d1");
  rig.run_to(rig.now + 11'000);  // longer than dialogs may wait
  rig.machine.on_exit(0, 0, SIGTERM);
  CHECK(rig.machine.verdict().reason == ExitReason::kNeedsHuman);
}

TEST_CASE("while an answer is typed the run does not end on its dialog") {
  Asked rig(5'000);
  rig.news(agent::DialogOpened{bash()});
  rig.run_to(4'000);
  REQUIRE(rig.answers(yes()).ok());
  rig.news(agent::DialogTyped{});
  rig.run_to(20'000);
  rig.news(agent::DialogClosed{});
  CHECK(rig.outcomes.at(0).ok());
  rig.machine.on_exit(0, 0, 0);
  CHECK(rig.machine.verdict().reason == ExitReason::kExit);
}

TEST_CASE("nobody answers once the session ends") {
  Asked rig;
  rig.news(agent::DialogOpened{bash()});
  rig.machine.on_kill(false);
  CHECK(rig.refusal(yes()) == "the session is ending");
  CHECK_FALSE(rig.machine.waiting_dialog());
  CHECK(rig.chosen.size() == 1);  // only to leave the dialog
}

TEST_CASE("a dialog that a policy answers is not answered by somebody else, until it is left") {
  RunPlan plan = Asked::plan(kNever);
  plan.policy = std::make_shared<policy::Policy>(policy::Policy::all());
  Asked rig(plan);
  agent::DialogRequest trust = bash();
  trust.kind = Cause::kTrust;
  rig.news(agent::DialogOpened{trust});
  REQUIRE(rig.chosen.back().options == std::vector<size_t>{0});
  CHECK_FALSE(rig.machine.waiting_dialog());
  CHECK(rig.refusal(number(3)) == "a policy is answering this dialog");
  rig.news(agent::DialogLeft{"the dialog still stands after its answer was typed"});
  CHECK(rig.answers(number(3)).ok());
}

TEST_CASE("what the agent is to do instead follows as the next message") {
  Asked rig;
  agent::DialogRequest request = bash();
  request.options[2].wants_words = true;
  rig.news(agent::DialogOpened{request});
  rig.machine.send({.text = "later"}, rig.now);
  rig.take();
  REQUIRE(rig.answers(text("use make")).ok());
  CHECK(rig.chosen.back().options == std::vector<size_t>{2});
  rig.news(agent::DialogTyped{});
  CHECK(rig.records.back() == "No/user");
  const std::vector<std::string> before = rig.delivered;
  rig.news(agent::DialogClosed{});
  CHECK(rig.outcomes.empty());  // the agent does not have the words yet
  CHECK(rig.machine.pending() == 2);
  CHECK(before == std::vector<std::string>{"later"});  // this one was on its way already
  rig.news(event::StatusChange{
      .status = AgentStatus::kIdle, .cause = Cause::kNone, .from = {}, .rule = {}});
  rig.news(agent::MessageTyped{"m1"});
  rig.news(agent::MessageAccepted{"m1", 1});
  rig.news(agent::TurnEnded{});
  REQUIRE(rig.delivered == std::vector<std::string>{"later", "use make"});
  SECTION("they are taken") {
    rig.news(agent::MessageTyped{"m2"});
    rig.news(agent::MessageAccepted{"m2", 1});
    REQUIRE(rig.outcomes.size() == 1);
    CHECK(rig.outcomes[0].ok());
  }
  SECTION("they are not") {
    rig.news(agent::MessageFailed{
        .id = "m2", .result = DeliveryResult::kBlocked, .reason = "the input box holds a draft"});
    REQUIRE(rig.outcomes.size() == 1);
    CHECK(rig.outcomes[0].error().text ==
          "the dialog was answered, but its words were not: the input box holds a draft");
  }
  SECTION("not in time") {
    rig.run_to(kLongestAnswerMs);
    REQUIRE(rig.outcomes.size() == 1);
    CHECK(rig.outcomes[0].error().code == base::ErrorCode::kSystem);
  }
  SECTION("another dialog comes") {
    rig.news(agent::DialogOpened{request});
    REQUIRE(rig.outcomes.size() == 1);
    CHECK_FALSE(rig.outcomes[0].ok());
    CHECK(rig.answers(number(1)).ok());
  }
  SECTION("the agent exits") {
    rig.machine.on_exit(rig.now, 0, 0);
    rig.take();
    REQUIRE(rig.outcomes.size() == 1);
    CHECK_FALSE(rig.outcomes[0].ok());
  }
}

TEST_CASE("what the agent is to do instead comes before the run's own next message") {
  RunPlan plan = Asked::plan(kNever);
  plan.until = Until::kComplete;
  plan.prompt = "do it";
  Asked rig(plan);
  rig.news(agent::MessageTyped{"m1"});
  rig.news(agent::MessageAccepted{"m1", 1});
  agent::DialogRequest request = bash();
  request.options[2].wants_words = true;
  rig.news(agent::DialogOpened{request});
  REQUIRE(rig.answers(text("use make")).ok());
  CHECK(rig.machine.pending() == 2);
  rig.news(agent::DialogTyped{});
  rig.news(event::StatusChange{
      .status = AgentStatus::kIdle, .cause = Cause::kNone, .from = {}, .rule = {}});
  rig.news(agent::TurnEnded{});  // before the dialog was seen to close
  rig.machine.on_time(rig.now, 0);
  rig.take();
  CHECK(rig.delivered == std::vector<std::string>{"do it"});
  SECTION("it was taken") {
    rig.news(agent::DialogClosed{});
    CHECK(rig.delivered == std::vector<std::string>{"do it", "use make"});
  }
  SECTION("it was not: the run goes on") {
    rig.news(agent::DialogLeft{"why"});
    REQUIRE(rig.delivered.size() == 2);
    CHECK(rig.delivered[1].find("LOOP_COMPLETE") != std::string::npos);
  }
}

}  // namespace orch::run
