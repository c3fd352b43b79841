#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <random>

#include "transcript_rig.h"

namespace orch::driver {
namespace {

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
    const bool inside = wrong && *wrong < run.told.size();
    INFO("round " << round << ": " << (inside ? run.told[*wrong] : "the end"));
    REQUIRE_FALSE(wrong.has_value());
  }
}

}  // namespace
}  // namespace orch::driver
