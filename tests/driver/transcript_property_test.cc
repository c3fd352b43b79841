#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
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

// A random answer in a window that the agent scrolls, in bursts of up to `largest` rows.
struct WindowRun {
  explicit WindowRun(unsigned seed) : random(seed) {}

  void play(size_t bursts, size_t height, bool larger) {
    Window window(transcript, height);
    window.append("● begin");
    window.settle();
    window.append(1, last = static_cast<int>(height) - 1);
    window.frame();
    for (size_t i = 0; i < bursts; ++i) {
      if (random() % 4 == 0) grow(window);
      // The first burst moves the first row out of the window, so that the rest is known to be the
      // agent's.
      const size_t largest = larger && i > 0 ? 2 * height : window.room() - 1;
      const auto rows = static_cast<int>(i == 0 ? largest : random() % (largest + 1));
      window.append(last + 1, rows);
      last += rows;
      window.frame();
      if (random() % 3 == 0) window.wait(static_cast<TimeMs>(random() % 1'500));
      if (random() % 8 == 0) transcript.settle();
      if (random() % 8 == 0) window.frame();
      take();
    }
    window.settle();
    take();
  }
  void grow(Window& window) {
    std::vector<std::string> rows = any_live_area(random);
    rows.resize(std::max(rows.size(), live), "──────────");
    live = rows.size();
    window.set_live(std::move(rows));
  }
  void take() {
    for (std::string& text : texts_of(transcript)) told.push_back(std::move(text));
  }

  std::mt19937 random;
  Transcript transcript{bulleted(), kUserMessage};
  std::vector<std::string> told;
  size_t live = 0;  // rows of the live part, which never shrinks
  int last = 0;
};

TEST_CASE("all rows of a window that scrolls less than its height a frame are told, once") {
  for (unsigned round = 0; round < 2'000; ++round) {
    WindowRun run(round);
    run.play(30, 8 + round % 20, false);
    std::vector<std::string> appended{"begin"};
    for (int i = 1; i <= run.last; ++i) appended.push_back(numbered(i).substr(2));
    INFO("round " << round);
    REQUIRE(run.told == appended);
  }
}

// The first line at which what was told is not the rows up to `last`, in order and once, with a gap
// where some are missing; none if there is no such line.
std::optional<size_t> first_wrong(const std::vector<std::string>& told, int last) {
  if (told.empty() || told.front() != "begin") return 0;
  int before = 0;
  bool gap = false;
  for (size_t i = 1; i < told.size(); ++i) {
    if (told[i] == "(gap)") {
      if (gap) return i;
      gap = true;
      continue;
    }
    const int number = std::stoi(told[i].substr(5));
    if (told[i] != numbered(number).substr(2) || number <= before) return i;
    if (number > before + 1 && !gap) return i;
    before = number;
    gap = false;
  }
  return gap || before != last ? std::optional(told.size()) : std::nullopt;
}

TEST_CASE("where a window scrolls further a gap stands for just the rows that are missing") {
  for (unsigned round = 0; round < 2'000; ++round) {
    WindowRun run(round);
    run.play(30, 8 + round % 20, true);
    const std::optional<size_t> wrong = first_wrong(run.told, run.last);
    INFO("round " << round << ", line " << wrong.value_or(0));
    REQUIRE_FALSE(wrong.has_value());
  }
}

}  // namespace
}  // namespace orch::driver
