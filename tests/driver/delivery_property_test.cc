#include <catch2/catch.hpp>
#include <random>

#include "typist.h"

namespace orch::driver {
namespace {

using event::AgentStatus;

const std::string kText = "please run the tests and tell me the outcome";

InputView any_view(std::mt19937& random) {
  const std::string boxes[] = {"", kText, kText.substr(0, 9), kText.substr(20), "a human's draft"};
  const AgentStatus statuses[] = {AgentStatus::kStarting, AgentStatus::kIdle,
                                  AgentStatus::kIdle,     AgentStatus::kWorking,
                                  AgentStatus::kWaiting,  AgentStatus::kError};
  InputView view;
  view.status = statuses[random() % std::size(statuses)];
  view.sighted = random() % 3 == 0 ? statuses[random() % std::size(statuses)] : view.status;
  view.evidence = random() % 4 != 0;
  view.bracketed_paste = true;
  if (random() % 5 != 0) view.typed = boxes[random() % std::size(boxes)];
  return view;
}

// A view that mostly fits the progress of the delivery, so that every state is reached often.
InputView likely_view(std::mt19937& random, const Typist& typist) {
  if (random() % 4 == 0) return any_view(random);
  return at_prompt(typist.pastes() == 0 ? "" : kText);
}

TEST_CASE(
    "whatever an agent shows, a message is pasted at most once and Enter never hits a dialog") {
  std::mt19937 random(20261122);
  size_t accepted = 0, unconfirmed = 0, pasted = 0, repeated = 0;
  for (int round = 0; round < 4'000; ++round) {
    Typist typist(kText);
    const bool patient = random() % 2 == 0;
    for (int i = 0; i < 60; ++i) {
      const size_t before = typist.written().size();
      const bool had_result = typist.result().has_value();
      const InputView view = likely_view(random, typist);
      typist.show(view);
      typist.run_to(typist.now() + static_cast<TimeMs>(random() % (patient ? 2'500 : 300)));
      if (typist.written().size() == before) continue;
      INFO("round " << round << ", step " << i);
      REQUIRE_FALSE(had_result);
      REQUIRE(view.sighted != AgentStatus::kWaiting);
      REQUIRE(view.typed.has_value());
      REQUIRE(typist.pastes() <= 1);
      for (size_t w = before; w < typist.written().size(); ++w) {
        const Written& written = typist.written()[w];
        if (written.bytes == "\r") {
          REQUIRE(written.at >= typist.written()[0].at + 400);
          REQUIRE((*view.typed == kText || *view.typed == kText.substr(20)));
        } else {
          REQUIRE(written.bytes == bracketed(kText));
          REQUIRE(view.typed->empty());
          REQUIRE(event::accepts_input(view.sighted));
        }
      }
    }
    REQUIRE(typist.enters() <= 5);
    accepted += typist.result() == DeliveryResult::kAccepted;
    unconfirmed += typist.result() == DeliveryResult::kUnconfirmed;
    pasted += typist.pastes();
    repeated += typist.enters() > 1;
  }
  // The sequences must reach the situations that they are meant to test.
  CHECK(accepted > 100);
  CHECK(unconfirmed > 100);
  CHECK(pasted > 1'000);
  CHECK(repeated > 10);
}

// An agent that ignores some Enters and repaints at any time, so that its box is empty or missing,
// or it seems busy, for a moment. Otherwise it reacts to input as a real one does.
class FlickeringAgent {
 public:
  explicit FlickeringAgent(std::mt19937& random) : random_(random) {}

  void on_written(const std::string& bytes) {
    if (bytes != "\r") {
      box_ = kText;
    } else if (random_() % 2 == 0 && !box_.empty()) {
      box_.clear();
      ++taken_;
    }
  }
  InputView next_look() {
    const InputView looks[] = {at_prompt(""), working(""), no_box(working()), working(box_)};
    const bool flickers = !flickered_ && random_() % 4 == 0;
    flickered_ = flickers;
    if (flickers) return looks[random_() % std::size(looks)];
    return taken_ > 0 && random_() % 2 == 0 ? working(box_) : at_prompt(box_);
  }
  int taken() const { return taken_; }

 private:
  std::mt19937& random_;
  std::string box_;
  bool flickered_ = false;
  int taken_ = 0;
};

TEST_CASE("accepted is what the agent took, once, however it flickers and swallows Enter") {
  std::mt19937 random(20261123);
  size_t accepted = 0, repeated = 0;
  for (int round = 0; round < 4'000; ++round) {
    Typist typist(kText);
    FlickeringAgent agent(random);
    size_t read = 0;
    for (int i = 0; i < 200 && !typist.result(); ++i) {
      typist.show_for(static_cast<TimeMs>(20 + random() % 160), agent.next_look());
      while (read < typist.written().size()) agent.on_written(typist.written()[read++].bytes);
    }
    INFO("round " << round);
    REQUIRE(agent.taken() <= 1);
    REQUIRE(typist.pastes() <= 1);
    REQUIRE((typist.result() == DeliveryResult::kAccepted) == (agent.taken() == 1));
    accepted += agent.taken() == 1;
    repeated += typist.enters() > 1;
  }
  CHECK(accepted > 1'000);
  CHECK(repeated > 500);
}

}  // namespace
}  // namespace orch::driver
