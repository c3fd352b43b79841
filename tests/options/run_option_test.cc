#include "options/run_option.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "base/json_writer.h"
#include "base/text.h"

using namespace orch;
using namespace orch::options;

namespace {

// A valid value of an option that is not its default.
std::string other_value(const RunOption& option) {
  if (std::holds_alternative<bool RunRequest::*>(option.member)) {
    return value_text(option, RunRequest()) == "true" ? "false" : "true";
  }
  const bool number = std::holds_alternative<int RunRequest::*>(option.member) ||
                      std::holds_alternative<std::optional<int> RunRequest::*>(option.member);
  if (number) return "7";
  switch (option.form) {
    case Form::kText:
      return "something";
    case Form::kOneOf:
      for (const std::string_view word : base::split_at_blanks(option.words)) {
        if (word != value_text(option, RunRequest())) return std::string(word);
      }
      return "";
    case Form::kDuration:
      return "7m";
    case Form::kBytes:
      return "7K";
    case Form::kSize:
      return "77x17";
  }
  return "";
}

RunRequest with(const RunOption& option, const std::string& value) {
  RunRequest request;
  const base::Status set = set_value(option, value, request);
  INFO(option.name << " " << value << (set ? "" : ": " + set.error().text));
  REQUIRE(set);
  return request;
}

}  // namespace

TEST_CASE("each option has a name, a help and a field of its own, and a right default") {
  std::set<std::string_view> names, fields, members;
  CHECK(check_values(RunRequest()).ok());
  for (const RunOption& option : run_options()) {
    INFO(option.name);
    CHECK(names.insert(long_name(option)).second);
    CHECK(find_run_option(long_name(option)) == &option);
    CHECK_FALSE(option.help.empty());
    if (option.record != nullptr) CHECK(fields.insert(option.record).second);
    if (option.form == Form::kOneOf) CHECK(base::split_at_blanks(option.words).size() > 1);
    const RunRequest request = with(option, other_value(option));
    CHECK_FALSE(request == RunRequest());
    CHECK(check_values(request).ok());
    for (const RunOption& another : run_options()) {
      if (&another == &option) continue;
      INFO(another.name);
      CHECK(value_text(another, request) == value_text(another, RunRequest()));
    }
  }
  CHECK(find_run_option("--no-such-option") == nullptr);
}

TEST_CASE("what a record keeps of a request is read again as it was") {
  RunRequest whole;
  for (const RunOption& option : run_options()) {
    const RunRequest request = with(option, other_value(option));
    const base::Json json = base::object_of(request, kRunRequestFields);
    const auto read = base::record_of<RunRequest>("", base::json_text(json), kRunRequestFields);
    INFO(option.name << " " << base::json_text(json));
    REQUIRE(read);
    const bool kept = option.record != nullptr || option.name == "-p,--prompt";
    CHECK(*read == (kept ? request : RunRequest()));
    copy_value(option, request, whole);
  }
  for (const RunOption& option : run_options()) {
    CHECK(whole != with(option, other_value(option)));
  }
}

TEST_CASE("a record that says nothing of an option means its default") {
  const auto read = base::record_of<RunRequest>("", "{}", kRunRequestFields);
  REQUIRE(read);
  CHECK(*read == RunRequest());
}

TEST_CASE("a wrong value is refused by the option's name, with what to write") {
  const auto refused = [](auto change) {
    RunRequest request;
    change(request);
    const base::Status checked = check_values(request);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == base::ErrorCode::kUsage);
    return checked.error().text;
  };
  CHECK(refused([](RunRequest& r) { r.until = "never"; }) ==
        "--until never: write complete, idle, exit or exited");
  CHECK(refused([](RunRequest& r) { r.mode = ""; }) ==
        "--mode : write interactive, headless or acp");
  CHECK(refused([](RunRequest& r) { r.timeout = "soon"; }) ==
        "--timeout soon: \"soon\" is not a duration; write 90s, 10m or 2h");
  CHECK(refused([](RunRequest& r) { r.size = "big"; }) ==
        "--size big: write COLSxROWS, like 120x40");
  CHECK(refused([](RunRequest& r) { r.record_limit = "0"; }) ==
        "--record-limit 0: write a size, like 64K, 256M or 2G");
  CHECK(refused([](RunRequest& r) { r.max_turns = 0; }) == "--max-turns must be at least 1");
  CHECK(refused([](RunRequest& r) { r.jobs = -1; }) == "--jobs must be at least 1");
  CHECK(refused([](RunRequest& r) { r.pids_limit = -1; }) == "--pids-limit must be at least 0");
  RunRequest request;
  request.ask_timeout = "never";
  CHECK(check_values(request).ok());
}

TEST_CASE("an option that takes something away is told by what it takes away") {
  const RunOption* bell = find_run_option("--no-bell");
  REQUIRE(bell != nullptr);
  CHECK(config_name(*bell) == "bell");
  CHECK_FALSE(with(*bell, "false").bell);
  RunRequest request;
  CHECK_FALSE(set_value(*bell, "loud", request).ok());
}

TEST_CASE("a crew takes fewer words, which its help and its errors name") {
  const RunOption* manager = find_run_option("--session-manager");
  REQUIRE(manager != nullptr);
  CHECK(words_in(*manager, Also::kCrew) == "native tmux");
  CHECK(words_in(*manager, Also::kAgain) == manager->words);
  RunRequest request;
  request.session_manager = "zellij";
  CHECK(check_values(request).ok());
  CHECK(check_values(request, Also::kCrew).error().text ==
        "--session-manager zellij: write native or tmux");
  for (const RunOption& option : run_options()) {
    INFO(option.name);
    const bool stands = stands_in(option, Also::kCrew);
    CHECK((stands || (option.crew_help.empty() && option.crew_words.empty())));
    // A help text says nothing of a word that is refused.
    const std::vector<std::string_view> taken =
        base::split_at_blanks(words_in(option, Also::kCrew));
    for (const std::string_view word : base::split_at_blanks(option.words)) {
      if (!stands || std::find(taken.begin(), taken.end(), word) != taken.end()) continue;
      CHECK(help_in(option, Also::kCrew).find(word) == std::string_view::npos);
    }
  }
}
