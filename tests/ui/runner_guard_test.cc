#include "ui/runner_guard.h"

#include <catch2/catch.hpp>

using namespace orch::ui;

namespace {

// Checks that the guard's output does not depend on how the text is cut; returns the output.
std::string passed(Runner runner, std::string_view text) {
  const std::string whole = RunnerGuard(runner).pass(text);
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    RunnerGuard guard(runner);
    const std::string first = guard.pass(text.substr(0, cut));
    CHECK(first + guard.pass(text.substr(cut)) == whole);
  }
  return whole;
}

std::string github(std::string_view text) { return passed(Runner::kGithub, text); }
std::string gitlab(std::string_view text) { return passed(Runner::kGitlab, text); }

}  // namespace

TEST_CASE("no line begins with two colons on GitHub's runner, whatever blanks stand before them") {
  CHECK(github("::error::x\n") == ": :error::x\n");
  CHECK(github("a\n \t::add-mask::x") == "a\n \t: :add-mask::x");
  CHECK(github("a\r::x") == "a\r: :x");
  CHECK(github("\xc2\xa0\xe2\x80\x83::x") == "\xc2\xa0\xe2\x80\x83: :x");
  CHECK(github(":::") == ": ::");
  CHECK(github("a ::b std::string") == "a ::b std::string");
  CHECK(github(": ::b") == ": ::b");
}

TEST_CASE("no ##[ stands anywhere on GitHub's runner") {
  CHECK(github("##[error]x") == "## [error]x");
  CHECK(github("said ##[group]x\n###[y] #[z] ##\n[") == "said ## [group]x\n### [y] #[z] ##\n[");
  CHECK(github("\x1b[1m##[command]") == "\x1b[1m## [command]");
}

TEST_CASE("no section begins or ends on GitLab's") {
  CHECK(gitlab("\x1b[0Ksection_start:1:x\r\x1b[0K") == "\x1b[0Ksection_start :1:x\r\x1b[0K");
  CHECK(gitlab("section_end:1:x") == "section_end :1:x");
  CHECK(gitlab("::error:: ##[x] section: a") == "::error:: ##[x] section: a");
  const std::string text(1000, 's');
  CHECK(gitlab(text + "section_end:") == text + "section_end :");
}

TEST_CASE("where no runner reads nothing is changed") {
  CHECK(passed(Runner::kNone, "::error:: ##[x] section_end:") == "::error:: ##[x] section_end:");
}
