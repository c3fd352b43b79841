#include "cli/sinks.h"

#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "base/fd.h"
#include "loop/loop.h"

using namespace orch;

namespace {

// What a sink shows of two lines, one of them hostile, a status and some raw bytes.
std::string shown(cli::OutputMode mode, const std::string& label) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const base::Fd read(ends[0]), write(ends[1]);
  loop::Loop loop;
  cli::OutputStream out(loop, write.get());
  const auto sink = cli::make_sink(mode, out, label);
  const event::Stamp stamp{.ms = 5, .time = "", .session = "orch-7", .run = ""};
  const auto tell = [&](const event::Event& event) {
    sink->on_event(event, event::to_json(stamp, event));
  };
  tell(event::Output{"words"});
  tell(event::StatusChange{});
  sink->on_raw("\x1b[31mred\xff");
  tell(event::Output{"a\x1b]0;b\x07\nc"});
  out.flush();
  std::array<char, 4096> buffer;
  out.write("|");
  out.flush();
  const ssize_t n = ::read(read.get(), buffer.data(), buffer.size());
  REQUIRE(n > 0);
  return {buffer.data(), static_cast<size_t>(n)};
}

}  // namespace

TEST_CASE("text shows lines alone, made harmless, with their issue's label if any") {
  CHECK(shown(cli::OutputMode::kText, "") == "words\na\uFFFD]0;b\uFFFD\uFFFDc\n|");
  CHECK(shown(cli::OutputMode::kText, "7") == "7 | words\n7 | a\uFFFD]0;b\uFFFD\uFFFDc\n|");
}

TEST_CASE("raw shows the bytes alone, quiet nothing") {
  CHECK(shown(cli::OutputMode::kRaw, "") == "\x1b[31mred\xff|");
  CHECK(shown(cli::OutputMode::kQuiet, "7") == "|");
}

TEST_CASE("json shows every event as a line, whatever the label") {
  const std::string text = shown(cli::OutputMode::kJson, "7");
  CHECK(text.starts_with(R"({"v":1,"ms":5,"session":"orch-7","event":"output","text":"words"})"
                         "\n"));
  CHECK(text.find(R"("event":"status")") != std::string::npos);
  CHECK(text.find("7 |") == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
}
