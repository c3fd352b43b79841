#include "ui/status_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/fd.h"
#include "loop/timer.h"

namespace orch::ui {

using event::AgentStatus;
using event::Cause;

TEST_CASE("The status line tells session, status, cause, time and turn") {
  const std::map<std::string, LineEntry> entries{
      {"orch-1", {AgentStatus::kWorking, Cause::kTool, 1000, 2}},
      {"orch-2", {AgentStatus::kWaiting, Cause::kPermission, 61'000, 0}}};
  CHECK(status_text(entries, 84'000, 0, 200) ==
        "⠋ orch-1 working (tool) 1m23s turn 2  ? orch-2 waiting (permission) 23s");
  CHECK(status_text({{"orch-1", {AgentStatus::kIdle, Cause::kNone, 0, 1}}}, 7'500'000, 3, 200) ==
        "· orch-1 idle 2h05m turn 1");
}

TEST_CASE("A session's words are the last that its agent said, not those of others") {
  using event::Output;
  using event::Speaker;
  LineEntry entry;
  const auto hear = [&entry](std::string text, Speaker speaker, bool gap = false) {
    Output line;
    line.text = std::move(text);
    line.speaker = speaker;
    line.gap = gap;
    update_entry(entry, line, 0);
  };
  hear("When all of this is done, say DONE", Speaker::kUser);
  CHECK(entry.words.empty());
  hear("I look at it.", Speaker::kAgent);
  hear("Continue with the task.", Speaker::kUser);
  hear("\u25cf Bash(make)", Speaker::kTool);
  hear("  ", Speaker::kAgent);
  hear("3 rows are missing", Speaker::kAgent, true);
  CHECK(entry.words == "I look at it.");
}

TEST_CASE("The status line tells tokens, and which gate runs for how long") {
  LineEntry entry{AgentStatus::kIdle, Cause::kNone, 0, 2};
  entry.tokens = "1.2k";
  event::Gate gate{.n = 1, .command = "make \033[2J test"};
  update_entry(entry, gate, 10'000);
  CHECK(status_text({{"orch-1", entry}}, 14'000, 0, 200) ==
        "⠋ orch-1 idle 14s turn 2 1.2k tokens  gate 1 for 4s: make \uFFFD[2J test");
  gate.ended = true;
  update_entry(entry, gate, 20'000);
  CHECK(status_text({{"orch-1", entry}}, 20'000, 0, 200) == "· orch-1 idle 20s turn 2 1.2k tokens");
}

TEST_CASE("The status line is cut between characters to the terminal's width") {
  const std::map<std::string, LineEntry> entries{
      {"orch-1", {AgentStatus::kWorking, Cause::kNone, 0, 0}}};
  CHECK(status_text(entries, 0, 0, 8) == "⠋ orch-1");
  CHECK(status_text(entries, 0, 0, 1) == "⠋");
  CHECK(status_text(entries, 0, 0, 0).empty());
}

TEST_CASE("Several sessions have a row each, and what there is no room for is counted") {
  using Phase = LineEntry::Phase;
  std::map<std::string, LineEntry> entries;
  entries["orch-1"] = {.status = AgentStatus::kWorking,
                       .cause = Cause::kTool,
                       .started_ms = 1000,
                       .turn = 2,
                       .agent = "demo",
                       .words = "reading \033[2J main.cc"};
  entries["orch-2"] = {.phase = Phase::kQueued};
  entries["orch-3"] = {.started_ms = 0,
                       .turn = 1,
                       .phase = Phase::kEnded,
                       .ended = "complete (0)",
                       .ended_ms = 60'000};
  entries["orch-10"] = {.status = AgentStatus::kWaiting,
                        .cause = Cause::kPermission,
                        .started_ms = 1000,
                        .words = "I ask",
                        .question = "Proceed?"};
  const auto rows = [&entries](size_t columns, size_t most) {
    return status_rows(entries, 84'000, columns, most, Ink::kMonochrome);
  };
  const std::vector<std::string> all = rows(100, 8);
  REQUIRE(all.size() == 4);
  CHECK(all[0] == "\033[0;1m? orch-10  waiting/permission             \033[0m1m      0  Proceed?");
  CHECK(all[1] == "* orch-1   working/tool        demo       1m      2  reading \uFFFD[2J main.cc");
  CHECK(all[2] == "  \033[0;2morch-2   queued                                 0\033[m");
  CHECK(all[3] == "\033[0;2m- orch-3   complete (0)                   1m      1\033[m");
  CHECK(rows(100, 3).size() == 3);
  CHECK(rows(100, 3).back() == "  \033[0;2m… and 1 queued, 1 done\033[m");
  for (size_t columns = 1; columns < 60; ++columns) CHECK(rows(columns, 2).size() == 2);
}

namespace {

// A status line on a pipe, and what was written to it so far.
class Drawn {
 public:
  explicit Drawn(bool in_color = true, size_t rows = 1) {
    REQUIRE(::pipe2(ends_.data(), O_NONBLOCK) == 0);
    read_end_.reset(ends_[0]);
    write_end_.reset(ends_[1]);
    stream.emplace(loop, write_end_.get());
    line.emplace(loop, StatusLine::Place{
                           *stream, [] { return size_t{80}; }, [this] { return is_ours; }, in_color,
                           rows > 1 ? std::function([rows] { return rows; }) : nullptr,
                           [this] { return above; }});
  }
  // Runs the loop for this long.
  void run_for(int64_t ms) {
    loop::Timer timer(loop);
    timer.start(ms, [this] { loop.stop(); });
    loop.run();
  }
  std::string written() {
    stream->flush();
    std::string text;
    std::array<char, 4096> buffer;
    ssize_t n = 0;
    while ((n = ::read(read_end_.get(), buffer.data(), buffer.size())) > 0) {
      text.append(buffer.data(), static_cast<size_t>(n));
    }
    return text;
  }

 private:
  std::array<int, 2> ends_{};
  base::Fd read_end_, write_end_;

 public:
  loop::Loop loop;
  bool is_ours = true;
  std::vector<std::string> above;  // the rows above the line
  std::optional<OutputStream> stream;
  std::optional<StatusLine> line;
};

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("The status line is gone when hidden, comes back by itself, and goes with its session") {
  Drawn drawn;
  drawn.run_for(2 * kRedrawMs);
  CHECK(drawn.written().empty());
  drawn.line->entry("orch-1").status = AgentStatus::kIdle;
  drawn.run_for(2 * kRedrawMs);
  CHECK(drawn.written() == "\r\x1b[K\x1b[2m· orch-1 idle 0s\x1b[m");
  drawn.line->hide();
  CHECK(drawn.written() == "\r\x1b[K");
  drawn.line->hide();
  CHECK(drawn.written().empty());
  drawn.run_for(2 * kRedrawMs);
  CHECK_FALSE(drawn.written().empty());
  drawn.line->finish("orch-1", "complete (0)");
  CHECK(drawn.written() == "\r\x1b[K");
  drawn.run_for(2 * kRedrawMs);
  CHECK(drawn.written().empty());
}

TEST_CASE("Rows are drawn in place, and all of them are erased for what is printed") {
  Drawn drawn(false, 3);
  drawn.line->queue("orch-1");
  drawn.line->queue("orch-2");
  drawn.run_for(2 * kRedrawMs);
  const std::string both = drawn.written();
  CHECK(count(both, "\r\n") == 1);
  CHECK(count(both, "\x1b[A") == 0);
  drawn.line->entry("orch-1").status = AgentStatus::kWaiting;
  drawn.run_for(2 * kRedrawMs);
  const std::string again = drawn.written();
  CHECK(again.starts_with("\x1b[?2026h\x1b[A\r\x1b[K"));
  CHECK(count(again, "\r\n") == 0);
  drawn.line->hide();
  CHECK(drawn.written() == "\r\x1b[K\x1b[A\x1b[K");
  drawn.run_for(2 * kRedrawMs);
  CHECK(count(drawn.written(), "\r\n") == 1);
  drawn.line->finish("orch-1", "complete (0)");
  CHECK(drawn.written() == "\r\x1b[K\x1b[A\x1b[K");
  drawn.run_for(2 * kRedrawMs);
  CHECK(count(drawn.written(), "complete (0)") == 1);
  drawn.line->clear();
  CHECK(drawn.written() == "\r\x1b[K\x1b[A\x1b[K");
  drawn.run_for(2 * kRedrawMs);
  CHECK(drawn.written().empty());
}

TEST_CASE("The status line has no colour where none is wanted") {
  Drawn drawn(false);
  drawn.line->entry("orch-1").status = AgentStatus::kIdle;
  drawn.run_for(2 * kRedrawMs);
  CHECK(drawn.written() == "\r\x1b[K· orch-1 idle 0s");
}

TEST_CASE("Over a terminal that is somebody else's nothing is drawn, and nothing erased") {
  Drawn drawn;
  drawn.line->entry("orch-1").status = AgentStatus::kIdle;
  drawn.run_for(2 * kRedrawMs);
  CHECK_FALSE(drawn.written().empty());
  drawn.is_ours = false;
  drawn.line->hide();
  drawn.line->forget();
  drawn.run_for(2 * kRedrawMs);
  CHECK(drawn.written().empty());
  drawn.is_ours = true;
  drawn.line->forget();  // SIGCONT
  drawn.run_for(2 * kRedrawMs);
  CHECK_FALSE(drawn.written().empty());
}

TEST_CASE("However much is printed, the status line is drawn a few times a second") {
  Drawn drawn;
  drawn.line->entry("orch-1").status = AgentStatus::kWorking;
  const int64_t begin = drawn.loop.now_ms();
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    drawn.line->hide();
    drawn.stream->write("line\n");
    drawn.run_for(0);
    text += drawn.written();
  }
  const auto most = static_cast<size_t>((drawn.loop.now_ms() - begin) / kRedrawMs) + 1;
  CHECK(count(text, "line\n") == 5000);
  CHECK(count(text, "orch-1") <= most);
}

TEST_CASE("What is printed comes with the next drawing, in one frame, and is never lost") {
  Drawn drawn;
  drawn.line->print("at once\n");
  CHECK(drawn.written() == "at once\n");
  drawn.above = {"agent"};
  drawn.line->entry("orch-1").status = AgentStatus::kIdle;
  drawn.run_for(2 * kRedrawMs);
  CHECK(count(drawn.written(), "agent\r\n") == 1);
  drawn.line->print("words\n");
  CHECK(drawn.written().empty());
  drawn.run_for(2 * kRedrawMs);
  const std::string frame = drawn.written();
  CHECK(frame.starts_with("\x1b[?2026h\r\x1b[K\x1b[A\x1b[Kwords\n\r\x1b[Kagent\r\n"));
  CHECK(frame.ends_with("\x1b[?2026l"));
  drawn.line->print("more\n");
  drawn.line->print_now();
  CHECK(count(drawn.written(), "more\n") == 1);
  drawn.line->print("hidden\n");
  drawn.line->hide();
  CHECK(drawn.written().ends_with("\x1b[Khidden\n"));
  drawn.run_for(2 * kRedrawMs);
  drawn.line->print("suspended\n");
  drawn.line->suspend();
  drawn.line->print("meanwhile\n");
  CHECK(drawn.written().ends_with("\x1b[Ksuspended\nmeanwhile\n"));
  drawn.line->resume();
  drawn.run_for(2 * kRedrawMs);
  drawn.written();
  drawn.line->print("elsewhere\n");
  drawn.is_ours = false;
  drawn.run_for(2 * kRedrawMs);
  CHECK(drawn.written() == "elsewhere\n");
}

TEST_CASE("A flood of words does not wait for the drawing") {
  Drawn drawn;
  drawn.line->entry("orch-1").status = AgentStatus::kIdle;
  drawn.run_for(2 * kRedrawMs);
  drawn.written();
  const std::string flood(StatusLine::kMostPrintedBytes, 'x');
  drawn.line->print("first\n");
  drawn.line->print(flood);
  CHECK(drawn.stream->waiting_bytes() > flood.size());
}

TEST_CASE("Rows above the line that stay the same are not written again") {
  Drawn drawn;
  drawn.above = {"agent", "more"};
  drawn.line->entry("orch-1").status = AgentStatus::kIdle;
  drawn.run_for(2 * kRedrawMs);
  CHECK(count(drawn.written(), "agent") == 1);
  drawn.line->redraw_soon();
  drawn.run_for(2 * kRedrawMs);
  CHECK(count(drawn.written(), "agent") == 0);
}

TEST_CASE("Behind what the terminal has not taken no status line waits") {
  Drawn drawn;
  drawn.stream->hold();
  drawn.stream->write("not taken\n");
  drawn.line->entry("orch-1").status = AgentStatus::kWorking;
  drawn.run_for(4 * kRedrawMs);
  CHECK(drawn.stream->waiting_bytes() == 10);
}

}  // namespace orch::ui
