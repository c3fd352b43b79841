#include "demo/agent.h"

#include <catch2/catch.hpp>

#include "scene.h"

using namespace orch::demo;
namespace term = orch::term;

TEST_CASE("at the prompt: modes, title, box, footer") {
  Scene scene("plain", {}, {40, 24});
  CHECK(scene.output().empty());
  scene.wait(Scene::kSettledMs);
  CHECK(scene.screen().modes().bracketed_paste);
  CHECK(scene.screen().modes().focus_reports);
  CHECK_FALSE(scene.screen().modes().cursor_visible);
  CHECK(scene.screen().title() == "○ demo");
  std::string rule;
  for (int i = 0; i < 40; ++i) rule += "─";
  CHECK(scene.row_from_end(4) == rule);
  CHECK(scene.row_from_end(3) == "»\u00a0");
  CHECK(scene.row_from_end(2) == rule);
  CHECK(scene.row_from_end(1) == "  enter to send · /help          plain");
  CHECK(scene.screen().cursor_col() == 2);
}

TEST_CASE("frames are used after the terminal's answer, not before") {
  Scene scene("plain");
  scene.wait(Scene::kSettledMs);
  CHECK(scene.screen().synchronized_frames() == 0);
  scene.type("x");
  CHECK(scene.screen().synchronized_frames() == 1);
  CHECK_FALSE(scene.screen().modes().synchronized);
}

TEST_CASE("a draft hides the footer's text") {
  Scene scene("plain");
  scene.wait(Scene::kSettledMs);
  scene.type("x");
  CHECK_FALSE(scene.shows("enter to send"));
  scene.type("\x15");
  CHECK(scene.shows("enter to send"));
}

TEST_CASE("working: title, spinner and footer; no spinner while text streams; idle again") {
  Scene scene("plain");
  scene.wait(Scene::kSettledMs);
  scene.send("go");
  CHECK(scene.row(5) == "· Thinking… (0s · esc to stop)");
  CHECK(scene.row_from_end(1).starts_with("  esc to stop"));
  CHECK(scene.screen().title() == "◐ demo");
  scene.wait(Agent::kFrameMs);
  CHECK(scene.row(5) == "✢ Thinking… (0s · esc to stop)");
  REQUIRE(scene.wait_for("● "));
  CHECK_FALSE(scene.shows("Thinking"));
  CHECK(scene.row_from_end(1).starts_with("  esc to stop"));
  CHECK(scene.screen().title() == "◐ demo");
  REQUIRE(scene.wait_for("✻ Worked for 0s"));
  CHECK(scene.shows("● answer 1"));
  CHECK(scene.screen().title() == "○ demo");
  CHECK(scene.row_from_end(1).starts_with("  enter to send"));
}

TEST_CASE("the spinner is repainted cell by cell") {
  Scene scene("hang");
  scene.wait(Scene::kSettledMs);
  scene.send("go");
  scene.wait(3 * Agent::kFrameMs + 1000);
  const size_t before = scene.output().size();
  scene.wait(Agent::kFrameMs);
  const std::string frame = scene.output().substr(before);
  CHECK_FALSE(frame.empty());
  CHECK(frame.find("Thinking") == std::string::npos);
  CHECK(frame.find("esc") == std::string::npos);
  CHECK(scene.shows("s · esc to stop)"));
}

TEST_CASE("the trust dialog comes before the prompt and without a title") {
  Scene scene("trust");
  scene.wait(Scene::kSettledMs);
  CHECK(scene.screen().title().empty());
  CHECK(scene.shows(" ❯ 1. Yes, I trust this folder"));
  CHECK(scene.row_from_end(1) == " Enter to confirm · Esc to cancel");
  scene.type(pasted("a message") + "words");
  CHECK(scene.shows(" ❯ 1. Yes, I trust this folder"));
  scene.type("\r");
  CHECK(scene.shows("enter to send"));
  CHECK(scene.row_from_end(3) == "»\u00a0");
  CHECK_FALSE(scene.shows("trust this folder"));
}

TEST_CASE("not to trust is to leave") {
  for (const std::string_view keys : {"2", "\x1b[B\r", "\x1b"}) {
    Scene scene("trust");
    scene.wait(Scene::kSettledMs);
    scene.type(keys);
    scene.wait(KeyReader::kEscapeMs);
    CHECK(scene.agent().exit_code() == 1);
  }
}

TEST_CASE("a permission replaces the box; yes runs the tool") {
  Scene scene("permission");
  scene.wait(Scene::kSettledMs);
  scene.send("go");
  REQUIRE(scene.wait_for("Do you want to proceed?"));
  CHECK(scene.shows("● Bash(touch out.txt && echo tests passed)"));
  CHECK(scene.shows("  ⎿ Waiting…"));
  CHECK(scene.row_from_end(4) == " ❯ 1. Yes");
  CHECK(scene.row_from_end(3) == "   2. No");
  CHECK(scene.row_from_end(1) == " Enter to confirm · Esc to cancel");
  CHECK(scene.screen().title() == "○ demo");
  CHECK_FALSE(scene.shows("enter to send"));
  const int marked = scene.screen().cursor_row();
  CHECK(scene.row(marked) == " ❯ 1. Yes");
  scene.type("1");
  CHECK(scene.shows("  ⎿ tests passed"));
  CHECK(scene.wait_for("  LOOP_COMPLETE"));
}

TEST_CASE("a permission refused ends the turn without the tool") {
  Scene scene("permission");
  scene.wait(Scene::kSettledMs);
  scene.send("go");
  REQUIRE(scene.wait_for("Do you want to proceed?"));
  scene.type("\x1b[A");
  CHECK(scene.row_from_end(3) == " ❯ 2. No");
  scene.type("\r");
  REQUIRE(scene.wait_for("enter to send"));
  CHECK(scene.shows("  ⎿ No"));
  CHECK_FALSE(scene.shows("tests passed."));
}

TEST_CASE("Esc in a question interrupts the turn") {
  Scene scene("question");
  scene.wait(Scene::kSettledMs);
  scene.send("go");
  REQUIRE(scene.wait_for("3. None of them"));
  scene.type("\x1b");
  scene.wait(KeyReader::kEscapeMs);
  CHECK(scene.shows("  ⎿ Interrupted · What should the agent do instead?"));
  CHECK(scene.row_from_end(1).starts_with("  enter to send"));
}

TEST_CASE("Esc stops the turn; at the prompt it does nothing to a draft") {
  Scene scene("hang");
  scene.wait(Scene::kSettledMs);
  scene.send("go");
  scene.type("next");
  scene.type("\x1b");
  scene.wait(KeyReader::kEscapeMs);
  CHECK(scene.shows("Interrupted"));
  CHECK(scene.screen().title() == "○ demo");
  scene.type("\x1b");
  scene.wait(KeyReader::kEscapeMs);
  CHECK(scene.shows("»\u00a0next"));
}

TEST_CASE("Ctrl-C hints, and leaves only if it comes again soon") {
  Scene scene("plain");
  scene.wait(Scene::kSettledMs);
  scene.type("\x03");
  CHECK(scene.shows("press ctrl-c again to exit"));
  scene.wait(Agent::kExitHintMs);
  CHECK(scene.shows("enter to send"));
  scene.type("\x03");
  CHECK_FALSE(scene.agent().exit_code());
  scene.type("\x03");
  CHECK(scene.agent().exit_code() == 0);
  CHECK(scene.screen().modes().cursor_visible);
  CHECK_FALSE(scene.screen().modes().bracketed_paste);
}

TEST_CASE("commands: /exit leaves, /help helps, /clear forgets, others are unknown") {
  Scene scene("plain");
  scene.wait(Scene::kSettledMs);
  scene.send("/help");
  CHECK(scene.shows("/exit   leave"));
  scene.send("/nonsense");
  CHECK(scene.shows("Unknown command: /nonsense"));
  scene.send("/clear");
  CHECK_FALSE(scene.shows("Unknown"));
  CHECK(scene.accepted().empty());
  scene.send("/etc/hosts is a file");
  CHECK(scene.accepted().size() == 1);
  scene.wait(5000);
  scene.send("/exit");
  CHECK(scene.agent().exit_code() == 0);
}

TEST_CASE("an error ends the turn at the prompt") {
  Scene scene("error");
  scene.wait(Scene::kSettledMs);
  scene.send("go");
  REQUIRE(scene.wait_for("● API Error: 500 "));
  CHECK(scene.shows("enter to send"));
  CHECK(scene.screen().title() == "○ demo");
}

TEST_CASE("exit-early and crash end the process in the turn") {
  for (const auto& [name, code] : {std::pair("exit-early", 0), std::pair("crash", 3)}) {
    Scene scene(name);
    scene.wait(Scene::kSettledMs);
    scene.send("go");
    scene.wait(20'000);
    CHECK(scene.agent().exit_code() == code);
    CHECK_FALSE(scene.agent().deadline());
  }
}

TEST_CASE("slow-start draws nothing for two seconds") {
  Scene scene("slow-start");
  scene.wait(1999);
  CHECK(scene.output().empty());
  scene.wait(1);
  CHECK(scene.shows("enter to send"));
}

TEST_CASE("a long answer leaves through the top, each line once and in order") {
  for (const term::Size size : {term::Size{80, 24}, term::Size{120, 40}, term::Size{30, 8}}) {
    Scene scene("long", {}, size);
    scene.wait(Scene::kSettledMs);
    scene.send("go");
    REQUIRE(scene.wait_for("LOOP_COMPLETE"));
    std::vector<std::string> lines = scene.scrolled(), counted, expected;
    for (std::string& row : scene.rows()) lines.push_back(std::move(row));
    for (const std::string& line : lines) {
      const size_t at = line.find("line ");
      if (at != std::string::npos) counted.push_back(line.substr(at));
    }
    for (int n = 1; n <= 300; ++n) expected.push_back("line " + std::to_string(n) + " of 300");
    CHECK(counted == expected);
  }
}

TEST_CASE("a resize draws the same document at the new width") {
  Scene scene("default");
  scene.wait(Scene::kSettledMs);
  scene.send("go");
  REQUIRE(scene.wait_for("LOOP_COMPLETE"));
  scene.wait(1000);
  scene.resize({40, 50});
  CHECK(scene.row(0).find("orch demo agent") != std::string::npos);
  CHECK(scene.shows("● I will look at the project first –"));
  CHECK(scene.shows("  naïve guesses cost more than"));
  CHECK(scene.row_from_end(3) == "»\u00a0");
}

TEST_CASE("no size is too small") {
  for (const term::Size size : {term::Size{1, 1}, term::Size{2, 3}, term::Size{7, 2}}) {
    Scene scene("default", {}, size);
    scene.wait(Scene::kSettledMs);
    scene.send("go");
    scene.wait(10'000);
    scene.resize({3, 1});
    scene.resize({80, 24});
    CHECK(scene.shows("LOOP_COMPLETE"));
  }
}
