#include "driver/call_reader.h"

#include <catch2/catch.hpp>

#include "adapters/registry.h"

namespace orch::driver {
namespace {

using agent::CallDecision;
using Action = agent::DialogRequest::Action;
using Texts = std::vector<std::string>;

const adapters::Manifest& manifest_named(const std::string& name) {
  static const adapters::Registry kRegistry = adapters::Registry::load({}).value();
  return *kRegistry.find(name);
}

std::optional<CallEvent> hook_says(const std::string& agent, const std::string& json) {
  return CallReader(manifest_named(agent)).read(json, "/work");
}

std::string pre_tool(const std::string& tool, const std::string& input,
                     const std::string& cwd = "/work") {
  return R"({"hook_event_name":"PreToolUse","tool_use_id":"t1","tool_name":")" + tool +
         R"(","cwd":")" + cwd + R"(","tool_input":)" + input + "}";
}

TEST_CASE("a command that a hook tells is the command that the policy reads") {
  const auto told =
      hook_says("claude", pre_tool("Bash", R"({"command":"git push","description":"x"})"));
  REQUIRE(told);
  CHECK(told->event->kind == adapters::CallSpec::Event::Kind::kCall);
  CHECK(told->agent_id == "t1");
  const agent::DialogRequest& request = told->call.request;
  CHECK(request.action == Action::kCommand);
  CHECK(request.complete);
  CHECK(request.likely == Texts{"git push"});
  CHECK(request.options.size() == 2);
  CHECK(hook_says("codex", pre_tool("Bash", R"({"command":"ls"})"))->call.request.likely ==
        Texts{"ls"});
}

TEST_CASE("what runs in another folder is judged from there, too") {
  const Texts both{"rm x", "cd '/etc' && rm x"};
  CHECK(
      hook_says("codex", pre_tool("Bash", R"({"command":"rm x"})", "/etc"))->call.request.likely ==
      both);
  CHECK(hook_says("codex", pre_tool("Bash", R"({"command":"rm x"})", "/work/a/../../etc"))
            ->call.request.likely.size() == 2);
  CHECK(hook_says("codex", pre_tool("Bash", R"({"command":"rm x"})", "/work/a"))
            ->call.request.likely == Texts{"rm x"});
  const auto in = [](const std::string& folder) {
    return hook_says("gemini", R"({"hook_event_name":"BeforeTool","tool_name":"run_shell_command",)"
                               R"("tool_input":{"command":"rm x","dir_path":")" +
                                   folder + R"("},"cwd":"/work"})")
        ->call.request.likely;
  };
  CHECK(in("sub") == Texts{"rm x"});
  CHECK(in("/etc") == both);
  CHECK(in("../etc") == Texts{"rm x", "cd '/work/../etc' && rm x"});
  const std::string patch = R"({"command":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"})";
  CHECK(hook_says("codex", pre_tool("apply_patch", patch, "/etc"))->call.request.paths ==
        Texts{"/etc/a"});
}

TEST_CASE("a patch says itself which files it writes") {
  const auto told = hook_says(
      "codex",
      pre_tool(
          "apply_patch",
          R"({"command":"*** Begin Patch\n*** Update File: a.py\n*** Move to: /b\n@@\n+*** Add File: no\n*** Delete File: c\n*** End Patch"})"));
  REQUIRE(told);
  CHECK(told->call.request.action == Action::kWrite);
  CHECK(told->call.request.paths == Texts{"a.py", "/b", "c"});
  CHECK(hook_says("codex", pre_tool("apply_patch", R"({"command":"no patch"})"))
            ->call.request.action == Action::kOther);
}

TEST_CASE("tools are known by what they do, and all others may do anything") {
  const auto reads = [](const std::string& agent, const std::string& json) {
    return hook_says(agent, json)->call.request.reads;
  };
  CHECK(reads("claude", pre_tool("Read", R"({"file_path":"/work/a"})")) == Texts{"/work/a"});
  CHECK(reads("claude", pre_tool("TodoWrite", R"({"todos":[]})")) == Texts{});
  CHECK_FALSE(reads("claude", pre_tool("WebFetch", R"({"url":"x"})")));
  CHECK(hook_says("claude", pre_tool("WebFetch", R"({"url":"x"})"))->call.request.action ==
        Action::kOther);
  CHECK(hook_says("claude", pre_tool("Write", R"({"file_path":"/work/a","content":"x"})"))
            ->call.request.paths == Texts{"/work/a"});
  CHECK(hook_says("claude", pre_tool("AskUserQuestion", "{}"))->call.request.kind ==
        event::Cause::kQuestion);
  CHECK(hook_says("gemini", R"({"hook_event_name":"BeforeTool","tool_name":"run_shell_command",)"
                            R"("tool_input":{"command":"ls"},"cwd":"/work"})")
            ->call.request.likely == Texts{"ls"});
}

TEST_CASE("an event that is not understood is none") {
  for (const char* json : {"", "[]", "nonsense", R"({"hook_event_name":"Other"})",
                           R"({"hook_event_name":7})", R"({"hook_event_name":"PreToolUse"})",
                           R"({"hook_event_name":"PreToolUse","tool_name":"","tool_input":{}})",
                           R"({"hook_event_name":"PreToolUse","tool_name":"Bash"})"}) {
    INFO(json);
    CHECK_FALSE(hook_says("claude", json));
  }
  CHECK_FALSE(
      hook_says("claude", pre_tool("Bash", std::string(5'000, '[') + std::string(5'000, ']'))));
  CHECK(hook_says("claude", R"({"hook_event_name":"SessionStart"})")->event->kind ==
        adapters::CallSpec::Event::Kind::kStart);
}

TEST_CASE("an answer is what the agent takes for one, and never more than it takes") {
  using Answer = CallDecision::Answer;
  const auto said = [](const std::string& agent, const std::string& event, Answer answer) {
    return answer_to(*manifest_named(agent).calls.find(event), {answer, "rule:\"x\""});
  };
  CHECK(said("claude", "PreToolUse", Answer::kAllow).find("\"allow\"") != std::string::npos);
  CHECK(said("codex", "PreToolUse", Answer::kAllow).empty());  // it would be a failed hook
  CHECK(said("gemini", "BeforeTool", Answer::kAllow).empty());
  CHECK(said("claude", "PreToolUse", Answer::kAgentAsks).empty());
  CHECK(said("codex", "PermissionRequest", Answer::kAllow).find("allow") != std::string::npos);
  for (const auto& [agent, event] :
       {std::pair{"claude", "PreToolUse"}, std::pair{"codex", "PreToolUse"},
        std::pair{"codex", "PermissionRequest"}, std::pair{"gemini", "BeforeTool"}}) {
    const std::string text = said(agent, event, Answer::kDeny);
    INFO(text);
    CHECK(text.find("deny") != std::string::npos);
    CHECK(text.find(R"(Not allowed (rule:\"x\"))") != std::string::npos);
  }
}

}  // namespace
}  // namespace orch::driver
