#include "event/question.h"

#include <catch2/catch.hpp>

using orch::event::Cause;
using orch::event::question_of;

TEST_CASE("what a dialog asks is its last question, else its title, else its cause") {
  CHECK(question_of({Cause::kPermission,
                     "Bash command",
                     "touch a\n\n Do you want to proceed? ",
                     {},
                     "",
                     ""}) == "Do you want to proceed?");
  CHECK(question_of({Cause::kTrust, "Trust?", "Is it yours?\nSecurity guide", {}, "", ""}) ==
        "Is it yours?");
  CHECK(question_of({Cause::kUpdate, "Update available", "2.0 is out", {}, "", ""}) ==
        "Update available");
  CHECK(question_of({Cause::kLogin, "", "", {}, "", ""}) == "login");
}

TEST_CASE("a question cannot move the cursor of the terminal that it is told on") {
  CHECK(question_of({Cause::kQuestion, "", "sure\x1b[2J?", {}, "", ""}) == "sure\uFFFD[2J?");
}
