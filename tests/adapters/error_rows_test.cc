// The errors of the model's provider, as each agent draws them, and the statuses that its rules
// find.

#include <catch2/catch.hpp>

#include "adapters/registry.h"
#include "detect/detector.h"

namespace orch::adapters {
namespace {

using Rows = std::vector<std::string>;

// The status of a screen of 120 columns, as "error/context".
std::string told(const std::string& agent, const std::string& title, const Rows& rows) {
  static const base::Result<Registry> registry = Registry::load({});
  const auto rules = detect::RuleSet::compile(registry->find(agent)->rules);
  REQUIRE(rules);
  term::Screen screen({120, 40});
  screen.feed("\x1b]2;" + title + "\a");
  for (const std::string& row : rows) screen.feed(row + "\x1b[m\r\n");
  detect::Evidence evidence(*rules);
  evidence.refresh(0, screen);
  const detect::Finding finding = evidence.evaluate();
  return event::status_text(finding.status, finding.cause);
}

Rows over_box(Rows turn, const Rows& box) {
  turn.insert(turn.end(), box.begin(), box.end());
  return turn;
}

std::string rule_of(const std::string& sign) {
  std::string rule;
  for (int i = 0; i < 120; ++i) rule += sign;
  return rule;
}

constexpr char kGray[] = "\x1b[38;2;153;153;153m", kRed[] = "\x1b[38;2;255;107;128m",
               kYellow[] = "\x1b[38;2;255;193;7m", kWhite[] = "\x1b[38;2;255;255;255m",
               kCode[] = "\x1b[38;2;177;185;249m";

// The status below a message of the user that mentions all these errors.
std::string claude(const Rows& turn) {
  Rows rows{"❯ Handle 429, 401 and a prompt that is too long."};
  rows.insert(rows.end(), turn.begin(), turn.end());
  return told("claude", "✳ Claude Code",
              over_box(rows, {rule_of("─"), "❯\u00a0", rule_of("─"), "  ? for shortcuts"}));
}
// The status of an error that is drawn in red, under a bracket.
std::string claude_says(const std::string& words) {
  return claude({kGray + std::string("  ⎿  ") + kRed + words});
}

}  // namespace

TEST_CASE("Claude: the limits of a subscription") {
  for (const std::string words :
       {"You've hit your session limit · resets 9:16am (UTC)",
        "You've hit your 5-hour limit · resets 9:16am (UTC)",
        "You've hit your weekly limit · resets Nov 27, 9:16am (UTC)",
        "You've hit your Opus limit · resets Nov 27, 9:20am (UTC)",
        "You've hit your org's monthly spend limit · ask your admin to raise it at claude.ai",
        "You've reached your Fable 5 limit. Run /usage-credits to continue or /model to switch.",
        "You're out of usage credits · resets 3pm", "You're out of extra usage · resets 3pm",
        "Your org is out of usage · contact your admin",
        "Your seat type doesn't include usage credits",
        "Your group's usage limit is set to $0 · run /usage-credits to ask your admin",
        "Fable 5 requires usage credits. /model to switch models."}) {
    INFO(words);
    CHECK(claude_says(words) == "error/rate_limit");
  }
  // claude 2.1.330 goes on by itself after such an error, and says so below it.
  const std::string error = kGray + std::string("  ⎿  ") + kRed + "You've hit your 5-hour limit";
  for (const std::string words : {"Usage limit reached · set to continue automatically at 9:16am",
                                  "Automatic continue cancelled · /rate-limit-options"}) {
    CHECK(claude({error, "", kGray + ("● " + words)}) == "error/rate_limit");
  }
  CHECK(claude({error, kGray + std::string("     /upgrade or /login to switch to an account.")}) ==
        "error/rate_limit");
}

TEST_CASE("Claude: what is wrong with the prompt, the model and the login") {
  CHECK(claude_says("Prompt is too long · /clear to start fresh") == "error/context");
  CHECK(claude_says("Context limit reached · /compact or /clear to continue") == "error/context");
  CHECK(claude_says("Not logged in · Please run /login") == "error/auth");
  CHECK(claude_says("Not logged in") == "error/auth");  // the rest is in the next row
  CHECK(claude_says("OAuth token revoked · Please run /login") == "error/auth");
  CHECK(claude_says("Invalid API key · Fix external API key") == "error/auth");
  CHECK(claude_says("Your ANTHROPIC_API_KEY belongs to a disabled organization") == "error/auth");
  CHECK(claude_says("Credit balance too low · Add funds: https://claude.com") == "error/api");
  CHECK(claude_says("Request timed out") == "error/api");
  CHECK(claude_says("We are experiencing high demand for Opus 4.") == "error/overloaded");
  const auto in_one_colour = [](const std::string& words) {
    return claude({kYellow + ("● " + words)});
  };
  CHECK(in_one_colour("Please run /login · API Error: 403 No permission.") == "error/auth");
  CHECK(in_one_colour("API Error: Request rejected (429) · Try again") == "error/rate_limit");
  CHECK(in_one_colour("API Error: 529 Overloaded.") == "error/overloaded");
  CHECK(in_one_colour("API Error: 500 Internal server error.") == "error/api");
  CHECK(in_one_colour("API Error: 400 tools.0.name: must match") == "error/api");
}

TEST_CASE("Claude: what a model quotes is no error, and what it said before is no cause") {
  const std::string limit = "You've hit your session limit · resets 3pm";
  CHECK(claude({kWhite + std::string("● It says:"), "", "  ⎿  " + limit}) == "idle");
  CHECK(claude({kWhite + std::string("● It says:"), "", kCode + ("  ⎿  " + limit)}) == "idle");
  CHECK(claude({kWhite + std::string("● \x1b[m") + limit}) == "idle");
  CHECK(claude({kGray + std::string("  ⎿  ") + kRed + limit, "",
                kWhite + std::string("● \x1b[mThen it went on.")}) == "idle");
  CHECK(claude({kWhite + std::string("● \x1b[mThe status is (429), the key an invalid api key."),
                "", kYellow + std::string("● API Error: 500 Internal server error.")}) ==
        "error/api");
}

TEST_CASE("Claude: the dialog of a limit, under either rule") {
  for (const std::string sign : {"─", "▔"}) {
    CHECK(told("claude", "✳ Claude Code",
               {"❯ hello", "  ⎿  You've hit your session limit · resets 9:16am (UTC)", "",
                "❯ /rate-limit-options", "", rule_of(sign), "  What do you want to do?", "",
                "  ❯ 1. Stop and wait for limit to reset", "    2. Upgrade your plan", "",
                "  Enter to confirm · Esc to cancel"}) == "waiting/limit");
  }
}

TEST_CASE("Codex: what its squares say") {
  const auto codex = [](const std::string& words) {
    return told("codex", "demo",
                over_box({"› Handle 429 and status: 401 Unauthorized", "", "■ " + words, ""},
                         {"› Ask Codex to do anything", "", "  GPT-5.5 default · ~/demo",
                          "  ← for agents · ? for shortcuts"}));
  };
  CHECK(codex("Codex ran out of room in the model's context window.") == "error/context");
  CHECK(codex("unexpected status 401 Unauthorized: Incorrect API key") == "error/auth");
  CHECK(codex("unexpected status 403 Forbidden: No permission.") == "error/auth");
  CHECK(codex("unexpected status 402 Payment Required: Credit is low") == "error/api");
  CHECK(codex("The model `gpt-5.5` does not exist or you do not have access") == "error/model");
  CHECK(codex("exceeded retry limit, last status: 429 Too Many Requests") == "error/rate_limit");
  CHECK(codex("You’ve hit your usage limit. Upgrade to Pro or try again at 9:21 AM.") ==
        "error/rate_limit");
  CHECK(codex("unexpected status 503 Service Unavailable: Overloaded") == "error/overloaded");
  CHECK(codex("We’re currently experiencing high demand, which may cause errors.") == "error/api");
}

TEST_CASE("opencode: an error stands in a panel over a turn that has no duration") {
  const auto opencode = [](const Rows& turn, const std::string& end) {
    Rows rows{"  ┃", "  ┃  Handle 401 and a rate limit.", "  ┃", ""};
    rows.insert(rows.end(), turn.begin(), turn.end());
    rows.insert(rows.end(), {"", end, "", "", "  ┃", "  ┃", "  ┃", "  ┃  Build · canary canary",
                             "  ╹" + rule_of("▀").substr(0, 300),
                             "   ~/demo                      tab agents  ctrl+p commands"});
    return told("opencode", "OC | Demo", rows);
  };
  const auto panel = [&opencode](const Rows& words) {
    Rows rows{"  ┃"};
    for (const std::string& row : words) rows.push_back("  ┃  " + row);
    rows.emplace_back("  ┃");
    return opencode(rows, "     ▣  Build · canary");
  };
  CHECK(panel({"tools.0.name: must match a pattern"}) == "error/api");
  CHECK(panel({"Incorrect API key provided: sk-****."}) == "error/auth");
  CHECK(panel({"Your account does not have permission to use this."}) == "error/auth");
  CHECK(panel({"The model `canary` does not exist or you do", "not have access to it."}) ==
        "error/model");
  CHECK(panel({"Your credit balance is too low to access the API. Please go to Plans &",
               "Billing to upgrade."}) == "error/api");
  // Finished turns, with a tool's panel or with words, and an interrupted one.
  const Rows tool{"  ┃", "  ┃  $ make", "  ┃", "  ┃  Incorrect API key", "  ┃"};
  CHECK(opencode(tool, "     ▣  Build · canary · 4.1s") == "idle");
  CHECK(opencode({"     Incorrect API key provided"}, "     ▣  Build · canary · 1m 2s") == "idle");
  CHECK(opencode(tool, "     ▣  Build · canary · interrupted") == "idle");
  CHECK(opencode({"     It ends with:", "     ▣  Build · canary"},
                 "     ▣  Build · canary · 1.2s") == "idle");
}

namespace {

// opencode at the end of a turn: the message of the user, what follows it, and the turn's last row.
std::string opencode_frame(const Rows& turn, const std::string& last, const std::string& below,
                           const std::string& box = "") {
  Rows rows{"  ┃", "  ┃  Handle 401 and a rate limit.", "  ┃", ""};
  rows.insert(rows.end(), turn.begin(), turn.end());
  const Rows end{last,
                 "",
                 "  ┃",
                 "  ┃  " + box,
                 "  ┃",
                 "  ┃  Build · canary canary",
                 "  ╹" + rule_of("▀").substr(0, 300),
                 below};
  rows.insert(rows.end(), end.begin(), end.end());
  std::string drawn = "\x1b[2J\x1b[H";
  for (const std::string& row : rows) drawn += row + "\r\n";
  return drawn;
}

// The statuses that are told while opencode draws such frames, each at its time in milliseconds.
// "\r" is no frame but Enter, which is typed.
Rows told_of(const std::vector<std::pair<base::TimeMs, std::string>>& frames) {
  static const base::Result<Registry> registry = Registry::load({});
  const auto rules = detect::RuleSet::compile(registry->find("opencode")->rules);
  REQUIRE(rules);
  term::Screen screen({120, 40});
  detect::Detector detector(*rules, 0);
  Rows told;
  const auto wait_until = [&](base::TimeMs end) {
    while (detector.next_deadline() < end) {
      const auto change = detector.on_timer(detector.next_deadline(), screen);
      if (change) told.push_back(event::status_text(change->status, change->cause));
    }
  };
  for (const auto& [at, bytes] : frames) {
    wait_until(at);
    if (bytes == "\r") {
      detector.on_input(at, bytes);
      continue;
    }
    screen.feed(bytes);
    detector.on_output(at, screen);
  }
  wait_until(frames.back().first + 60'000);
  return told;
}

}  // namespace

TEST_CASE("opencode: the end of work alone is no error, for its panel or the duration follow") {
  const std::string last = "     ▣  Build · canary";
  const std::string prompt = "   ~/demo                      tab agents  ctrl+p commands";
  const std::string works =
      opencode_frame({}, last, "   ⬝⬝⬝■■■⬝⬝  esc interrupt    ctrl+p commands");
  const std::string ended = opencode_frame({}, last, prompt);
  const std::string failed =
      opencode_frame({"  ┃", "  ┃  Incorrect API key provided: sk-****.", "  ┃", ""}, last, prompt);
  const std::string done = opencode_frame({"     All is done.", ""}, last + " · 4.1s", prompt);
  CHECK(told_of({{0, works}, {2'000, ended}, {4'000, failed}}) == Rows{"working", "error/auth"});
  CHECK(told_of({{0, works}, {2'000, ended}, {4'000, done}}) == Rows{"working", "idle"});
  CHECK(told_of({{0, works}, {2'000, failed}}) == Rows{"working", "error/auth"});
}

TEST_CASE("opencode: after Enter it takes its time before it shows that it works") {
  const std::string prompt = "   ~/demo                      tab agents  ctrl+p commands";
  const std::string last = "     ▣  Build · canary";
  const std::string typed = opencode_frame({}, last + " · 1.0s", prompt, "Tell what you find.");
  const std::string taken = opencode_frame({}, "", prompt);
  const std::string works =
      opencode_frame({}, last, "   ⬝⬝⬝■■■⬝⬝  esc interrupt    ctrl+p commands");
  const std::string done = opencode_frame({"     All is done.", ""}, last + " · 4.1s", prompt);
  CHECK(told_of({{0, typed}, {2'000, "\r"}, {2'500, taken}, {25'000, works}, {26'000, done}}) ==
        Rows{"idle/draft", "working/submitted", "working", "idle"});
  CHECK(told_of({{0, typed}, {2'000, "\r"}, {2'500, taken}}) ==
        Rows{"idle/draft", "working/submitted", "idle"});
}

}  // namespace orch::adapters
