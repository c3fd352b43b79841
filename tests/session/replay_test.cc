#include "session/replay.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>
#include <random>

#include "agent_fixture.h"

namespace orch::session {
namespace {

using store::Cast;
using store::CastEvent;
using store::CastKind;

// The same bytes at the same times, but each output is cut into pieces, as long as `length` says.
template <typename Length>
Cast cut(const Cast& cast, Length length) {
  Cast pieces = cast;
  pieces.events.clear();
  for (const CastEvent& event : cast.events) {
    if (event.kind != CastKind::kOutput) {
      pieces.events.push_back(event);
      continue;
    }
    for (size_t at = 0; at < event.data.size();) {
      const std::string piece = event.data.substr(at, length());
      pieces.events.push_back({event.us, event.kind, piece});
      at += piece.size();
    }
  }
  return pieces;
}

Cast stretched(const Cast& cast, int64_t numerator, int64_t denominator) {
  Cast other = cast;
  for (CastEvent& event : other.events) event.us = event.us * numerator / denominator;
  other.end_us = cast.end_us * numerator / denominator;
  return other;
}

// The statuses, without causes, that lasted at least `ms`.
std::vector<std::string> lasting_statuses(const Agent& agent, const Cast& cast, int64_t ms) {
  std::vector<std::pair<int64_t, std::string>> changes;
  for (const ReplayedEvent& replayed : Replay(cast, *agent.manifest, agent.rules).run()) {
    const auto* change = std::get_if<event::StatusChange>(&replayed.event);
    if (change == nullptr) continue;
    const std::string status(event::name(change->status));
    if (changes.empty() || changes.back().second != status)
      changes.emplace_back(replayed.ms, status);
  }
  std::vector<std::string> lasting;
  for (size_t i = 0; i < changes.size(); ++i) {
    const int64_t end = i + 1 < changes.size() ? changes[i + 1].first : cast.end_us / 1000;
    if (end - changes[i].first >= ms) lasting.push_back(changes[i].second);
  }
  return lasting;
}

bool come_in_order(const std::vector<std::string>& wanted, const std::vector<std::string>& all) {
  auto at = all.begin();
  for (const std::string& status : wanted) {
    at = std::find(at, all.end(), status);
    if (at == all.end()) return false;
    ++at;
  }
  return true;
}

TEST_CASE("a recording tells statuses, starting first") {
  for (const Recorded& recorded : all_recordings()) {
    INFO(recorded.name);
    const Told told = told_by(*recorded.agent, recorded.cast);
    CHECK(told.statuses.size() >= 2);
    CHECK(told.statuses.front() == "0 starting/ ");
  }
}

TEST_CASE("a recording fed byte by byte gives the same statuses and lines") {
  for (const Recorded& recorded : all_recordings()) {
    INFO(recorded.name);
    const Told whole = told_by(*recorded.agent, recorded.cast);
    const Told bytes = told_by(*recorded.agent, cut(recorded.cast, [] { return size_t{1}; }));
    CHECK(bytes.statuses == whole.statuses);
    CHECK(bytes.lines == whole.lines);
  }
}

TEST_CASE("a recording split at random gives the same statuses and lines") {
  std::mt19937 random(20261122);
  std::uniform_int_distribution<size_t> length(1, 60);
  for (const Recorded& recorded : all_recordings()) {
    INFO(recorded.name);
    const Told whole = told_by(*recorded.agent, recorded.cast);
    const Told pieces =
        told_by(*recorded.agent, cut(recorded.cast, [&] { return length(random); }));
    CHECK(pieces.statuses == whole.statuses);
    CHECK(pieces.lines == whole.lines);
  }
}

// A recording whose outputs come at the very time of a look that is due about then. To
// `timer_first` the owner's timer comes before the output, as a host's may, to the other one it
// comes after it, as in a replay.
class Ties {
 public:
  explicit Ties(const Recorded& recorded)
      : timer_first_(driver_of(recorded)), output_first_(driver_of(recorded)) {
    for (const CastEvent& event : recorded.cast.events) {
      if (event.kind == CastKind::kExit) break;
      feed(event);
    }
  }
  int count() const { return count_; }
  int told() const { return told_; }

 private:
  static driver::ScreenDriver driver_of(const Recorded& recorded) {
    const store::CastHeader& header = recorded.cast.header;
    return {*recorded.agent->manifest, recorded.agent->rules, {header.cols, header.rows}, 0};
  }
  void feed(const CastEvent& event) {
    constexpr int64_t kAboutMs = 50;
    int64_t ms = std::max(now_, event.us / 1000);
    int64_t due = output_first_.next_deadline();
    for (; due < ms - kAboutMs; due = output_first_.next_deadline()) {
      timer_first_.on_timer(due);
      output_first_.on_timer(due);
      compare();
    }
    if (due < ms + kAboutMs) {
      ms = std::max(now_, due);
      ++count_;
    }
    now_ = ms;
    if (due <= ms) timer_first_.on_timer(ms);
    for (driver::ScreenDriver* driver : {&timer_first_, &output_first_}) {
      if (event.kind == CastKind::kOutput) driver->on_output(ms, event.data);
      if (event.kind == CastKind::kInput) driver->on_typed(ms, event.data);
    }
    output_first_.on_timer(ms);
    timer_first_.on_timer(ms);
    compare();
  }
  void compare() {
    const std::vector<agent::News> one = timer_first_.take_news(),
                                   other = output_first_.take_news();
    REQUIRE(one.size() == other.size());
    for (size_t i = 0; i < one.size(); ++i) {
      REQUIRE(one[i].index() == other[i].index());
      const auto* line = std::get_if<agent::Line>(&one[i]);
      if (line != nullptr) REQUIRE(line->text == std::get<agent::Line>(other[i]).text);
      const auto* change = std::get_if<event::StatusChange>(&one[i]);
      if (change != nullptr) REQUIRE(*change == std::get<event::StatusChange>(other[i]));
    }
    told_ += static_cast<int>(one.size());
  }

  driver::ScreenDriver timer_first_, output_first_;
  int64_t now_ = 0;
  int count_ = 0, told_ = 0;
};

TEST_CASE("a look and the output of its millisecond tell the same in either order") {
  int ties = 0, told = 0;
  for (const Recorded& recorded : all_recordings()) {
    INFO(recorded.name);
    const Ties tied(recorded);
    ties += tied.count();
    told += tied.told();
  }
  CHECK(ties > 100);
  CHECK(told > 100);
}

TEST_CASE("markers, title and timestamp of a recording say nothing to a replay") {
  for (const Recorded& recorded : all_recordings()) {
    INFO(recorded.name);
    Cast bare = recorded.cast;
    std::erase_if(bare.events, [](const CastEvent& e) { return e.kind == CastKind::kMarker; });
    bare.header.title.clear();
    bare.header.timestamp = 0;
    bare.header.agent.clear();
    bare.header.env.clear();
    const Told with = told_by(*recorded.agent, recorded.cast);
    const Told without = told_by(*recorded.agent, bare);
    CHECK(without.statuses == with.statuses);
    CHECK(without.lines == with.lines);
  }
}

TEST_CASE("a recording at half and double speed has the same order of lasting statuses") {
  for (const Recorded& recorded : all_recordings()) {
    INFO(recorded.name);
    const Agent& agent = *recorded.agent;
    const auto lasting = lasting_statuses(agent, recorded.cast, 1000);
    CHECK(come_in_order(lasting, lasting_statuses(agent, stretched(recorded.cast, 2, 1), 0)));
    CHECK(come_in_order(lasting, lasting_statuses(agent, stretched(recorded.cast, 1, 2), 0)));
  }
}

TEST_CASE("a replay run in steps tells what it tells in one go") {
  for (const Recorded& recorded : all_recordings()) {
    INFO(recorded.name);
    const Agent& agent = *recorded.agent;
    const auto whole = Replay(recorded.cast, *agent.manifest, agent.rules).run();
    Replay stepped(recorded.cast, *agent.manifest, agent.rules);
    std::vector<ReplayedEvent> steps;
    for (int64_t ms = 0; ms <= recorded.cast.end_us / 1000 + 1; ms += 137) {
      for (ReplayedEvent& event : stepped.run_to(ms)) steps.push_back(std::move(event));
    }
    for (ReplayedEvent& event : stepped.run()) steps.push_back(std::move(event));
    REQUIRE(steps.size() == whole.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      CHECK(steps[i].ms == whole[i].ms);
      CHECK(steps[i].event == whole[i].event);
    }
  }
}

TEST_CASE("a replay runs its timers on to the end of a recording that is silent there") {
  const Agent& demo = agent_named("demo");
  Cast cast;
  cast.header.cols = 80;
  cast.header.rows = 24;
  const std::string rule = "────────────────────\r\n";
  cast.events = {{0, CastKind::kOutput, "\x1b]0;demo\x07" + rule + "»\r\n" + rule}};
  cast.end_us = 2'000'000;
  const Told told = told_by(demo, cast);
  REQUIRE(told.statuses.size() == 2);
  CHECK(told.statuses[0] == "0 starting/ ");
  CHECK(told.statuses[1].ends_with(" idle/ demo/prompt"));
}

TEST_CASE("what a recording holds after the exit is not told") {
  Cast cast;
  cast.header.cols = 20;
  cast.header.rows = 4;
  cast.end_us = 9'000'000;
  cast.events = {{0, CastKind::kOutput, "said\r\n"},
                 {1'000'000, CastKind::kExit, "0"},
                 {2'000'000, CastKind::kOutput, "more\r\n"},
                 {3'000'000, CastKind::kExit, "0"}};
  const Told told = told_by(agent_named("command"), cast);
  CHECK(told.statuses == std::vector<std::string>{"0 starting/ ", "1000 exited/ "});
  CHECK(told.lines == std::vector<std::string>{"said"});
}

// Gemini draws a frame around a message like that of its input box, and its dialogs replace the
// box.
TEST_CASE(
    "what an agent said between a message in a frame and a dialog is told before the dialog") {
  std::string screen = "\x1b]0;✋  Action Required (project)\x07\x1b[H\x1b[2J";
  for (const char* row :
       {"▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄", " > Make it.",
        "▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀", "✦ I make the file.", "",
        "╭──────────────────────────────────────╮", "│ ? Shell  touch made.txt              │",
        "│ ╭──────────────────────────────────╮ │", "│ │ touch made.txt                   │ │",
        "│ ╰──────────────────────────────────╯ │", "│ Allow execution of [Shell]?          │",
        "│                                      │", "│ ● 1. Allow once                      │",
        "│   2. Allow for this session          │", "│   3. No, suggest changes (esc)       │",
        "╰──────────────────────────────────────╯"}) {
    screen += std::string(row) + "\r\n";
  }
  Cast cast;
  cast.header.cols = 40;
  cast.header.rows = 24;
  cast.events = {{0, CastKind::kOutput, screen}};
  cast.end_us = 3'000'000;
  const Agent& gemini = agent_named("gemini");
  bool said = false, asked = false;
  for (const ReplayedEvent& replayed : Replay(cast, *gemini.manifest, gemini.rules).run()) {
    if (const auto* output = std::get_if<event::Output>(&replayed.event)) {
      said = said || (output->text == "I make the file." && replayed.ms < 1'000);
    }
    const auto* change = std::get_if<event::StatusChange>(&replayed.event);
    asked = asked || (change != nullptr && change->status == event::AgentStatus::kWaiting);
  }
  CHECK(asked);
  CHECK(said);
}

// The lines without blanks and line ends, to compare the words in any layout.
std::string words_of(const std::vector<std::string>& lines) {
  std::string words;
  for (const std::string& line : lines) {
    std::copy_if(line.begin(), line.end(), std::back_inserter(words),
                 [](char c) { return c != ' '; });
  }
  return words;
}

size_t occurrences(const std::string& text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST_CASE("an answer that is drawn anew in other widths is told once") {
  for (const Recorded& recorded : all_recordings()) {
    if (recorded.name.find("resize") == std::string::npos) continue;
    INFO(recorded.name);
    const std::string words = words_of(told_by(*recorded.agent, recorded.cast).lines);
    INFO(words);
    // The agent did say it three times.
    CHECK(occurrences(words, "Sure.Thefunctiongreetjoins") == 3);
    CHECK(occurrences(words, "Ithasnoerrorhandling,whichisfineforademo.") == 3);
    CHECK(occurrences(words, "errorhandling") == 3);
    CHECK(occurrences(words, "Theresultisprinted.") == 3);
    CHECK(occurrences(words, "Letmeknowifyouwantatestforit.") == 3);
    CHECK(occurrences(words, "Nowacommand.") == 1);
    CHECK(words.ends_with("Done."));
  }
}

}  // namespace
}  // namespace orch::session
