#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "transcript_rig.h"

namespace orch::driver {
namespace {

// One line of a random answer: often a blank or a repetition of the one before.
std::string any_line(std::mt19937& random, int number, const std::string& before) {
  if (random() % 6 == 0) return "";
  if (random() % 6 == 0 && !before.empty()) return before;
  return "line " + std::to_string(number) + " of the answer";
}

std::vector<std::string> without_blank_lines(const std::vector<std::string>& lines) {
  std::vector<std::string> words;
  for (const std::string& line : lines) {
    if (!line.empty()) words.push_back(line);
  }
  return words;
}

std::vector<std::string> any_live_area(std::mt19937& random) {
  std::vector<std::string> rows;
  for (size_t i = random() % 4; i > 0; --i)
    rows.push_back("* Working… " + std::to_string(random() % 9));
  rows.push_back("──────────");
  return rows;
}

TEST_CASE("whenever rows settle and scroll off, the lines told are those the agent appended") {
  std::mt19937 random(20261122);
  for (int round = 0; round < 2'000; ++round) {
    Transcript transcript(bulleted(), kUserMessage);
    Terminal terminal(transcript, 4 + random() % 12);
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
          terminal.settle(random() % 8);
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
    Terminal terminal(transcript, 4 + random() % 12);
    terminal.append("● begin");
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

}  // namespace
}  // namespace orch::driver
