#include "driver/dialog_request.h"

#include <catch2/catch.hpp>

namespace orch::driver {
namespace {

using Action = agent::DialogRequest::Action;
using Texts = std::vector<std::string>;
using detect::DialogAction;

detect::DialogView dialog(DialogAction action) {
  detect::DialogView view;
  view.title = "Title";
  view.kind = event::Cause::kPermission;
  view.action = action;
  view.options = {"Yes", "No"};
  view.whole = true;
  return view;
}

agent::DialogRequest command(Texts rows, int room, std::string breaks = "") {
  detect::DialogView view = dialog(DialogAction::kCommand);
  view.command = detect::DialogText{std::move(rows), room, std::move(breaks), false};
  return request_of(view, event::Cause::kNone);
}
std::string likely(Texts rows, int room, std::string breaks = "") {
  return command(std::move(rows), room, std::move(breaks)).likely.at(0);
}

}  // namespace

TEST_CASE("Rows that may have been wrapped are joined; the others end lines of the command") {
  const agent::DialogRequest request =
      command({"for i in 1 2 3; do echo $i;", "sleep 1; done", "ls"}, /*room=*/30);
  CHECK(request.action == Action::kCommand);
  CHECK(request.likely == Texts{"for i in 1 2 3; do echo $i; sleep 1; done\nls"});
  CHECK(request.possible == Texts{"for i in 1 2 3; do echo $i;\nsleep 1; done\nls",
                                  "for i in 1 2 3; do echo $i;sleep 1; done\nls"});
}

TEST_CASE("In a narrow dialog rows may have been wrapped earlier than its manifest says") {
  const agent::DialogRequest request = command({"make -C some/folder && rm -rf", "/home"}, 200);
  CHECK(request.likely == Texts{"make -C some/folder && rm -rf\n/home"});
  CHECK(request.possible ==
        Texts{"make -C some/folder && rm -rf /home", "make -C some/folder && rm -rf/home"});
}

TEST_CASE("A word that fills more than a row is one word") {
  CHECK(likely({"touch aaaa", "aaaaaaaaaa", "aa && ls"}, 10) == "touch aaaaaaaaaaaaaaaa && ls");
}

TEST_CASE("The first row has less room where the agent's own sign stands before the command") {
  detect::DialogView view = dialog(DialogAction::kCommand);
  view.command = detect::DialogText{{"make all -j 8 &&", "touch x"}, 23, "", false};
  CHECK(request_of(view, event::Cause::kNone).likely == Texts{"make all -j 8 &&\ntouch x"});
  view.command->lead = 2;
  CHECK(request_of(view, event::Cause::kNone).likely == Texts{"make all -j 8 && touch x"});
}

TEST_CASE("A blank row and one that is set in begin lines of their own") {
  CHECK(likely({"if true; then", "    a/long/word", "", "fi"}, 14) ==
        "if true; then\n    a/long/word\n\nfi");
}

TEST_CASE("A rule is a line of its own, however long") {
  CHECK(likely({"cat <<E", "──────────", "──", "E"}, 10) == "cat <<E\n────────────\nE");
  CHECK(likely({"━━━━", "╌╌╌╌╌╌╌╌╌╌", "E"}, 10) == "━━━━\n╌╌╌╌╌╌╌╌╌╌\nE");
}

TEST_CASE("Where an agent breaks words behind a hyphen, so are they joined") {
  CHECK(likely({"make all && rm -", "rf build"}, 17, "-/") == "make all && rm -rf build");
  CHECK(likely({"make all && rm -", "rf build"}, 17) == "make all && rm - rf build");
}

TEST_CASE("Wide characters take two columns") {
  CHECK(likely({"echo 日本語", "x"}, 12) == "echo 日本語 x");
  CHECK(likely({"echo abc", "x"}, 12) == "echo abc\nx");
}

TEST_CASE("A dialog of which a part was not found is unknown, and one not seen whole incomplete") {
  CHECK(request_of(dialog(DialogAction::kCommand), event::Cause::kNone).action == Action::kUnknown);
  CHECK(request_of(dialog(DialogAction::kWrite), event::Cause::kNone).action == Action::kUnknown);
  detect::DialogView other = dialog(DialogAction::kOther);
  CHECK(request_of(other, event::Cause::kNone).complete);
  other.whole = false;
  CHECK_FALSE(request_of(other, event::Cause::kNone).complete);
}

TEST_CASE("The manifest's kind goes before the detector's") {
  CHECK(request_of(dialog(DialogAction::kOther), event::Cause::kLogin).kind ==
        event::Cause::kPermission);
  const agent::DialogRequest unknown = request_of({}, event::Cause::kLogin);
  CHECK(unknown.kind == event::Cause::kLogin);
  CHECK_FALSE(unknown.complete);
  CHECK(unknown.action == Action::kUnknown);
}

TEST_CASE("What the manifest says of an option goes before its words") {
  detect::DialogView view = dialog(DialogAction::kOther);
  view.options = {"Yes", "Yes, and go on as before", "Nay"};
  view.senses = {std::nullopt, detect::OptionSense::kAllowAlways, detect::OptionSense::kDeny};
  const agent::DialogRequest request = request_of(view, event::Cause::kNone);
  CHECK(request.options[0].meaning == agent::Meaning::kAllowOnce);
  CHECK(request.options[1].meaning == agent::Meaning::kAllowAlways);
  CHECK(request.options[2].meaning == agent::Meaning::kDeny);
}

TEST_CASE("describe says all of a request, a line each, with numbers, and marks the cursor") {
  agent::DialogRequest request;
  CHECK(agent::describe(request).empty());
  request.title = "Run?";
  request.body = "rm x\nnow";
  request.options = {{"Yes", agent::Meaning::kAllowOnce}, {"No", agent::Meaning::kDeny}};
  request.cursor = 1;
  CHECK(agent::describe(request) == "Run?\nrm x\nnow\n  1. Yes\n> 2. No");
}

}  // namespace orch::driver
