#include <catch2/catch.hpp>
#include <random>

#include "transcript_rig.h"

namespace orch::driver {
namespace {

// A random line of an answer: sometimes blank, but never twice in a row, or the previous line
// again.
std::string any_line(std::mt19937& random, int number, const std::string& before) {
  if (random() % 6 == 0 && !before.empty()) return "";
  if (random() % 6 == 0 && !before.empty()) return before;
  return "line " + std::to_string(number) + " of the answer";
}

TEST_CASE("whenever rows settle and scroll off, the lines told are those the agent appended") {
  std::mt19937 random(20261122);
  for (int round = 0; round < 2'000; ++round) {
    Transcript transcript(bulleted(), kUserMessage);
    Terminal terminal(transcript, 6 + random() % 12);
    terminal.append("● begin");
    std::vector<std::string> appended{"begin"}, told;
    const auto take = [&] {
      for (std::string& text : texts_of(transcript)) told.push_back(std::move(text));
    };
    for (int i = 0; i < 60; ++i) {
      switch (random() % 6) {
        case 0:
          terminal.set_live(any_live_area(random));
          break;
        case 1:
          terminal.settle();
          break;
        case 2:
          terminal.settle(2 + random() % 8);  // in the middle of a line's rows
          break;
        case 3:
          take();
          break;
        default: {
          const std::string line = any_line(random, i, appended.back());
          terminal.append(line.empty() ? "" : "  " + line);
          appended.push_back(line);
        }
      }
    }
    terminal.append("  end");
    appended.emplace_back("end");
    terminal.settle();
    take();
    INFO("round " << round);
    REQUIRE(without_blank_lines(told) == without_blank_lines(appended));
    REQUIRE(std::adjacent_find(told.begin(), told.end(), [](const auto& a, const auto& b) {
              return a.empty() && b.empty();
            }) == told.end());
  }
}

TEST_CASE("redraws of everything at any moment tell nothing twice and lose nothing") {
  std::mt19937 random(20261123);
  for (int round = 0; round < 1'000; ++round) {
    Transcript transcript(bulleted(), kUserMessage);
    Terminal terminal(transcript, 6 + random() % 12);
    terminal.append("● begin");
    terminal.settle();
    std::vector<std::string> appended{"begin"};
    for (int i = 0; i < 60; ++i) {
      switch (random() % 8) {
        case 0:
          terminal.redraw();
          break;
        case 1:
          terminal.settle();
          break;
        case 2:
          terminal.set_live(any_live_area(random));
          break;
        default:
          appended.push_back("line " + std::to_string(i) + " of the answer");
          terminal.append("  " + appended.back());
      }
    }
    terminal.settle();
    INFO("round " << round);
    REQUIRE(without_blank_lines(texts_of(transcript)) == appended);
  }
}

std::string words_of(const std::vector<std::string>& lines) {
  std::string words;
  for (const std::string& line : lines) words += driver::words_of(line);
  return words;
}

TEST_CASE("redraws of everything in any width tell nothing twice and lose nothing") {
  std::mt19937 random(20261124);
  for (int round = 0; round < 1'000; ++round) {
    Transcript transcript(bulleted(), kUserMessage);
    Terminal terminal(transcript, 6 + random() % 12);
    // The first row of a redraw consists of words that were told.
    const std::string first =
        "begin of an answer with a long first line, which is longer than any of the rows that are "
        "drawn.";
    terminal.append("● " + first);
    terminal.settle();
    std::vector<std::string> appended{first};
    for (int i = 0; i < 60; ++i) {
      switch (random() % 10) {
        case 0:
          terminal.redraw(20 + random() % 60);
          break;
        case 1:
          terminal.settle();
          break;
        case 2:
          terminal.set_live(any_live_area(random));
          break;
        case 3:
          terminal.wait(static_cast<TimeMs>(random() % 2'000));
          break;
        default:
          appended.push_back("line " + std::to_string(i) + " of the answer.");
          terminal.append("  " + appended.back());
      }
    }
    terminal.settle();
    INFO("round " << round);
    REQUIRE(words_of(texts_of(transcript)) == words_of(appended));
  }
}

}  // namespace
}  // namespace orch::driver
