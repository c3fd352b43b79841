#include "ui/github.h"

#include <catch2/catch.hpp>

namespace orch::ui::github {

TEST_CASE("A failed session is annotated, a good one is not") {
  CHECK(annotation("orch-7", "complete", 0, "").empty());
  CHECK(annotation("orch-7", "agent_failed", 1, "exited with 3") ==
        "::error title=orch-7::agent_failed (exit 1): exited with 3\n");
  CHECK(annotation("orch-7", "needs_human", 10, "") ==
        "::warning title=orch-7::needs_human (exit 10)\n");
  CHECK(annotation("orch-7", "not_started", 75, "").starts_with("::warning "));
  CHECK(annotation("orch-7", "not_started", 2, "").starts_with("::error "));
}

TEST_CASE("What comes from outside cannot end an annotation or begin a command") {
  CHECK(annotation("a:b,c%", "agent_failed", 1, "x\n::set-output name=a::b\r%0A") ==
        "::error title=a%3Ab%2Cc%25::agent_failed (exit 1): x%0A::set-output name=a::b%0D%250A\n");
  CHECK(begin_group("a\n::error::b") == "::group::a%0A::error::b\n");
}

TEST_CASE("Commands are stopped by a token that nobody can guess") {
  const std::string token = random_token();
  CHECK(token.size() == 37);
  CHECK(token != random_token());
  CHECK(stop_commands(token) == "::stop-commands::" + token + "\n");
  CHECK(resume_commands(token) == "::" + token + "::\n");
}

TEST_CASE("a value to be masked is one command, however many lines it has") {
  CHECK(add_mask("a%b\nc") == "::add-mask::a%25b%0Ac\n");
}

TEST_CASE("an output is what stands between its delimiters") {
  CHECK(output("reason", "complete", "orch-1") == "reason<<orch-1\ncomplete\norch-1\n");
}

}  // namespace orch::ui::github
