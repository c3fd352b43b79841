#include "driver/agent_view.h"

#include <catch2/catch.hpp>

#include "agent_fixture.h"

namespace orch::session {

using base::TimeMs;
using driver::AgentView;
using driver::Sighting;
namespace {

const std::string kRule = "────────────────────\r\n";
const std::string kBox = kRule + "»\r\n" + kRule;
const std::string kIdleTitle = "\x1b]0;demo\x07";

// A view whose timers run when the test sets the time.
class Watched {
 public:
  explicit Watched(std::string_view agent, term::Size size = {60, 20},
                   driver::Conversation conversation = driver::Conversation::kNew)
      : view_(*agent_named(agent).manifest, agent_named(agent).rules, size, 0, nullptr,
              conversation) {}

  void input(TimeMs at, std::string_view bytes) { run_to(at), view_.on_input(at, bytes); }
  void output(TimeMs at, std::string_view bytes) { run_to(at), view_.on_output(at, bytes); }
  void resize(TimeMs at, term::Size size) { run_to(at), view_.on_resize(at, size); }
  void exit(TimeMs at) { run_to(at), keep(view_.on_exit(at)); }
  void run_to(TimeMs at) {
    for (TimeMs due = view_.next_deadline(); due <= at; due = view_.next_deadline()) {
      keep(view_.on_timer(due));
      REQUIRE(view_.next_deadline() > due);  // otherwise the owner would loop for ever
    }
  }

  AgentView& view() { return view_; }
  const std::vector<std::string>& lines() const { return lines_; }
  event::AgentStatus status() const { return view_.detector().status(); }

 private:
  void keep(Sighting sighting) {
    for (agent::Line& line : sighting.lines) lines_.push_back(std::move(line.text));
  }

  AgentView view_;
  std::vector<std::string> lines_;
};

using Lines = std::vector<std::string>;

TEST_CASE("a program's lines are told whole at its end, its last one without a line feed too") {
  Watched watched("command", {10, 4});
  watched.output(0, "0123456789abc\r\nnext\r\nlast");
  watched.exit(100);
  CHECK(watched.lines() == Lines{"0123456789abc", "next", "last"});
}

TEST_CASE("an agent that counts the code points of an emoji has a screen that does so too") {
  const Agent& command = agent_named("command");
  adapters::Manifest manifest = *command.manifest;
  AgentView sequences(manifest, command.rules, {10, 4}, 0);
  sequences.on_output(0, "❤\uFE0Fx");
  CHECK(sequences.screen().cursor_col() == 3);
  manifest.emoji_sequences = false;
  AgentView code_points(manifest, command.rules, {10, 4}, 0);
  code_points.on_output(0, "❤\uFE0Fx");
  CHECK(code_points.screen().cursor_col() == 2);
}

TEST_CASE("the lines of a flood do not wait for a timer, a few do") {
  Watched watched("command", {10, 4});
  watched.output(0, "one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n");
  CHECK(watched.view().take_flood().empty());
  std::string flood;
  for (int n = 0; n < 2'000; ++n) flood += std::to_string(n) + "\r\n";
  watched.output(1, flood);
  const std::vector<agent::Line> lines = watched.view().take_flood();
  REQUIRE(lines.size() > 1'990);
  CHECK(lines.back().text == "1996");
  CHECK(watched.view().take_flood().empty());
}

TEST_CASE("the blank at the edge where a line wraps is kept") {
  Watched watched("command", {10, 4});
  watched.output(0, "word word two three\r\n");
  watched.exit(100);
  CHECK(watched.lines() == Lines{"word word two three"});
}

TEST_CASE("a line whose head has scrolled off is told with it") {
  Watched watched("command", {10, 3});
  watched.output(0, "0123456789abcdefghij0123456789abcdefghijend");
  watched.exit(100);
  CHECK(watched.lines() == Lines{"0123456789abcdefghij0123456789abcdefghijend"});
}

TEST_CASE("a line that is still being written is not told in part") {
  Watched watched("command", {10, 6});
  watched.output(0, "done\r\n0123456789abc");
  watched.run_to(10'000);
  CHECK(watched.lines() == Lines{"done"});
  watched.output(10'000, "def\r\n");
  watched.exit(10'100);
  CHECK(watched.lines() == Lines{"done", "0123456789abcdef"});
}

TEST_CASE("an agent's words are told when its turn ends, its interface is not") {
  Watched watched("demo");
  watched.output(0, kIdleTitle + kBox);
  watched.run_to(1'000);
  CHECK(watched.status() == event::AgentStatus::kIdle);
  CHECK(watched.lines().empty());
  // Before the first key a short flash of work is not believed.
  watched.view().on_input(950, "hello");
  watched.output(
      1'000, "\x1b]0;◐ demo\x07\x1b[H\x1b[J» hello\r\n\r\n● Hi.\r\n  How are you?\r\n\r\n" + kBox);
  watched.run_to(1'100);
  CHECK(watched.status() == event::AgentStatus::kWorking);
  watched.output(1'100, kIdleTitle);
  watched.run_to(2'000);
  CHECK(watched.lines() == Lines{"hello", "", "Hi.", "How are you?"});
}

TEST_CASE("words drawn after the transcript is closed are not told") {
  Watched watched("command");
  watched.output(0, "said\r\n");
  watched.run_to(2'000);
  watched.view().close_transcript(2'000);
  watched.output(2'000, "leaving\r\n");
  watched.exit(3'000);
  CHECK(watched.lines() == Lines{"said"});
}

TEST_CASE("a program's repeated words after a resize are told") {
  Watched watched("command", {20, 4});
  watched.output(0, "same\r\n");
  watched.run_to(2'000);
  watched.resize(2'000, {30, 4});
  watched.output(2'100, "same\r\n");
  watched.exit(3'000);
  CHECK(watched.lines() == Lines{"same", "same"});
}

TEST_CASE("of notifications that arrive at one moment each counts, however they are cut") {
  const std::string notifications = "\x1b]9;Approval requested: ls\a\x1b]9;Something else\a";
  for (const size_t piece : {1U, 30U, 1000U}) {
    Watched watched("codex");
    watched.view().on_input(0, "go");
    for (size_t at = 0; at < notifications.size(); at += piece) {
      watched.output(10, std::string_view(notifications).substr(at, piece));
    }
    watched.run_to(3'000);
    CHECK(watched.status() == event::AgentStatus::kWaiting);
  }
}

// A frame of an agent on the alternate screen: `count` rows of an answer, from `first` on, and its
// box.
std::string frame(int first, int count) {
  std::string bytes = "\x1b[?2026h\x1b[H\x1b[J";
  for (int number = first; number < first + count; ++number) {
    bytes += (number == 1 ? "● line " : "  line ") + std::to_string(number) + " of it\r\n";
  }
  return bytes + kRule + "»\r\n" + kRule.substr(0, kRule.size() - 2) + "\x1b[?2026l";
}

Lines answer(int count) {
  Lines lines;
  for (int number = 1; number <= count; ++number) {
    lines.push_back("line " + std::to_string(number) + " of it");
  }
  return lines;
}

TEST_CASE("frames of the alternate screen are seen one by one, however many one read holds") {
  for (const size_t frames_in_a_read : {1U, 3U, 12U}) {
    Watched watched("demo");
    watched.output(0, "\x1b[?1049h" + kIdleTitle + frame(1, 10));
    watched.run_to(1'000);
    watched.view().on_input(1'000, "hello");
    watched.output(1'000, "\x1b]0;◐ demo\x07");
    std::string read;
    for (size_t number = 1; number <= 12; ++number) {
      // Two of these rows were in the frame before.
      read += frame(1 + 8 * static_cast<int>(number), 10);
      if (number % frames_in_a_read == 0) {
        watched.output(1'000 + static_cast<TimeMs>(number), read);
        read.clear();
      }
    }
    watched.output(1'100, kIdleTitle);
    watched.run_to(3'000);
    INFO(frames_in_a_read << " frames in a read");
    CHECK(watched.lines() == answer(106));
  }
}

TEST_CASE("half a frame is not looked at") {
  Watched watched("demo");
  watched.output(0, "\x1b[?1049h" + kIdleTitle + frame(1, 10));
  watched.run_to(1'000);
  const std::string next = frame(5, 10);
  for (size_t at = 0; at < next.size(); ++at) {
    watched.output(1'000 + static_cast<TimeMs>(at), next.substr(at, 1));
  }
  watched.run_to(5'000);
  watched.exit(5'000);
  CHECK(watched.lines() == answer(14));
}

TEST_CASE("what stands when the transcript is closed is told") {
  for (const std::string_view agent : {"command", "demo"}) {
    Watched watched(agent);
    watched.output(0, "● first\r\n  last" + (agent == "demo" ? "\r\n" + kBox : ""));
    if (agent == "demo") watched.run_to(300);  // its box is known, but no row has come to rest
    CHECK(watched.lines().empty());
    watched.view().close_transcript(300);
    watched.exit(320);
    INFO(agent);
    CHECK(watched.lines() ==
          (agent == "demo" ? Lines{"first", "last"} : Lines{"● first", "  last"}));
  }
}

// An agent that continues a conversation, and has drawn it; the first part has scrolled off.
std::string old_words() {
  std::string drawn = kIdleTitle + "» an old message\r\n";
  for (int n = 1; n <= 12; ++n) drawn += "● old words " + std::to_string(n) + "\r\n";
  return drawn;
}

class Resumed : public Watched {
 public:
  Resumed() : Watched("demo", {60, 10}, driver::Conversation::kResumed) {
    output(0, old_words() + kBox);
  }
};

const std::string kToRow6 = "\x1b[6;1H\x1b[J";  // the first row of the box that a Resumed has drawn

TEST_CASE("of a conversation that goes on nothing is told that was said before") {
  const TimeMs typed = GENERATE(300, 600, 5'000);  // before or after the old rows have come to rest
  Resumed watched;
  watched.input(typed, "new");
  watched.input(typed + 50, "\r");
  watched.output(typed + 100, kToRow6 + "» new\r\n● new words\r\n" + kBox);
  watched.run_to(typed + 10'000);
  watched.exit(typed + 10'000);
  CHECK(watched.lines() == Lines{"new", "new words"});
}

TEST_CASE("what was said before is known when it is drawn again") {
  Resumed watched;
  watched.input(1'000, "\r");
  watched.output(1'100, "\x1b[H\x1b[2J\x1b[3J" + old_words() + "» new\r\n● new words\r\n" + kBox);
  watched.run_to(10'000);
  watched.exit(10'000);
  CHECK(watched.lines() == Lines{"new", "new words"});
}

TEST_CASE("an Enter that answers a dialog at the start begins nothing new") {
  Watched watched("demo", {60, 20}, driver::Conversation::kResumed);
  watched.output(0, "Do you trust this folder?\r\n");
  watched.input(100, "\r");
  watched.output(200, "\x1b[H\x1b[2J" + kIdleTitle + "● old words\r\n" + kBox);
  watched.run_to(5'000);
  watched.input(5'000, "\r");
  watched.exit(6'000);
  CHECK(watched.lines().empty());
}

TEST_CASE("a conversation that is drawn between a message's paste and its Enter is no news") {
  Watched watched("demo", {60, 20}, driver::Conversation::kResumed);
  watched.output(0, kIdleTitle + kBox);
  watched.input(500, "x\x7f");  // before the first key a short flash of work is not believed
  watched.run_to(600);
  watched.input(700, "\x1b[200~new\x1b[201~");
  watched.output(800, "\x1b]0;◐ demo\x07\x1b[H\x1b[J» an old message\r\n● old words\r\n" + kBox);
  watched.run_to(950);
  REQUIRE(watched.status() == event::AgentStatus::kWorking);
  watched.input(1'000, "\r");
  watched.output(1'100, "\x1b[3;1H\x1b[J» new\r\n● new words\r\n" + kBox + kIdleTitle);
  watched.run_to(9'000);
  watched.exit(9'000);
  CHECK(watched.lines() == Lines{"new", "new words"});
}

TEST_CASE("what an agent says that begins to work by itself is told") {
  Resumed watched;
  watched.input(1'900, "x");  // before the first key a short flash of work is not believed
  watched.run_to(2'000);
  REQUIRE(watched.status() == event::AgentStatus::kIdle);
  watched.output(2'000, "\x1b]0;◐ demo\x07");
  watched.run_to(2'200);
  REQUIRE(watched.status() == event::AgentStatus::kWorking);
  watched.output(2'400, kToRow6 + "● new words\r\n" + kBox + kIdleTitle);
  watched.run_to(9'000);
  watched.exit(9'000);
  CHECK(watched.lines() == Lines{"new words"});
}

TEST_CASE("a program's row is told a tenth of a second after it came to rest") {
  Watched watched("command");
  watched.output(0, "one\r\n");
  watched.run_to(99);
  CHECK(watched.lines().empty());
  watched.run_to(200);
  CHECK(watched.lines() == Lines{"one"});
}

TEST_CASE("queries are answered at once") {
  Watched watched("command");
  CHECK(watched.view().on_output(0, "\x1b[6n") == "\x1b[1;1R");
  CHECK(watched.view().on_output(0, "text").empty());
}

}  // namespace
}  // namespace orch::session
