#include "run/completion.h"

#include <catch2/catch.hpp>

#include "base/text.h"

namespace orch::run {

using agent::Speaker;
namespace {

constexpr std::string_view kKeyword = "LOOP_COMPLETE";

bool said(std::string text, Speaker speaker = Speaker::kAgent) {
  return says_complete({std::move(text), speaker}, kKeyword);
}

TEST_CASE("the keyword alone on a line of the agent's completes the run") {
  CHECK(said("LOOP_COMPLETE"));
  CHECK(said("LOOP_COMPLETE  "));
  CHECK(said("**LOOP_COMPLETE**"));
  CHECK(said("`LOOP_COMPLETE`"));
  CHECK(said("**`LOOP_COMPLETE`**"));
}

TEST_CASE("the keyword of anybody else does not") {
  CHECK_FALSE(said("LOOP_COMPLETE", Speaker::kUser));
  CHECK_FALSE(said("LOOP_COMPLETE", Speaker::kTool));
  CHECK_FALSE(said("LOOP_COMPLETE", Speaker::kChrome));
}

TEST_CASE("the keyword among other words, quoted, listed or set apart does not") {
  for (const std::string text :
       {"> LOOP_COMPLETE", "- LOOP_COMPLETE", "1. LOOP_COMPLETE", "  LOOP_COMPLETE",
        "I shall say LOOP_COMPLETE when done.", "LOOP_COMPLETE.", "LOOP_COMPLETE is what I say",
        "\"LOOP_COMPLETE\"", "LOOP_COMPLETED", "loop_complete", "LOOP_ COMPLETE", "", "****", "**",
        "`", "echo LOOP_COMPLETE", "**LOOP_COMPLETE", "# LOOP_COMPLETE", "│ LOOP_COMPLETE"}) {
    INFO(text);
    CHECK_FALSE(said(text));
  }
}

TEST_CASE("a keyword of the user's own is taken literally") {
  CHECK(says_complete({"all.done*", Speaker::kAgent}, "all.done*"));
  CHECK_FALSE(says_complete({"allXdone", Speaker::kAgent}, "all.done*"));
}

TEST_CASE("our own messages name the keyword but never on a line of its own") {
  for (const std::string& message :
       {completion_instruction(kKeyword), continue_message(kKeyword)}) {
    CHECK(message.find(kKeyword) != std::string::npos);
    for (const std::string_view line : base::split_lines(message)) {
      CHECK_FALSE(said(std::string(line)));
    }
  }
}

}  // namespace
}  // namespace orch::run
