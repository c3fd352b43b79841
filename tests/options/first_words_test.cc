#include "options/first_words.h"

#include <catch2/catch.hpp>
#include <string>

namespace orch::options {
namespace {

RunRequest request_of(std::vector<std::string> issues, std::optional<std::string> prompt = {}) {
  RunRequest request;
  request.issues = std::move(issues);
  request.prompt = std::move(prompt);
  return request;
}

}  // namespace

TEST_CASE("A prompt's first words make a name") {
  CHECK(name_of_words("fix the bug") == "fix-the-bug");
  CHECK(name_of_words("Fix the FLAKY test in net_test.cc, please!") == "fix-the-flaky-test-in");
  CHECK(name_of_words("  why?\nsecond line") == "why-second-line");
  CHECK(name_of_words("don't") == "dont");
  CHECK(name_of_words("バグを直して") == "task-e7d4");
  CHECK(name_of_words("") == "task-9dc5");
  CHECK(name_of_words("Почини тест") == "pochini-test");
  CHECK(name_of_words("Διόρθωσε το") == "dirthose-to");
  CHECK(name_of_words("--- ../../etc") == "etc");
}

TEST_CASE("A name has no word that may be a secret, and is not long") {
  CHECK(name_of_words("use sk0123456789abcdefghijklmnop now") == "use-now");
  for (size_t length = 1; length < 30; ++length) {
    std::string prompt;
    for (int i = 0; i < 9; ++i) prompt += std::string(length, 'a') + " ";
    CHECK(name_of_words(prompt).size() <= 40);
  }
}

TEST_CASE("A number sign before an issue's number is left out") {
  RunRequest request = request_of({"#42", "43", "#x"});
  REQUIRE(settle_words({}, request).ok());
  CHECK(request.issues == std::vector<std::string>{"42", "43", "#x"});
}

TEST_CASE("One argument with blanks is the prompt") {
  RunRequest request = request_of({"fix the bug"});
  REQUIRE(settle_words({}, request).ok());
  CHECK(request.issues.empty());
  CHECK(request.prompt == "fix the bug");
  CHECK(name_for(request, *request.prompt) == "fix-the-bug");
}

TEST_CASE("A sentence of a language without blanks is a prompt, too") {
  RunRequest request = request_of({"バグを直して"});
  REQUIRE(settle_words({}, request).ok());
  CHECK(request.issues.empty());
  CHECK(request.prompt == "バグを直して");
}

TEST_CASE("With a prompt or a program, an argument with blanks stays an issue, which is refused") {
  RunRequest prompted = request_of({"fix the bug"}, "do it well");
  REQUIRE(settle_words({}, prompted).ok());
  CHECK(prompted.issues.size() == 1);
  RunRequest program = request_of({"a b"});
  program.command = {"make"};
  REQUIRE(settle_words({}, program).ok());
  CHECK(program.issues.size() == 1);
}

TEST_CASE("Words behind a prompt of one word are taken for its rest") {
  RunRequest request = request_of({"42", "the", "bug"}, "fix");
  const base::Status refused = settle_words({"the", "bug"}, request);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().text.find("\"fix the bug\"? Quote it") != std::string::npos);

  RunRequest quoted = request_of({"a", "b"}, "fix the bug");
  CHECK(settle_words({"a", "b"}, quoted).ok());
  RunRequest numbers = request_of({"1", "2"}, "fix");
  CHECK(settle_words({"1", "2"}, numbers).ok());
  RunRequest before = request_of({"a", "b"}, "fix");
  CHECK(settle_words({}, before).ok());
}

TEST_CASE("A prompt of - is standard input, and two prompts are one too many") {
  RunRequest request = request_of({"42"}, "-");
  REQUIRE(settle_words({}, request).ok());
  CHECK_FALSE(request.prompt.has_value());
  CHECK(request.prompt_file == "-");
  RunRequest both = request_of({"42"}, "x");
  both.prompt_file = "x.md";
  CHECK_FALSE(settle_words({}, both).ok());
}

TEST_CASE("A program gives its name to a run without an issue") {
  RunRequest request;
  request.command = {"/usr/bin/make", "-j2"};
  CHECK(name_for(request, "") == "make");
  CHECK(name_for(RunRequest(), " \n") == std::nullopt);
}

TEST_CASE("Names that may be a sentence get a hint to quote it") {
  CHECK(quote_hint({"fix", "the", "bug"}).find("orch run \"fix the bug\"") != std::string::npos);
  CHECK(quote_hint({"fix"}).empty());
  CHECK(quote_hint({"42", "43"}).empty());
  CHECK(quote_hint({"42", "the", "bug"}).empty());
}

TEST_CASE("Options that change nothing are told with the reason, if they were given") {
  RunRequest request = request_of({"42"});
  request.session_manager = "tmux";
  request.jobs = 2;
  CHECK(without_effect({}, request).empty());
  CHECK(
      without_effect({"--session-manager", "--jobs"}, request) ==
      std::vector<std::string>{"--session-manager has no effect here: only a session of -d has one",
                               "--jobs has no effect here: there is one issue"});
  request.detach = true;
  request.issues.push_back("43");
  CHECK(without_effect({"--session-manager", "--jobs"}, request).empty());
  CHECK(without_effect({"--max-turns", "--complete-keyword"}, request).empty());
  request.until = "idle";
  CHECK(without_effect({"--max-turns", "--complete-keyword"}, request).size() == 2);
}

}  // namespace orch::options
