#include "driver/recorded_call.h"

#include <catch2/catch.hpp>

#include "adapters/registry.h"

namespace orch::driver {
namespace {

using agent::DialogRequest;
using event::Tool;
using event::ToolPhase;

Tool decided(const std::string& id, const std::string& tool, const std::string& input,
             const std::string& decision, const std::string& by, int64_t ms = 3) {
  Tool told{.id = id, .name = tool, .input = input, .text = "", .phase = ToolPhase::kDecided};
  told.decided = decision;
  told.by = by;
  told.decided_ms = ms;
  return told;
}

std::vector<RecordedCall> calls_of(const std::vector<event::Event>& events) {
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  const adapters::Manifest& claude = *registry->find("claude");
  const ToolKinds kinds({&claude.calls.tools, &claude.headless.tools});
  RecordedCalls calls(kinds);
  for (const event::Event& event : events) calls.take(event);
  return std::move(calls).all();
}

}  // namespace

TEST_CASE("A recorded call is read as the policy has read it") {
  const auto calls = calls_of({
      decided("1", "Bash", "make test", "allow", "policy:all"),
      decided("2", "Write", R"({"file_path":"/a/b.txt","content":"x"})", "deny", "rule:no"),
      decided("3", "Write", R"({"file_path":"/a/b.txt","content":"cut of)", "asked", "x"),
      decided("4", "mcp__x__y", R"({"a":1})", "asked", "policy:all"),
      Tool{.id = "1", .name = "Bash", .input = "{}", .text = ""},
  });
  REQUIRE(calls.size() == 4);
  CHECK(calls[0].request.action == DialogRequest::Action::kCommand);
  CHECK(calls[0].request.likely == std::vector<std::string>{"make test"});
  CHECK(calls[0].ms == 3);
  CHECK(calls[1].request.paths == std::vector<std::string>{"/a/b.txt"});
  CHECK(calls[1].what == "/a/b.txt");
  CHECK(calls[1].decided == "deny");
  CHECK_FALSE(calls[2].request.complete);
  CHECK(calls[3].request.action == DialogRequest::Action::kOther);
}

TEST_CASE("A call that a person was asked about counts once, and so does its dialog") {
  event::Dialog dialog{.cause = event::Cause::kPermission,
                       .title = "The agent wants to use Bash",
                       .body = "make $X",
                       .options = {"Yes", "No"},
                       .answer = "",
                       .by = "",
                       .tool = "Bash",
                       .command = "make $X",
                       .paths = {},
                       .complete = true};
  event::Dialog answered = dialog;
  answered.answer = "Yes";
  answered.by = "user";
  SECTION("of a hook") {
    const auto calls =
        calls_of({decided("1", "Bash", "make $X", "asked", "denylist:unreadable"), dialog, answered,
                  decided("1", "Bash", "make $X", "allow", "user", 900)});
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].decided == "asked");
    CHECK(calls[0].by == "denylist:unreadable");
    CHECK(calls[0].ms == 900);
  }
  SECTION("of the agent's own dialogs") {
    dialog.by = "policy:none";
    event::Dialog other = answered;
    other.command = other.body = "make";
    other.answer = "No";
    other.by = "rule:never";
    const auto calls = calls_of({dialog, answered, other});
    REQUIRE(calls.size() == 2);
    CHECK(calls[0].decided == "asked");
    CHECK(calls[0].by == "policy:none");
    CHECK(calls[0].is_dialog);
    CHECK(calls[1].decided == "deny");
    CHECK(calls[1].request.likely == std::vector<std::string>{"make"});
  }
}

}  // namespace orch::driver
