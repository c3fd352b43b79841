// The demo agent in a terminal that orch watches, where orch does not get the processor when it
// wants it: what the agent has drawn waits, and meanwhile the window changes its size.

#include <catch2/catch.hpp>
#include <random>

#include "agent_fixture.h"
#include "demo/agent.h"
#include "driver/screen_driver.h"

namespace orch::session {
namespace {

constexpr int kLines = 300;

class Starved {
 public:
  // `most_ms`: how long orch may wait for the processor.
  Starved(uint32_t seed, int64_t most_ms)
      : random_(seed),
        most_ms_(most_ms),
        driver_(*agent_named("demo").manifest, agent_named("demo").rules, size_, 0) {
    agent_.on_time(0);
  }

  // The agent counts, and the window changes its size six times; returns the lines that orch tells.
  std::vector<std::string> count() {
    run_to(3'000);
    type("count");
    run_to(3'500);
    type("\r");
    for (int resizes = 0; resizes < 6; ++resizes) {
      const size_t wanted = lines_.size() + below(60);
      while (lines_.size() < wanted && now_ < kEndMs) run_to(now_ + 1);
      resize();
    }
    run_to(kEndMs);
    return lines_;
  }

 private:
  static constexpr int64_t kEndMs = 15'000;

  size_t below(size_t end) { return random_() % end; }
  void type(const std::string& bytes) {
    driver_.on_typed(now_, bytes);
    input_ += bytes;
    take();
  }
  void resize() {
    size_ = {40 + static_cast<int>(below(120)), 26 + static_cast<int>(below(30))};
    driver_.on_resize(now_, size_.cols, size_.rows);
    resized_ = true;
    take();
  }
  void run_to(int64_t ms) {
    for (; now_ < ms; ++now_) {
      if (orch_at_ <= now_) run_orch();
      if (agent_at_ <= now_) run_agent();
    }
  }
  void run_orch() {
    orch_at_ = now_ + static_cast<int64_t>(below(static_cast<size_t>(most_ms_) + 1));
    if (driver_.next_deadline() <= now_) driver_.on_timer(now_);
    if (!output_.empty()) input_ += driver_.on_output(now_, std::exchange(output_, ""));
    take();
  }
  // Soon enough that what it draws at once fits on the screen.
  void run_agent() {
    agent_at_ = now_ + static_cast<int64_t>(below(20));
    const std::optional<int64_t> due = agent_.deadline();
    if (!resized_ && input_.empty() && (!due || *due > now_)) return;
    if (std::exchange(resized_, false)) agent_.on_resize(size_.cols, size_.rows, now_);
    if (!input_.empty()) agent_.on_input(std::exchange(input_, ""), now_);
    agent_.on_time(now_);
    output_ += agent_.take_output();
  }
  void take() {
    for (agent::News& news : driver_.take_news()) {
      auto* line = std::get_if<agent::Line>(&news);
      if (line != nullptr && line->text.starts_with("line ")) lines_.push_back(line->text);
    }
  }

  std::mt19937 random_;
  int64_t most_ms_;
  term::Size size_{80, 24};
  demo::Agent agent_{
      *demo::scenario_named("long"), {.speed = 0.6, .lines = kLines}, size_.cols, size_.rows, 0};
  driver::ScreenDriver driver_;
  std::string input_, output_;  // on their way
  bool resized_ = false;
  int64_t now_ = 0, orch_at_ = 0, agent_at_ = 0;
  std::vector<std::string> lines_;
};

TEST_CASE("on a starved machine an answer survives changes of the window's size") {
  std::vector<std::string> all;
  for (int i = 1; i <= kLines; ++i) {
    all.push_back("line " + std::to_string(i) + " of " + std::to_string(kLines));
  }
  for (const int64_t most_ms : {100, 300, 1'000}) {
    for (uint32_t seed = 0; seed < 20; ++seed) {
      INFO("seed " << seed << ", " << most_ms << " ms");
      CHECK(Starved(seed, most_ms).count() == all);
    }
  }
}

}  // namespace
}  // namespace orch::session
