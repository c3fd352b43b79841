// How messages reach the demo agent, and how the scenarios for tests of delivery go wrong.
#include <catch2/catch.hpp>

#include "scene.h"

using namespace orch::demo;

using Messages = std::vector<std::string>;

TEST_CASE("typed and pasted text is in the box and leaves it with Enter, byte for byte") {
  Scene scene("plain");
  scene.wait(Scene::kSettledMs);
  scene.type("héllo ");
  scene.type(pasted("two\r\n\tlines  "));
  CHECK(scene.row(4) == "»\u00a0héllo two");
  CHECK(scene.row(5) == "      lines");
  CHECK(scene.accepted().empty());
  scene.wait(Agent::kPasteSettleMs);
  scene.type("\r");
  CHECK(scene.accepted() == Messages{"héllo two\n\tlines  "});
  CHECK(scene.shows("» héllo two"));
  CHECK(scene.row_from_end(3) == "»\u00a0");
}

TEST_CASE("more than ten pasted lines are shown as a placeholder and sent whole") {
  std::string text = "first";
  for (int i = 1; i < 30; ++i) text += "\nline " + std::to_string(i);
  Scene scene("plain");
  scene.wait(Scene::kSettledMs);
  scene.type(pasted(text));
  CHECK(scene.row(4) == "»\u00a0[Pasted text #1 +29 lines]");
  scene.type("\x7f");
  CHECK(scene.row(4) == "»\u00a0");
  scene.send(text);
  CHECK(scene.accepted() == Messages{text});
}

TEST_CASE("ten pasted lines are shown as they are") {
  Scene scene("plain");
  scene.wait(Scene::kSettledMs);
  scene.type(pasted("1\n2\n3\n4\n5\n6\n7\n8\n9\n10"));
  CHECK(scene.shows("  10"));
}

TEST_CASE("an Enter glued to a paste is taken for a part of it") {
  Scene scene("plain");
  scene.wait(Scene::kSettledMs);
  scene.type(pasted("hello") + "\r");
  CHECK(scene.accepted().empty());
  CHECK(scene.shows("»\u00a0hello"));
  scene.wait(Agent::kPasteSettleMs);
  scene.type("\r");
  CHECK(scene.accepted() == Messages{"hello"});
}

TEST_CASE("in its first moments the prompt swallows Enter, never text") {
  Scene scene("plain");
  scene.type("early ");
  scene.wait(200);
  REQUIRE(scene.shows("»\u00a0early"));
  scene.type("words\r");
  CHECK(scene.accepted().empty());
  scene.wait(Agent::kDeafMs);
  scene.type("\r");
  CHECK(scene.accepted() == Messages{"early words"});
}

TEST_CASE("Ctrl-U clears the draft, Ctrl-C clears it too and does not leave") {
  Scene scene("plain");
  scene.wait(Scene::kSettledMs);
  for (const std::string_view clear : {"\x15", "\x03"}) {
    scene.type("draft");
    REQUIRE(scene.shows("draft"));
    scene.type(clear);
    CHECK_FALSE(scene.shows("draft"));
    CHECK_FALSE(scene.agent().exit_code());
  }
}

TEST_CASE("messages sent while it works are queued and answered in turn") {
  Scene scene("plain");
  scene.wait(Scene::kSettledMs);
  for (const std::string_view text : {"one", "two", "three"}) scene.send(text);
  CHECK(scene.shows("  » two"));
  CHECK(scene.accepted() == Messages{"one", "two", "three"});
  CHECK(scene.wait_for("answer 3"));
}

TEST_CASE("echo says the very text, escaped") {
  Scene scene("echo");
  scene.wait(Scene::kSettledMs);
  scene.send("a \"quoted\" ü\nline\x1b[A");
  CHECK(scene.wait_for(R"(● "a \"quoted\" \u00fc\nline\u001b[A")"));
}

TEST_CASE("swallow-enter ignores the first Enter only") {
  Scene scene("swallow-enter");
  scene.wait(Scene::kSettledMs);
  scene.send("hello");
  CHECK(scene.accepted().empty());
  CHECK(scene.shows("»\u00a0hello"));
  scene.type("\r");
  CHECK(scene.accepted() == Messages{"hello"});
}

TEST_CASE("lose-paste loses the first paste only") {
  Scene scene("lose-paste");
  scene.wait(Scene::kSettledMs);
  scene.send("lost");
  CHECK(scene.row(4) == "»\u00a0");
  CHECK(scene.accepted().empty());
  scene.send("kept");
  CHECK(scene.accepted() == Messages{"kept"});
}

TEST_CASE("late-repaint draws the paste two seconds late") {
  Scene scene("late-repaint");
  scene.wait(Scene::kSettledMs);
  scene.type(pasted("hello"));
  scene.wait(kLateRepaintMs - 1);
  CHECK_FALSE(scene.shows("hello"));
  scene.wait(1);
  CHECK(scene.shows("»\u00a0hello"));
}

TEST_CASE("dialog-on-paste opens a dialog that an Enter would answer; the draft survives it") {
  Scene scene("dialog-on-paste");
  scene.wait(Scene::kSettledMs);
  scene.type(pasted("hello"));
  CHECK(scene.shows("Do you want to load it again?"));
  CHECK_FALSE(scene.shows("hello"));
  scene.type("2");
  CHECK(scene.shows("⎿ Settings changed: No"));
  CHECK(scene.shows("»\u00a0hello"));
  scene.wait(Agent::kPasteSettleMs);
  scene.type("\r");
  CHECK(scene.accepted() == Messages{"hello"});
}

TEST_CASE("die-on-paste ends with the screen as it is") {
  Scene scene("die-on-paste");
  scene.wait(Scene::kSettledMs);
  const std::string before = scene.output();
  scene.type(pasted("hello"));
  CHECK(scene.agent().exit_code() == 1);
  CHECK(scene.output() == before);
}
