#include <catch2/catch.hpp>

#include "transcript_rig.h"

namespace orch::driver {
namespace {

using Texts = std::vector<std::string>;

// The texts of the numbered lines from `first` on.
Texts lines(int first, int count) {
  Texts texts;
  for (int number = first; number < first + count; ++number) {
    texts.push_back(numbered(number).substr(2));
  }
  return texts;
}

constexpr int kHeight = 10;

// A window that is full of numbered lines, from 1 on, which have been told.
struct Scene {
  explicit Scene(int last = kHeight) {
    window.append("● begin");
    window.settle();
    for (int number = 1; number <= last; ++number) {
      window.append(number, 1);
      window.frame();
    }
    window.settle();
    texts_of(transcript);
  }
  Transcript transcript{bulleted(), kUserMessage};
  Window window{transcript, kHeight};
};

TEST_CASE("rows that scrolled off a window between two looks are told once and in order") {
  for (int k = 1; k < kHeight; ++k) {
    Scene scene;
    int last = kHeight;
    Texts told;
    for (int frame = 0; frame < 5; ++frame) {
      scene.window.append(last + 1, k);
      last += k;
      scene.window.frame();
      for (std::string& text : texts_of(scene.transcript)) told.push_back(text);
    }
    scene.window.settle();
    for (std::string& text : texts_of(scene.transcript)) told.push_back(text);
    INFO(k << " rows a frame");
    CHECK(told == lines(kHeight + 1, 5 * k));
  }
}

TEST_CASE("rows that scroll off a window before they came to rest are told as they go") {
  Transcript transcript(bulleted(), kUserMessage);
  Window window(transcript, kHeight);
  window.append("● begin");
  window.append(1, kHeight - 1);
  window.settle();
  texts_of(transcript);
  window.append(kHeight, kHeight - 1);
  window.frame();
  CHECK(texts_of(transcript).empty());  // the rows that left had been told
  window.append(2 * kHeight - 1, 4);
  window.frame();
  CHECK(texts_of(transcript) == lines(kHeight, 3));
}

TEST_CASE("a gap is said where nothing of the rows before stands any more, and only there") {
  for (int k = 1; k <= 2 * kHeight; ++k) {
    Scene scene;
    scene.window.append(kHeight + 1, k);
    scene.window.frame();
    scene.window.wait(5'000);
    scene.window.frame();
    scene.window.settle();
    Texts expected = lines(kHeight + 1, k);
    if (k >= kHeight) {
      expected = lines(k + 1, kHeight);
      expected.insert(expected.begin(), "(gap)");
    }
    INFO(k << " rows in one frame");
    CHECK(texts_of(scene.transcript) == expected);
  }
}

TEST_CASE("a window that stood empty between two looks hides no gap, and makes none") {
  constexpr size_t kEverything = 1'000;
  for (const TimeMs empty_ms : {20, 3'000}) {
    for (const int k : {0, 1, kHeight - 1, kHeight, 5 * kHeight}) {
      Scene scene;
      scene.window.frame(kEverything);
      scene.window.wait(empty_ms);
      scene.window.frame(kEverything);
      scene.window.append(kHeight + 1, k);
      scene.window.frame();
      scene.window.wait(5'000);
      scene.window.frame();
      scene.window.settle();
      Texts expected = lines(kHeight + 1, k);
      if (k >= kHeight) {
        expected = lines(k + 1, kHeight);
        expected.insert(expected.begin(), "(gap)");
      }
      INFO(k << " rows, after " << empty_ms << " ms without any");
      CHECK(texts_of(scene.transcript) == expected);
    }
  }
}

TEST_CASE("a header that stays at the top of a window is told once") {
  Transcript transcript(bulleted(), kUserMessage);
  Window window(transcript, kHeight);
  window.set_header({"> the message"});
  window.append("● begin");
  window.append(1, kHeight - 2);
  window.settle();
  CHECK(texts_of(transcript).front() == "the message");
  Texts told;
  for (int number = kHeight - 1; number < 60; number += 3) {
    window.append(number, 3);
    window.frame();
    for (std::string& text : texts_of(transcript)) told.push_back(text);
  }
  window.settle();
  for (std::string& text : texts_of(transcript)) told.push_back(text);
  CHECK(told == lines(kHeight - 1, 51));
}

TEST_CASE("a window that moves back for one frame shows nothing new") {
  Scene scene(30);
  for (const size_t rows_up : {1, 3, 8}) {
    scene.window.frame(rows_up);
    scene.window.frame();
    scene.window.settle();
    INFO(rows_up << " rows up");
    CHECK(texts_of(scene.transcript).empty());
  }
}

TEST_CASE("a window that moves back and settles there shows nothing new") {
  Scene scene(30);
  for (const size_t rows_up : {1, 3, 8}) {
    scene.window.frame(rows_up);
    scene.transcript.settle();
    CHECK(texts_of(scene.transcript).empty());
    scene.window.settle();
    CHECK(texts_of(scene.transcript).empty());
  }
}

TEST_CASE("the last row of a window that grows as it scrolls is told whole") {
  Scene scene;
  scene.window.append("  The quick");
  scene.window.frame();
  scene.window.replace_last("  The quick brown");
  scene.window.frame();
  scene.window.replace_last("  The quick brown fox");
  scene.window.append("  jumps.");
  scene.window.frame();
  scene.window.settle();
  CHECK(texts_of(scene.transcript) == Texts{"The quick brown fox", "jumps."});
}

TEST_CASE("the live part of a window may grow over the rows") {
  Scene scene(30);
  scene.window.set_live({"* Thinking", "──────────", "> ", "──────────"});
  scene.window.frame();
  scene.window.append(31, 2);
  scene.window.frame();
  scene.window.set_live({});
  scene.window.settle();
  CHECK(texts_of(scene.transcript) == lines(31, 2));
}

TEST_CASE("the rows of another screen go on with no block, and what was told is known there") {
  Transcript transcript(bulleted(), kUserMessage);
  show(transcript, {"● the words of the main screen"});
  texts_of(transcript);
  transcript.screen_replaced(0);
  transcript.look(0, rows_of({"  no words", "● the words of the main screen", "● and others"}), 3,
                  true);
  transcript.settle();
  CHECK(texts_of(transcript) == Texts{"and others"});
}

TEST_CASE("a line that is left out for some frames is not told again") {
  Transcript transcript(bulleted(), kUserMessage);
  const Texts rows{"● the first line of it", "  the second", "  the third"};
  show(transcript, rows);
  texts_of(transcript);
  transcript.look(0, rows_of({rows[0], rows[2]}), 2, true);
  transcript.look(500, rows_of(rows), 3, true);
  transcript.settle();
  CHECK(texts_of(transcript).empty());
}

TEST_CASE("before a resize all is told but the last line and a tool that is not done") {
  Transcript transcript(bulleted(), kUserMessage);
  SECTION("words") {
    transcript.look(0, rows_of({"● one", "  two", "", "▐ banner"}), 4);
    transcript.settle_followed();
    CHECK(texts_of(transcript) == Texts{"one"});
  }
  SECTION("a tool") {
    transcript.look(0, rows_of({"● one", "  two", "", "● Bash(ls)", "  ⎿  a.cc"}), 5);
    transcript.settle_followed();
    CHECK(texts_of(transcript) == Texts{"one"});
  }
}

TEST_CASE("rows that scroll off a window before anything was told are told") {
  Transcript transcript(bulleted(), kUserMessage);
  transcript.look(0, rows_of({"● one", "  two", "  three"}), 3, true);
  transcript.look(0, rows_of({"  two", "  three", "  four"}), 3, true);
  transcript.settle();
  CHECK(texts_of(transcript) == Texts{"one", "two", "three", "four"});
}

TEST_CASE("rows after a gap are of the speaker before it, where no marker says otherwise") {
  Transcript transcript(bulleted(), kUserMessage);
  transcript.look(0, rows_of({"● one", "  two"}), 2, true);
  transcript.settle();
  CHECK(texts_of(transcript) == Texts{"one", "two"});
  transcript.look(0, rows_of({"  five", "  six"}), 2, true);
  transcript.settle();
  CHECK(texts_of(transcript) == Texts{"(gap)", "five", "six"});
}

TEST_CASE(
    "an answer that fills a window between two looks is told, though its beginning was not seen") {
  Transcript transcript(bulleted(), kUserMessage);
  transcript.look(0, rows_of({"▐ banner", "", "> the message", "", "* busy"}), 4, true);
  transcript.look(50, rows_of({"  five", "  six", "  seven", "", "* busy"}), 4, true);
  transcript.look(100, rows_of({"  seven", "  eight", "  nine", "", "* done"}), 4, true);
  transcript.settle();
  CHECK(texts_of(transcript) ==
        Texts{"the message", "(gap)", "five", "six", "seven", "eight", "nine"});
}

TEST_CASE("rows under those that come back into a window are told") {
  Transcript transcript(bulleted(), kUserMessage);
  transcript.look(0, rows_of({"● one", "  two"}), 1, true);
  transcript.settle();
  CHECK(texts_of(transcript) == Texts{"one"});
  transcript.look(0, rows_of({"● one", "  two", "──────────"}), 2, true);
  transcript.look(0, rows_of({"  two", "  three", "──────────"}), 2, true);
  transcript.look(0, rows_of({"● one", "  two", "  three"}), 3, true);  // the live part is gone
  transcript.settle();
  CHECK(texts_of(transcript) == Texts{"two", "three"});
}

}  // namespace
}  // namespace orch::driver
