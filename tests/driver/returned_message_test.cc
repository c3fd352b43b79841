// A message that the agent brings back into its input box when it is interrupted before it has
// answered, with the whole Screen driver.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <variant>
#include <vector>

#include "adapters/registry.h"
#include "driver/screen_driver.h"

namespace orch::driver {
namespace {

const std::string kInterrupted = "run the tests\nand tell me the outcome";

// The demo agent as it draws itself, 60 columns wide.
class Demo {
 public:
  Demo() { draw("○", ""), pass(3'000); }

  void draw(const std::string& sign, const std::string& box) {
    std::string rule;
    for (int i = 0; i < 60; ++i) rule += "─";
    std::string rows = "»\u00a0";
    for (const char c : box) rows += c == '\n' ? "\r\n  " : std::string(1, c);
    driver_.on_output(now_, "\x1b]0;" + sign + " demo\a\x1b[H\x1b[2J" + rule + "\r\n" + rows +
                                "\r\n" + rule + "\r\n  enter to send");
  }
  void pass(TimeMs ms) {
    const TimeMs until = now_ + ms;
    for (TimeMs due = driver_.next_deadline(); due <= until; due = driver_.next_deadline()) {
      now_ = std::max(now_, due);
      driver_.on_timer(now_);
      take();
    }
    now_ = until;
  }
  void deliver(const std::string& id, const std::string& text) {
    agent::Deliver deliver;
    deliver.id = id;
    deliver.text = text;
    driver_.command(now_, deliver);
    take();
  }
  // Delivers the first message, whose turn then begins.
  void deliver_first() {
    deliver("m1", kInterrupted);
    pass(1'000);
    draw("○", kInterrupted), pass(1'000);
    draw("◐", ""), pass(1'000);
    REQUIRE(accepted == std::vector<std::string>{"m1"});
    typed.clear();
  }
  void press(const std::string& keys) { driver_.on_typed(now_, keys); }

  std::string typed;
  std::vector<std::string> accepted, failed;

 private:
  void take() {
    for (const std::string& bytes : driver_.take_writes()) typed += bytes;
    for (const agent::News& news : driver_.take_news()) {
      if (const auto* one = std::get_if<agent::MessageAccepted>(&news)) accepted.push_back(one->id);
      if (const auto* one = std::get_if<agent::MessageFailed>(&news)) failed.push_back(one->reason);
    }
  }

  const base::Result<adapters::Registry> registry_ = adapters::Registry::load({});
  const adapters::Manifest& manifest_ = *registry_->find("demo");
  const base::Result<detect::RuleSet> rules_ = detect::RuleSet::compile(manifest_.rules);
  ScreenDriver driver_{manifest_, rules_.value(), {60, 24}, 0};
  TimeMs now_ = 0;
};

}  // namespace

TEST_CASE("a message that Escape brought back into the box makes room for the next one") {
  Demo demo;
  demo.deliver_first();
  demo.press("\x1b");
  demo.draw("○", kInterrupted), demo.pass(1'000);
  demo.deliver("m2", "go on");
  demo.pass(1'000);
  CHECK(demo.typed.starts_with("\x15\x7f"));
  demo.draw("○", ""), demo.pass(1'000);
  CHECK(demo.typed.find("go on") != std::string::npos);
  CHECK(demo.failed.empty());
}

TEST_CASE("a draft that is not the last message blocks the next one") {
  for (const std::string& draft : {std::string("run the tests"), kInterrupted + " please"}) {
    Demo demo;
    demo.deliver_first();
    demo.draw("○", draft), demo.pass(1'000);
    demo.deliver("m2", "go on");
    demo.pass(1'000);
    CHECK(demo.typed.empty());
    CHECK(demo.failed == std::vector<std::string>{"the input box holds a draft"});
  }
}

}  // namespace orch::driver
