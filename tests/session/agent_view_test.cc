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

// A view whose timers run when time is set.
class Watched {
 public:
  explicit Watched(std::string_view agent, term::Size size = {60, 20})
      : view_(*agent_named(agent).manifest, agent_named(agent).rules, size, 0) {}

  void output(TimeMs at, std::string_view bytes) { run_to(at), view_.on_output(at, bytes); }
  void resize(TimeMs at, term::Size size) { run_to(at), view_.on_resize(at, size); }
  void exit(TimeMs at) { run_to(at), keep(view_.on_exit(at)); }
  void run_to(TimeMs at) {
    for (TimeMs due = view_.next_deadline(); due <= at; due = view_.next_deadline()) {
      keep(view_.on_timer(due));
      REQUIRE(view_.next_deadline() > due);  // otherwise the owner would spin
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
  watched.view().on_input(950, "hello");  // before the first key a flash of work is not believed
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

TEST_CASE("queries are answered at once") {
  Watched watched("command");
  CHECK(watched.view().on_output(0, "\x1b[6n") == "\x1b[1;1R");
  CHECK(watched.view().on_output(0, "text").empty());
}

}  // namespace
}  // namespace orch::session
