#include <catch2/catch.hpp>

#include "driver/delivery.h"
#include "typist.h"

namespace orch::driver {

namespace {

using event::AgentStatus;

TEST_CASE("nothing is typed while the agent works or stands at a dialog, however long") {
  for (const InputView& view : {working(), dialog()}) {
    Typist typist("hello");
    typist.show(view);
    typist.run_to(3'600'000);
    CHECK(typist.written().empty());
    CHECK_FALSE(typist.result());
  }
}

TEST_CASE("the waiting time begins when the agent is no longer at work") {
  Typist typist("hello");
  typist.show(working());
  typist.run_to(60'000);
  InputView lost = no_box(at_prompt());
  typist.show(lost);
  typist.run_to(69'999);
  CHECK_FALSE(typist.result());
  typist.run_to(70'000);
  CHECK(typist.result() == DeliveryResult::kTimeout);
}

TEST_CASE("the first message waits 15 s for the prompt, a later one 10 s") {
  Typist first(DeliveryRequest{"hello", true, false}, {});
  first.run_to(14'999);
  CHECK_FALSE(first.result());
  first.run_to(15'000);
  CHECK(first.result() == DeliveryResult::kTimeout);
  CHECK(first.delivery().reason() == "Prompt detection timeout (15000ms)");

  Typist later("hello");
  later.run_to(9'999);
  CHECK_FALSE(later.result());
  later.run_to(10'000);
  CHECK(later.result() == DeliveryResult::kTimeout);
  CHECK(later.delivery().reason() == "Prompt detection timeout (10000ms)");
  CHECK(later.written().empty());
  CHECK_FALSE(later.delivery().typed_anything());
}

TEST_CASE("after a slow start the prompt has to stand for longer") {
  Typist typist(DeliveryRequest{"hello", true, false}, {});
  typist.run_to(12'000);
  typist.show(at_prompt());
  typist.run_to(15'999);
  CHECK(typist.written().empty());
  typist.run_to(16'000);
  CHECK(typist.pastes() == 1);
}

TEST_CASE("where no dialog follows the first prompt it has to stand no longer after a slow start") {
  adapters::InputSpec sure;
  sure.start_stability_ms = 0;
  Typist typist(DeliveryRequest{"hello", true, false}, sure);
  typist.run_to(12'000);
  typist.show(at_prompt());
  CHECK(typist.pastes() == 1);
}

TEST_CASE("a sign that the start is over makes the first prompt like any other") {
  adapters::InputSpec spec;
  spec.stability_ms = 100;
  spec.start_stability_ms = 1'500;
  InputView started = at_prompt();
  started.started = true;
  Typist typist(DeliveryRequest{"hello", true, false}, spec);
  typist.run_to(12'000);
  typist.show_for(600, at_prompt());
  CHECK(typist.pastes() == 0);
  typist.show(started);
  CHECK(typist.pastes() == 1);
}

TEST_CASE("a manifest may ask for a longer start") {
  adapters::InputSpec slow;
  slow.start_ms = 60'000;
  Typist typist(DeliveryRequest{"hello", true, false}, slow);
  typist.run_to(59'999);
  CHECK_FALSE(typist.result());
  typist.run_to(60'000);
  CHECK(typist.delivery().reason() == "Prompt detection timeout (60000ms)");
}

TEST_CASE("a prompt that is not confirmed yet, or sighted no more, is no prompt") {
  InputView unconfirmed = at_prompt();
  unconfirmed.status = AgentStatus::kStarting;
  InputView covered = at_prompt();
  covered.sighted = AgentStatus::kWaiting;
  InputView busy = at_prompt();
  busy.sighted = AgentStatus::kWorking;
  for (const InputView& view : {unconfirmed, covered, busy, no_box(at_prompt())}) {
    Typist typist("hello");
    typist.show(view);
    typist.run_to(9'000);
    CHECK(typist.written().empty());
  }
}

TEST_CASE("an agent whose last turn ended in an error takes a message") {
  InputView failed = at_prompt();
  failed.status = failed.sighted = AgentStatus::kError;
  Typist typist("again");
  typist.show(failed);
  typist.run_to(500);
  CHECK(typist.pastes() == 1);
}

TEST_CASE("a prompt that goes away must stand for the whole time again") {
  Typist typist("hello");
  typist.show(at_prompt());
  typist.run_to(450);
  typist.show(working());
  typist.run_to(460);
  typist.show(at_prompt());
  typist.run_to(959);
  CHECK(typist.written().empty());
  typist.run_to(960);
  CHECK(typist.pastes() == 1);
}

TEST_CASE("a human's draft in the box blocks the message") {
  Typist typist("hello");
  typist.show(at_prompt("let me think"));
  CHECK(typist.result() == DeliveryResult::kBlocked);
  CHECK(typist.delivery().reason() == "the input box holds a draft");
  typist.run_to(60'000);
  CHECK(typist.written().empty());
}

TEST_CASE("a draft begun while the prompt is watched blocks the message") {
  Typist typist("hello");
  typist.show(at_prompt());
  typist.run_to(300);
  typist.show(at_prompt("l"));
  typist.run_to(2'000);
  CHECK(typist.result() == DeliveryResult::kBlocked);
  CHECK(typist.written().empty());
}

TEST_CASE("at a dialog a message waits as long as it is patient") {
  DeliveryRequest patient{"hello", false, false};
  patient.dialog_patience_ms = 5'000;
  Typist typist(patient, {});
  typist.show(dialog());
  typist.run_to(4'999);
  CHECK_FALSE(typist.result());
  SECTION("one that goes in time is no obstacle") {
    typist.show(at_prompt());
    typist.run_to(6'000);
    CHECK(typist.pastes() == 1);
  }
  SECTION("one that stays blocks it") {
    typist.run_to(5'000);
    CHECK(typist.result() == DeliveryResult::kBlocked);
    CHECK(typist.delivery().reason() == "the agent waits at a dialog");
    CHECK(typist.written().empty());
  }
}

TEST_CASE("a message that has to be given up is timed out while nothing was typed") {
  DeliveryRequest hurried{"hello", false, false};
  hurried.give_up_at = 3'000;
  SECTION("the agent works") {
    Typist typist(hurried, {});
    typist.show(working());
    typist.run_to(2'999);
    CHECK_FALSE(typist.result());
    typist.run_to(3'000);
    CHECK(typist.result() == DeliveryResult::kTimeout);
    CHECK(typist.written().empty());
  }
  SECTION("the prompt has not stood long enough") {
    Typist typist(hurried, {});
    typist.show(working());
    typist.run_to(2'800);
    typist.show(at_prompt());
    typist.run_to(60'000);
    CHECK(typist.result() == DeliveryResult::kTimeout);
    CHECK(typist.written().empty());
  }
  SECTION("once it was typed it is seen through") {
    Typist typist(hurried, {});
    typist.run_to(2'400);
    typist.show(at_prompt());
    typist.run_to(2'900);
    REQUIRE(typist.pastes() == 1);
    typist.show(at_prompt("hello"));
    typist.run_to(3'300);
    CHECK(typist.enters() == 1);
  }
}

TEST_CASE("what an earlier message left in the box is cleared line by line, a draft never") {
  DeliveryRequest next{"second", false, false};
  next.left = "first line\nsecond line";
  const auto clears = [](const Typist& typist) {
    size_t count = 0;
    for (const Written& written : typist.written()) count += written.bytes == "\x15\x7f";
    return count;
  };
  SECTION("ours goes, then the text comes") {
    Typist typist(next, {});
    typist.show(at_prompt("first line second line"));
    typist.run_to(500);
    CHECK(clears(typist) == 1);
    CHECK(typist.delivery().holds_keyboard());
    CHECK_FALSE(typist.delivery().typed_anything());
    typist.show(at_prompt("first line"));
    typist.run_to(599);
    CHECK(clears(typist) == 1);
    typist.run_to(600);
    CHECK(clears(typist) == 2);
    typist.show(at_prompt(""));
    CHECK(typist.written().back().bytes == bracketed("second"));
  }
  SECTION("a box that cannot be emptied blocks the message in the end") {
    Typist typist(next, {});
    typist.show(at_prompt("first line second line"));
    typist.run_to(60'000);
    CHECK(typist.result() == DeliveryResult::kBlocked);
    CHECK(clears(typist) == 100);
    CHECK(clears(typist) == typist.written().size());
  }
  SECTION("somebody went on writing where we stopped: a draft") {
    Typist typist(next, {});
    typist.show(at_prompt("first line second line and mine"));
    CHECK(typist.result() == DeliveryResult::kBlocked);
    CHECK(typist.written().empty());
  }
}

DeliveryRequest behind_a_failure() {
  DeliveryRequest next{"second", false, false};
  next.left = "first line";
  next.clear_first = true;
  return next;
}

TEST_CASE("what our own typing left is cleared whatever the box makes of it") {
  for (const std::string shown : {"", "first line", "firstWRONG", "\u200b", "[Pasted text #1]"}) {
    INFO(shown);
    Typist typist(behind_a_failure(), {});
    typist.show_for(500, at_prompt(shown));
    REQUIRE(typist.written().size() == 1);
    CHECK(typist.written()[0].bytes == "\x15\x7f");
    typist.show_for(100, at_prompt(""));
    CHECK(typist.written().back().bytes == bracketed("second"));
    CHECK(typist.written().size() == 2);
  }
}

TEST_CASE("what our own typing left is cleared, too, where no box is seen for it") {
  Typist typist(behind_a_failure(), {});
  InputView lost = no_box(at_prompt());
  lost.sighted = AgentStatus::kStarting;
  typist.show_for(499, lost);
  CHECK(typist.written().empty());
  typist.run_to(500);
  REQUIRE(typist.written().size() == 1);
  CHECK(typist.written()[0].bytes == "\x15\x7f");
  SECTION("then the box is back") {
    typist.show_for(600, at_prompt(""));
    CHECK(typist.written().back().bytes == bracketed("second"));
  }
  SECTION("it does not come back, and that ends") {
    typist.run_to(60'000);
    CHECK(typist.result() == DeliveryResult::kTimeout);
    CHECK_FALSE(typist.delivery().typed_anything());
  }
  SECTION("a dialog is not typed into") {
    typist.show(dialog());
    typist.run_to(60'000);
    CHECK(typist.written().size() == 1);
  }
}

TEST_CASE("behind a key of somebody else a message waits until its echo could have come") {
  Typist typist("hello");
  InputView typed_by_hand = at_prompt();
  typed_by_hand.hand_typed_at = 300;
  typist.show(typed_by_hand);
  SECTION("nothing is drawn: the longest") {
    typist.run_to(10'299);
    CHECK(typist.written().empty());
    typist.run_to(10'300);
    CHECK(typist.pastes() == 1);
    return;
  }
  typist.run_to(400);
  typist.show(typed_by_hand);
  typist.run_to(2'299);
  CHECK(typist.written().empty());
  SECTION("something else is drawn") {
    typist.run_to(2'300);
    CHECK(typist.pastes() == 1);
  }
  SECTION("it did: a draft") {
    typed_by_hand.typed = "WRONG";
    typist.show_for(100, typed_by_hand);
    CHECK(typist.result() == DeliveryResult::kBlocked);
    CHECK(typist.written().empty());
  }
}

TEST_CASE("what the terminal's late replies left in the box is cleared, and no draft") {
  Typist typist("hello");
  InputView replied = at_prompt("0u>|orch(0.1.0)62;22c");
  replied.holds_replies = true;
  typist.show_for(500, replied);
  REQUIRE(typist.written().size() == 1);
  CHECK(typist.written()[0].bytes == "\x15\x7f");
  typist.show_for(100, at_prompt(""));
  CHECK(typist.written().back().bytes == bracketed("hello"));
}

TEST_CASE("nothing is typed while what an earlier Enter has begun is unseen") {
  Typist typist(behind_a_failure(), {});
  InputView unseen = at_prompt("first line");
  unseen.enter_unseen = true;
  typist.show_for(5'000, unseen);
  CHECK(typist.written().empty());
  SECTION("it is seen") {
    typist.show_for(500, at_prompt("first line"));
    CHECK(typist.written().size() == 1);
  }
  SECTION("it never is, and that ends") {
    typist.run_to(60'000);
    CHECK(typist.result() == DeliveryResult::kTimeout);
    CHECK(typist.delivery().reason() ==
          "the agent has drawn nothing since the Enter of the message before");
    CHECK(typist.written().empty());
  }
}

TEST_CASE("a text that looks like the one that was left, unseen, is not taken for the message") {
  DeliveryRequest request = behind_a_failure();
  request.text = request.left;
  request.left_unseen = true;
  Typist typist(std::move(request), {});
  SECTION("the one that was left comes into sight late") {
    typist.show_for(600, at_prompt(""));
    REQUIRE(typist.delivery().typed_anything());
    typist.show(at_prompt("first line"));
    typist.run_to(60'000);
    CHECK(typist.enters() == 0);
    CHECK(typist.result() == DeliveryResult::kUnconfirmed);
  }
  SECTION("it was seen, and cleared") {
    typist.show_for(500, at_prompt("first line"));
    typist.show_for(200, at_prompt(""));
    REQUIRE(typist.delivery().typed_anything());
    typist.show_for(1'000, at_prompt("first line"));
    CHECK(typist.enters() == 1);
  }
}

TEST_CASE("what fills a box that nobody recognises is cleared, though the agent was seen at work") {
  Typist typist(behind_a_failure(), {});
  InputView lost = no_box(at_prompt());
  lost.status = AgentStatus::kWorking;
  lost.sighted = AgentStatus::kStarting;
  typist.show_for(4'999, lost);
  CHECK(typist.written().empty());
  typist.run_to(5'000);
  REQUIRE(typist.written().size() == 1);
  CHECK(typist.written()[0].bytes == "\x15\x7f");
}

TEST_CASE("a draft that somebody may have removed just now is waited for") {
  Typist typist("hello");
  InputView removed = at_prompt("WRONG");
  removed.hand_typed_at = -100;
  typist.show(removed);
  typist.run_to(1'400);
  CHECK_FALSE(typist.result());
  SECTION("it goes") {
    removed.typed = "";
    typist.show_for(1'000, removed);
    CHECK(typist.pastes() == 1);
  }
  SECTION("it stays") {
    typist.show_for(1'000, removed);
    CHECK(typist.result() == DeliveryResult::kBlocked);
  }
}

TEST_CASE("nothing is typed while somebody else types keys") {
  Typist typist("hello");
  InputView busy = at_prompt();
  busy.keyboard_busy = true;
  typist.show(busy);
  typist.run_to(60'000);
  CHECK(typist.written().empty());
  CHECK_FALSE(typist.result());
  typist.show(at_prompt());
  typist.run_to(60'500);
  CHECK(typist.pastes() == 1);
}

TEST_CASE("a terminal in canonical mode gets no message that it would cut") {
  InputView canonical = at_prompt();
  canonical.canonical = true;
  Typist fits(std::string(4'095, 'x'));
  fits.show(canonical);
  fits.run_to(500);
  CHECK(fits.pastes() == 1);
  Typist longer(std::string(4'096, 'x'));
  longer.show(canonical);
  longer.run_to(60'000);
  CHECK(longer.result() == DeliveryResult::kBlocked);
  CHECK(longer.written().empty());
}

TEST_CASE("a text that the agent would take for a command is refused unless it is meant") {
  adapters::InputSpec spec;
  spec.command_start = "/!#@";
  for (const std::string text : {"/quit", "!ls", "#note", "@file", "\x01/quit", "\x1b/quit"}) {
    INFO(text);
    Typist typist(text, spec);
    typist.show(at_prompt());
    typist.run_to(60'000);
    CHECK(typist.result() == DeliveryResult::kWouldBeCommand);
    CHECK(typist.written().empty());
    CHECK_FALSE(typist.delivery().typed_anything());
  }
  Typist meant(DeliveryRequest{"/quit", false, true}, spec);
  meant.show(at_prompt());
  meant.run_to(500);
  CHECK(meant.pastes() == 1);
  Typist inside("see /tmp and #4", spec);
  inside.show(at_prompt());
  inside.run_to(500);
  CHECK(inside.pastes() == 1);
}

adapters::InputSpec guessed() {
  adapters::InputSpec spec;
  spec.guessed = true;
  spec.enter_repeats = 1;
  return spec;
}

TEST_CASE("in a guessed box the message is looked for among other words, and work has to follow") {
  Typist typist("hello", guessed());
  typist.show(at_prompt("Ask anything"));
  typist.run_to(1'000);
  CHECK(typist.pastes() == 1);
  typist.show_for(3'000, at_prompt("hello  auto mode"));
  CHECK(typist.enters() == 1);
  typist.show_for(10'000, at_prompt("Ask anything"));
  CHECK_FALSE(typist.result());
  typist.show_for(1'000, working("Ask anything"));
  CHECK(typist.result() == DeliveryResult::kAccepted);
  CHECK(typist.enters() == 1);
}

TEST_CASE("an agent that echoes a message and does not work has not taken it") {
  Typist typist("hello", guessed());
  typist.show(at_prompt());
  typist.run_to(1'000);
  typist.show_for(1'000, at_prompt("hello"));
  typist.show_for(59'000, at_prompt());
  CHECK_FALSE(typist.result());
  typist.show_for(3'000, at_prompt());
  CHECK(typist.result() == DeliveryResult::kUnconfirmed);
  CHECK(typist.delivery().reason() == "no work followed the Enter");
}

TEST_CASE("the words of a guessed box do not pass for a message that they contain") {
  Typist typist("any", guessed());
  typist.show_for(10'000, at_prompt("Ask anything"));
  CHECK(typist.pastes() == 1);
  CHECK(typist.enters() == 0);
  CHECK(typist.result() == DeliveryResult::kUnconfirmed);
}

TEST_CASE("a guessed box that may hold an earlier message gets no other") {
  DeliveryRequest request{"hello", false, false};
  request.left = "before";
  request.clear_first = true;
  Typist typist(request, guessed());
  typist.show_for(5'000, at_prompt("before"));
  CHECK(typist.written().empty());
  CHECK(typist.result() == DeliveryResult::kBlocked);
}

}  // namespace
}  // namespace orch::driver
