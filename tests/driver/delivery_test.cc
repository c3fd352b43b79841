#include "driver/delivery.h"

#include <catch2/catch.hpp>

#include "typist.h"

namespace orch::driver {
namespace {

using event::AgentStatus;

// Goes on to 500 ms, when the text has been written.
void type(Typist& typist) {
  typist.show(at_prompt());
  typist.run_to(500);
  REQUIRE(typist.written().size() == 1);
}

// Goes on to 900 ms, when Enter has been written, too.
void type_and_enter(Typist& typist, const std::string& text) {
  type(typist);
  typist.show(at_prompt(text));
  typist.run_to(900);
  REQUIRE(typist.enters() == 1);
}

TEST_CASE("a message is pasted, seen, entered and accepted") {
  Typist typist("hello");
  typist.show(at_prompt());
  typist.run_to(499);
  CHECK(typist.written().empty());
  CHECK_FALSE(typist.delivery().typed_anything());
  typist.run_to(500);
  REQUIRE(typist.written().size() == 1);
  CHECK(typist.written()[0].bytes == bracketed("hello"));
  CHECK(typist.delivery().typed_anything());
  typist.run_to(700);
  typist.show(at_prompt("hello"));
  typist.run_to(1099);
  CHECK(typist.enters() == 0);
  typist.run_to(1100);
  CHECK(typist.written().back().bytes == "\r");
  typist.show_for(199, at_prompt(""));
  CHECK_FALSE(typist.result());
  typist.run_to(1300);
  CHECK(typist.result() == DeliveryResult::kAccepted);
  CHECK(typist.delivery().next_deadline() == kNever);
}

TEST_CASE("without mode 2004 the text is typed as it is") {
  Typist typist("two\nlines");
  InputView plain = at_prompt();
  plain.bracketed_paste = false;
  typist.show(plain);
  typist.run_to(500);
  REQUIRE(typist.pastes() == 1);
  CHECK(typist.written()[0].bytes == "two\nlines");
}

TEST_CASE("text is recognised in every way a box shows it") {
  const std::string text = "the quick brown fox\njumps over the lazy dog";
  const std::string shown = GENERATE(
      std::string("the quick brown fox\njumps over the lazy dog"),       // as it was typed
      std::string("the quick brown fox jumps over the lazy dog"),        // rows joined
      std::string("the quick bro wn fox jumps over t he lazy dog"),      // wrapped within words
      std::string("│ the quick brown fox │ jumps over ┃ the lazy dog"),  // framed
      std::string("the\u00a0quick brown\u00a0fox jumps over the lazy dog"),
      std::string("[Pasted text #1 +1 lines]"),
      std::string("the quick [Pasted text #1 +1 lines][Pasted text #2] dog"));
  Typist typist(DeliveryRequest{text, false, false}, {}, R"(\[Pasted text #\d+( \+\d+ lines)?\])");
  typist.show(at_prompt());
  typist.run_to(500);
  typist.show(at_prompt(shown));
  typist.run_to(900);
  INFO(shown);
  CHECK(typist.enters() == 1);
}

TEST_CASE("the end of a text is enough where the box has scrolled, or may have") {
  InputView scrolled = at_prompt("fox jumps over the lazy dog");
  scrolled.box_begins = false;
  InputView tall = at_prompt("fox jumps over the lazy dog");
  tall.box_rows = 3;
  for (const InputView& view : {scrolled, tall}) {
    Typist typist("the quick brown fox\njumps over the lazy dog");
    type(typist);
    typist.show_for(400, view);
    CHECK(typist.enters() == 1);
  }
}

TEST_CASE("the end of a text may stand where a box without room for a footer has none") {
  InputView tall = at_prompt("jumps over the lazy dog   ↑ and sleeps");
  tall.box_rows = 3;
  tall.below = "all day long";
  Typist typist("the quick brown fox jumps over the lazy dog\nand sleeps\n\nall day long");
  type(typist);
  typist.show_for(400, tall);
  CHECK(typist.enters() == 1);
  tall.below = "gpt · ~/project";
  Typist other("the quick brown fox jumps over the lazy dog\nand sleeps\n\nall day long");
  type(other);
  other.show_for(400, tall);
  CHECK(other.enters() == 0);
}

TEST_CASE("the end of a text is not enough where the box shows all that it holds") {
  adapters::InputSpec never_scrolls;
  never_scrolls.scroll_rows = 0;
  InputView view = at_prompt("then all of the rest of it");
  for (const int rows : {1, 2, 20}) {
    Typist typist("first of all the long text\nthen all of the rest of it", never_scrolls);
    type(typist);
    view.box_rows = rows;
    typist.show_for(60'000, view);
    CHECK(typist.enters() == 0);
    CHECK(typist.result() == DeliveryResult::kUnconfirmed);
  }
}

TEST_CASE("what is not all of the text is not taken for it") {
  const std::string shown =
      GENERATE(std::string(""), std::string("the quick brown fox"), std::string("dog"),
               std::string("something else entirely, which is long"),
               std::string("fox jumps over the lazy dog"),
               std::string("WRONG the quick brown fox jumps over the lazy dog"),
               std::string("the quick brown fox jumps over the lazy dog."));
  Typist typist("the quick brown fox jumps over the lazy dog");
  typist.show(at_prompt());
  typist.run_to(500);
  typist.show(at_prompt(shown));
  typist.run_to(2'499);
  INFO(shown);
  CHECK(typist.enters() == 0);
  CHECK_FALSE(typist.result());
  typist.run_to(2'500);
  CHECK(typist.result() == DeliveryResult::kUnconfirmed);
  CHECK(typist.delivery().reason() == "the text did not appear in the input box");
}

TEST_CASE("a box that is drawn late is waited for") {
  Typist typist("hello");
  type(typist);
  typist.run_to(2'400);
  typist.show(at_prompt("hello"));
  typist.run_to(2'799);
  CHECK(typist.enters() == 0);
  typist.run_to(2'800);
  CHECK(typist.enters() == 1);
}

TEST_CASE("Enter comes as late as the manifest wants") {
  adapters::InputSpec slow;
  slow.enter_delay_ms = 1'500;
  Typist typist("hello", slow);
  type(typist);
  typist.show(at_prompt("hello"));
  typist.run_to(1'999);
  CHECK(typist.enters() == 0);
  typist.run_to(2'000);
  CHECK(typist.enters() == 1);
}

TEST_CASE("Enter may come at the look that shows the text") {
  adapters::InputSpec quick;
  quick.enter_delay_ms = 0;
  Typist typist("hello", quick);
  type(typist);
  typist.run_to(540);
  CHECK(typist.enters() == 0);
  typist.show(at_prompt("hello"));
  CHECK(typist.enters() == 1);
  CHECK(typist.now() == 540);
}

TEST_CASE("a dialog between text and Enter holds Enter back") {
  Typist typist("hello");
  type(typist);
  typist.show(at_prompt("hello"));
  typist.run_to(800);
  typist.show(dialog());
  typist.run_to(60'000);
  CHECK(typist.enters() == 0);
  CHECK_FALSE(typist.result());
  SECTION("until the text has been seen again for as long") {
    typist.show(at_prompt("hello"));
    typist.run_to(60'399);
    CHECK(typist.enters() == 0);
    typist.run_to(60'400);
    CHECK(typist.enters() == 1);
    CHECK(typist.pastes() == 1);
  }
  SECTION("for ever if the text is gone with it") {
    typist.show(at_prompt(""));
    typist.run_to(62'000);
    CHECK(typist.result() == DeliveryResult::kUnconfirmed);
    CHECK(typist.enters() == 0);
  }
}

TEST_CASE("a dialog that is sighted but not confirmed holds Enter back too") {
  Typist typist("hello");
  type(typist);
  typist.show(at_prompt("hello"));
  InputView sighted = at_prompt("hello");
  sighted.sighted = AgentStatus::kWaiting;
  typist.show(sighted);
  typist.run_to(60'000);
  CHECK(typist.enters() == 0);
}

TEST_CASE("a box that goes away before Enter and stays away ends the delivery") {
  Typist typist("hello");
  type(typist);
  typist.show(at_prompt("hello"));
  typist.show(no_box(at_prompt()));
  typist.run_to(60'000);
  CHECK(typist.result() == DeliveryResult::kUnconfirmed);
  CHECK(typist.enters() == 0);
}

TEST_CASE("text that leaves the box before Enter is not entered") {
  Typist typist("hello");
  type(typist);
  typist.show(at_prompt("hello"));
  typist.show(at_prompt("something of a human's"));
  typist.run_to(60'000);
  CHECK(typist.result() == DeliveryResult::kUnconfirmed);
  CHECK(typist.delivery().reason() == "the text left the input box before Enter");
  CHECK(typist.enters() == 0);
}

TEST_CASE("a paste that is lost is not repeated") {
  Typist typist("hello");
  type(typist);
  typist.run_to(60'000);
  CHECK(typist.result() == DeliveryResult::kUnconfirmed);
  CHECK(typist.written().size() == 1);
}

TEST_CASE("an agent has taken the message when its box empties, it works or it asks") {
  InputView asks = dialog();
  asks.sighted_cause = event::Cause::kPermission;
  for (const InputView& view : {at_prompt(""), working(""), no_box(working()), asks}) {
    Typist typist("hello");
    type_and_enter(typist, "hello");
    typist.show_for(200, view);
    CHECK(typist.result() == DeliveryResult::kAccepted);
  }
}

TEST_CASE("while the box shows the text nothing counts as taken") {
  InputView asks = working("hello");
  asks.sighted = AgentStatus::kWaiting;
  asks.sighted_cause = event::Cause::kPermission;
  for (const InputView& view : {working("hello"), asks}) {
    Typist typist("hello");
    type_and_enter(typist, "hello");
    typist.show_for(1'900, view);
    CHECK_FALSE(typist.result());
  }
}

TEST_CASE("an Enter that only made the agent flash busy is repeated") {
  Typist typist("hello");
  type_and_enter(typist, "hello");
  typist.show_ticking(500, working("hello"));
  typist.show_ticking(2'000, at_prompt("hello"));
  CHECK(typist.enters() == 2);
  typist.show_for(200, at_prompt(""));
  CHECK(typist.result() == DeliveryResult::kAccepted);
}

TEST_CASE("a text that a repaint hides for a moment was not taken") {
  for (const InputView& hidden : {at_prompt(""), working(""), no_box(working())}) {
    Typist typist("hello");
    type_and_enter(typist, "hello");
    typist.show_for(150, hidden);
    typist.show_ticking(2'000, at_prompt("hello"));
    CHECK_FALSE(typist.result());
    CHECK(typist.enters() == 2);
  }
}

TEST_CASE("a text that a repaint hides before Enter is waited for") {
  for (const InputView& hidden : {at_prompt(""), no_box(at_prompt())}) {
    Typist typist("hello");
    type(typist);
    typist.show_for(100, at_prompt("hello"));
    typist.show_for(350, hidden);
    CHECK(typist.enters() == 0);
    typist.show_for(399, at_prompt("hello"));
    CHECK(typist.enters() == 0);
    typist.run_to(typist.now() + 1);
    CHECK(typist.enters() == 1);
  }
}

TEST_CASE("a text that comes and goes is not entered") {
  Typist typist("hello");
  type(typist);
  for (int i = 0; i < 20; ++i) {
    typist.show_for(100, at_prompt("hello"));
    typist.show_for(100, at_prompt("he"));
  }
  CHECK(typist.result() == DeliveryResult::kUnconfirmed);
  CHECK(typist.delivery().reason() == "the text left the input box before Enter");
  CHECK(typist.enters() == 0);
}

TEST_CASE("a message that makes the agent exit was taken when its box had emptied") {
  Typist typist("hello");
  type_and_enter(typist, "hello");
  typist.show(at_prompt(""));
  typist.delivery().on_exit();
  CHECK(typist.result() == DeliveryResult::kAccepted);
}

TEST_CASE("a text is typed as keys, in one write, where the manifest says so") {
  adapters::InputSpec spec;
  spec.keys = {.bytes = 8, .between = "End", .tab = "    "};
  Typist typist("see\n/tmp/a.png\n\tand go", spec);
  type(typist);
  CHECK(typist.written()[0].bytes == "see\n/tmp\x1b[F/a.png\n \x1b[F   and \x1b[Fgo");
}

DeliveryRequest with_lead(std::string text) {
  DeliveryRequest request;
  request.text = std::move(text);
  request.lead = "Please do what follows:";
  return request;
}

TEST_CASE("a text that would be a command is refused, or comes behind its lead") {
  adapters::InputSpec spec;
  spec.command_start = "/!";
  const std::string text =
      GENERATE(std::string("/help"), std::string("!ls"), std::string("\n /help"),
               std::string("\u00a0/help"), std::string("\u3000!ls"), std::string("\ufeff/help"));
  Typist refused(text, spec);
  refused.show(at_prompt());
  CHECK(refused.result() == DeliveryResult::kWouldBeCommand);
  CHECK(refused.written().empty());
  Typist typist(with_lead(text), spec);
  type(typist);
  CHECK(typist.written()[0].bytes ==
        bracketed("Please do what follows:\n" + normalised_message(text)));
  DeliveryRequest meant = with_lead(text);
  meant.as_command = true;
  Typist command(meant, spec);
  type(command);
  CHECK(command.written()[0].bytes == bracketed(normalised_message(text)));
}

TEST_CASE("a word that the agent takes for a command is refused, or comes behind its lead") {
  adapters::InputSpec spec;
  spec.command_words = {"exit", ":q"};
  const std::string text = GENERATE(std::string("exit"), std::string(" exit\n"), std::string(":q"),
                                    std::string("\u00a0:q\u3000"));
  Typist refused(text, spec);
  refused.show(at_prompt());
  CHECK(refused.result() == DeliveryResult::kWouldBeCommand);
  CHECK(refused.written().empty());
  Typist typist(with_lead(text), spec);
  type(typist);
  CHECK(typist.written()[0].bytes ==
        bracketed("Please do what follows:\n" + normalised_message(text)));
}

TEST_CASE("a sentence with such a word is none") {
  adapters::InputSpec spec;
  spec.command_words = {"exit", ":q"};
  const std::string text = GENERATE(std::string("exit the loop"), std::string("exits"),
                                    std::string("EXIT"), std::string("how do I type :q"));
  Typist typist(text, spec);
  type(typist);
  CHECK(typist.written()[0].bytes == bracketed(text));
}

TEST_CASE("a text that would be no command has no lead") {
  adapters::InputSpec spec;
  spec.command_start = "/!";
  const std::string text =
      GENERATE(std::string("# Title"), std::string("1. first\n2. second"), std::string("a / b"));
  Typist typist(with_lead(text), spec);
  type(typist);
  CHECK(typist.written()[0].bytes == bracketed(text));
}

TEST_CASE("a dialog that no turn opens may have swallowed Enter: the box tells when it is over") {
  Typist typist("hello");
  type_and_enter(typist, "hello");
  InputView update = dialog();
  update.sighted_cause = event::Cause::kUpdate;
  typist.show(update);
  typist.run_to(60'000);
  CHECK_FALSE(typist.result());
  CHECK_FALSE(typist.delivery().holds_keyboard());  // a person has to be able to answer it
  CHECK(typist.enters() == 1);
  SECTION("the agent has the message") {
    typist.show_for(200, at_prompt(""));
    CHECK(typist.result() == DeliveryResult::kAccepted);
  }
  SECTION("the text still stands there: Enter again, once it must be newer than the Enter") {
    // While a dialog is shown, nothing tells how old later drawings are.
    typist.show(at_prompt("hello"));
    typist.run_to(69'999);
    CHECK(typist.enters() == 1);
    typist.run_to(70'000);
    CHECK(typist.enters() == 2);
    CHECK(typist.pastes() == 1);
  }
}

TEST_CASE("a short text is not taken for part of what a human wrote around it") {
  Typist typist("yes");
  type(typist);
  typist.show(at_prompt("no yes"));
  typist.run_to(60'000);
  CHECK(typist.enters() == 0);
  CHECK(typist.result() == DeliveryResult::kUnconfirmed);
}

TEST_CASE("work that is only inferred from our Enter does not accept the message") {
  Typist typist("hello");
  type_and_enter(typist, "hello");
  InputView submitted = working("hello");
  submitted.evidence = false;
  typist.show(submitted);
  CHECK_FALSE(typist.result());
}

TEST_CASE("Enter is repeated while a newer box holds the text, a bounded number of times") {
  adapters::InputSpec spec;
  spec.enter_repeats = 2;
  Typist typist("hello", spec);
  type_and_enter(typist, "hello");
  typist.show_ticking(1'999, at_prompt("hello"));
  CHECK(typist.enters() == 1);
  typist.show_ticking(100, at_prompt("hello"));
  CHECK(typist.enters() == 2);
  typist.show_ticking(2'100, at_prompt("hello"));
  CHECK(typist.enters() == 3);
  typist.show_ticking(2'100, at_prompt("hello"));
  CHECK(typist.result() == DeliveryResult::kUnconfirmed);
  CHECK(typist.delivery().reason() == "the text still stands in the input box after 3 times Enter");
  CHECK(typist.enters() == 3);
  CHECK(typist.pastes() == 1);
}

TEST_CASE("Enter is not repeated where nothing was drawn after it") {
  Typist typist("hello");
  type_and_enter(typist, "hello");
  typist.run_to(10'899);
  CHECK_FALSE(typist.result());
  SECTION("that ends, too") {
    typist.run_to(10'900);
    CHECK(typist.result() == DeliveryResult::kUnconfirmed);
    CHECK(typist.delivery().reason() == "the agent drew nothing after Enter");
  }
  SECTION("what comes late is what came of the first") {
    typist.show_for(200, at_prompt(""));
    CHECK(typist.result() == DeliveryResult::kAccepted);
  }
  CHECK(typist.enters() == 1);
}

TEST_CASE("what is drawn after Enter may be as old as the text was when it was seen") {
  Typist typist("hello");
  type(typist);
  typist.run_to(2'000);  // the text is seen 1.5 s after it was written
  typist.show_ticking(400, at_prompt("hello"));
  REQUIRE(typist.enters() == 1);
  typist.show_ticking(1'600, at_prompt("hello"));  // this may have been drawn before Enter
  typist.run_to(20'000);
  CHECK(typist.enters() == 1);
}

TEST_CASE("the patience after Enter is a multiple of the time in which the text was seen") {
  adapters::InputSpec spec;
  spec.seen_ms = 8'000;
  Typist typist("hello", spec);
  type(typist);
  typist.run_to(5'500);  // the text is seen after 5 s
  typist.show_ticking(400, at_prompt("hello"));
  REQUIRE(typist.enters() == 1);
  typist.show_ticking(15'500, at_prompt("hello"));
  CHECK(typist.enters() == 1);
  typist.show_ticking(200, at_prompt("hello"));
  CHECK(typist.enters() == 2);
}

TEST_CASE("what comes after a silence may be as old as that was long") {
  Typist typist("hello");
  type_and_enter(typist, "hello");
  // From now on everything arrives 8 s late; first comes what the agent drew before Enter.
  typist.run_to(8'800);
  typist.show_for(50, at_prompt("hello"));
  typist.show_for(50, at_prompt("hello"));
  CHECK(typist.enters() == 1);
  SECTION("then the dialog that came of it") {
    typist.show(dialog());
    typist.run_to(60'000);
  }
  SECTION("then nothing more for long") { typist.run_to(60'000); }
  CHECK(typist.enters() == 1);
}

TEST_CASE("an Enter that became a part of the text is repeated") {
  Typist typist("hello");
  type_and_enter(typist, "hello");
  InputView grown = at_prompt("hello");
  grown.box_rows = 2;
  typist.show_for(2'000, grown);
  CHECK(typist.enters() == 2);
}

TEST_CASE("a text of which a box would show nothing is refused") {
  const std::string text =
      GENERATE(std::string("\u200b"), std::string("\u00ad\u2060"), std::string("│"),
               std::string("\u00a0"), std::string("\t\n "), std::string(""));
  Typist typist(text);
  typist.show(at_prompt());
  typist.run_to(60'000);
  CHECK(typist.result() == DeliveryResult::kBlocked);
  CHECK(typist.written().empty());
  Typist behind_lead(with_lead(text), {});
  type(behind_lead);
}

TEST_CASE("Enter is not repeated without a box, and that ends too") {
  Typist typist("hello");
  type_and_enter(typist, "hello");
  typist.show(no_box(at_prompt()));
  typist.run_to(60'000);
  CHECK(typist.enters() == 1);
  CHECK(typist.result() == DeliveryResult::kUnconfirmed);
}

TEST_CASE("an agent that ends leaves the message exited, a delivered one stays accepted") {
  Typist typist("hello");
  type(typist);
  typist.delivery().on_exit();
  CHECK(typist.result() == DeliveryResult::kExited);
  typist.run_to(60'000);
  CHECK(typist.written().size() == 1);

  Typist accepted("hello");
  type_and_enter(accepted, "hello");
  accepted.show_for(200, at_prompt(""));
  accepted.delivery().on_exit();
  CHECK(accepted.result() == DeliveryResult::kAccepted);
}

TEST_CASE("a message keeps its text and loses its controls") {
  CHECK(normalised_message("a\r\nb\rc\nd") == "a\nb\nc\nd");
  CHECK(normalised_message("  a\tb \n\n") == "  a\tb \n\n");
  CHECK(normalised_message("a\x03\x1b[31mb\x7f\x08") == "a[31mb");
  CHECK(normalised_message("a\u0085b\u009bc\u00a0d") == "abc\u00a0d");
  CHECK(normalised_message(std::string("a\0b", 3)) == "ab");
  CHECK(normalised_message(std::string("\0# a", 4)) == "# a");
  CHECK(normalised_message("\ufeff\ufeff# a\ufeff") == "# a\ufeff");
  CHECK(normalised_message("a\xff"
                           "b") ==
        "a\ufffd"
        "b");
  CHECK(normalised_message("grüße 漢字 👍🏽") == "grüße 漢字 👍🏽");
}

TEST_CASE("a text on which Enter would mean something else gets a blank at its end") {
  CHECK(normalised_message("see @src/main.cc") == "see @src/main.cc ");
  CHECK(normalised_message("two\n@lines") == "two\n@lines ");
  CHECK(normalised_message("ends in \\") == "ends in \\ ");
  CHECK(normalised_message("mail me@example.org") == "mail me@example.org");
  CHECK(normalised_message("@src is the folder") == "@src is the folder");
}

TEST_CASE("a box that holds something else after Enter is no empty box") {
  Typist typist("hello");
  type_and_enter(typist, "hello");
  typist.show(at_prompt("@src/"));
  typist.run_to(60'000);
  CHECK(typist.result() == DeliveryResult::kUnconfirmed);
  CHECK(typist.delivery().reason() == "after Enter the input box holds something else");
  CHECK(typist.enters() == 1);
}

TEST_CASE("a text that somebody else went on with after Enter was not taken as it was") {
  Typist typist("hello");
  type_and_enter(typist, "hello");
  InputView gone_on = at_prompt("hello and mine");
  gone_on.hand_typed_at = 1'000;
  typist.show_for(200, gone_on);
  typist.show_for(200, working(""));
  CHECK(typist.result() == DeliveryResult::kUnconfirmed);
  CHECK(typist.delivery().reason() == "somebody else went on writing in the input box");
}

TEST_CASE("a box that a person's key may have emptied does not accept the message") {
  Typist typist("hello");
  type_and_enter(typist, "hello");
  InputView emptied = at_prompt("");
  emptied.hand_typed_at = 1'000;
  SECTION("nothing else is seen") {
    typist.show_for(60'000, emptied);
    CHECK(typist.result() == DeliveryResult::kUnconfirmed);
    CHECK(typist.delivery().reason() ==
          "somebody else typed, too, and the input box is empty after Enter");
  }
  SECTION("work begins") {
    typist.show_for(500, emptied);
    InputView works = working("");
    works.hand_typed_at = 1'000;
    typist.show_for(200, works);
    CHECK(typist.result() == DeliveryResult::kAccepted);
  }
}

TEST_CASE(
    "a dialog that is seen no more, while nothing else is, does not hold a message for ever") {
  Typist typist("hello");
  type(typist);
  typist.show(dialog());
  typist.run_to(5'000);
  InputView lost = no_box(at_prompt());
  lost.status = AgentStatus::kWaiting;  // no rule says otherwise
  lost.sighted = AgentStatus::kStarting;
  typist.show(lost);
  typist.run_to(60'000);
  CHECK(typist.result() == DeliveryResult::kUnconfirmed);
  CHECK(typist.enters() == 0);
}

TEST_CASE("no text can end its own bracketed paste") {
  Typist typist("a\x1b[201~\rrm -rf x\x1b[200~");
  type(typist);
  CHECK(typist.written()[0].bytes == bracketed("a[201~\nrm -rf x[200~"));
}

TEST_CASE("100 KB of text are one write and are known by their end") {
  std::string text;
  while (text.size() < 100'000) text += "line " + std::to_string(text.size()) + " of a long text\n";
  Typist typist(text);
  type(typist);
  CHECK(typist.written()[0].bytes == bracketed(text));
  InputView end = at_prompt(text.substr(text.size() - 300));
  end.box_begins = false;
  typist.show(end);
  typist.run_to(900);
  CHECK(typist.enters() == 1);
  typist.show_for(200, at_prompt(""));
  CHECK(typist.result() == DeliveryResult::kAccepted);
}

TEST_CASE("an agent without a recognisable box is typed to blindly but once") {
  Typist typist("hello");
  InputView blind = no_box(at_prompt());
  blind.box_expected = false;
  typist.show(blind);
  typist.run_to(60'000);
  CHECK(typist.pastes() == 1);
  CHECK(typist.enters() == 1);
  CHECK(typist.result() == DeliveryResult::kAccepted);
}

TEST_CASE("every result has the name that scripts see") {
  CHECK(agent::name(DeliveryResult::kAccepted) == "accepted");
  CHECK(agent::name(DeliveryResult::kUnconfirmed) == "unconfirmed");
  CHECK(agent::name(DeliveryResult::kBlocked) == "blocked");
  CHECK(agent::name(DeliveryResult::kTimeout) == "timeout");
  CHECK(agent::delivery_result_named("would_be_command") == DeliveryResult::kWouldBeCommand);
  CHECK_FALSE(agent::delivery_result_named("lost"));
  CHECK(agent::name(DeliveryResult::kExited) == "exited");
  CHECK(agent::name(DeliveryResult::kWouldBeCommand) == "would_be_command");
}

}  // namespace
}  // namespace orch::driver
