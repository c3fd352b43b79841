// Words, titles and names of folders that look like what the rules look for.

#include <catch2/catch.hpp>

#include "adapters/registry.h"
#include "detect/detector.h"

namespace orch::adapters {
namespace {

using event::AgentStatus;
using Lines = std::vector<std::string>;

// The status that an agent's rules find on a screen of 80 columns.
AgentStatus seen(const std::string& agent, const std::string& title, const Lines& rows) {
  static const base::Result<Registry> registry = Registry::load({});
  const auto rules = detect::RuleSet::compile(registry->find(agent)->rules);
  REQUIRE(rules);
  term::Screen screen({80, 24});
  screen.feed("\x1b]2;" + title + "\a");
  for (const std::string& row : rows) screen.feed(row + "\x1b[m\r\n");
  detect::Evidence evidence(*rules);
  evidence.refresh(0, screen);
  return evidence.evaluate().status;
}

Lines operator+(Lines rows, const Lines& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

const std::string kRule(
    "────────────────────────────────────────────────────────────────────────────────");
const Lines kClaudeBox{kRule, "❯\u00a0", kRule, "  ? for shortcuts"};
const Lines kQwenBox{kRule, ">   Type your message or @path/to/file", kRule, "  ? for shortcuts"};
const Lines kCopilotBox{"╻▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄", "┃", "╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀",
                        " ← open sidebar · Interactive"};
const Lines kCodexBox{"› Ask Codex to do anything", "", "  GPT-5.5 default · ~/demo",
                      "  ← for agents · ? for shortcuts"};

}  // namespace

TEST_CASE("Claude: an error is in one colour with its sign; code in prose is not") {
  const std::string white = "\x1b[38;2;255;255;255m● ", code = "\x1b[38;2;177;185;249m";
  const auto claude = [](const std::string& row) {
    return seen("claude", "✳ Claude Code", Lines{"❯ hello", row} + kClaudeBox);
  };
  CHECK(claude("\x1b[38;2;255;193;7m● API Error: Request rejected (429)") == AgentStatus::kError);
  CHECK(claude("\x1b[38;2;153;153;153m  ⎿  \x1b[38;2;255;107;128mInvalid API key") ==
        AgentStatus::kError);
  CHECK(claude(white + code + "API Error\x1b[39m: 429") == AgentStatus::kIdle);
  CHECK(claude(white + code + "API Error: Request rejected (429)") == AgentStatus::kIdle);
  CHECK(claude(white + "\x1b[39;1mAPI Error\x1b[m: 429") == AgentStatus::kIdle);
}

TEST_CASE("Claude: a title that spins as braille, as a circle or as > is work, * and ✳ are rest") {
  for (const std::string sign : {"⠂", "⠐", "◐", "◑", ">"}) {
    CHECK(seen("claude", sign + " Lab session", kClaudeBox) == AgentStatus::kWorking);
  }
  for (const std::string sign : {"✳ ", "* ", ""}) {
    CHECK(seen("claude", sign + "Lab session", kClaudeBox) == AgentStatus::kIdle);
  }
}

TEST_CASE("Qwen: an error stands where a message has its sign, prose further right") {
  CHECK(seen("qwen", "Qwen - demo", Lines{"  > hello", "  ✕ [API Error: 429]"} + kQwenBox) ==
        AgentStatus::kError);
  CHECK(seen("qwen", "Qwen - demo",
             Lines{"  > hello", "  ✦ It said:", "    ✕ [API Error: 429]"} + kQwenBox) ==
        AgentStatus::kIdle);
}

TEST_CASE("Copilot: a message that begins with Error or Failed is prose") {
  const auto copilot = [](const std::string& row) {
    return seen("copilot", "demo - GitHub Copilot", Lines{"  ❯ hello", row} + kCopilotBox);
  };
  CHECK(copilot(" ✗ Error: 401") == AgentStatus::kError);
  CHECK(copilot(" ● Request failed due to a model error.") == AgentStatus::kError);
  CHECK(copilot(" ● Error handling is done in main.") == AgentStatus::kIdle);
  CHECK(copilot(" ● Failed tests are listed below.") == AgentStatus::kIdle);
}

TEST_CASE("Codex: a folder of that name asks for no action") {
  CHECK(seen("codex", "[ ! ] Action Required | demo", kCodexBox) == AgentStatus::kWaiting);
  CHECK(seen("codex", "[ . ] Action Required | demo", kCodexBox) == AgentStatus::kWaiting);
  CHECK(seen("codex", "Action Required", kCodexBox) == AgentStatus::kIdle);
  CHECK(seen("codex", "⠋ Action Required", kCodexBox) == AgentStatus::kWorking);
}

}  // namespace orch::adapters
