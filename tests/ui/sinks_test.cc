#include "ui/sinks.h"

#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "base/fd.h"
#include "loop/loop.h"

using namespace orch;

namespace {

// What a sink prints for two lines, one of them hostile, a status and some raw bytes.
std::string shown(ui::OutputMode mode, const std::string& issue) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const base::Fd read(ends[0]), write(ends[1]);
  loop::Loop loop;
  ui::OutputStream out(loop, write.get());
  const auto sink = ui::make_sink(mode, out, issue, std::make_shared<const mask::Secrets>());
  const auto tell = [&](const event::Event& event) {
    sink->on_event(event, event::to_json(5, event));
  };
  tell(event::SessionStart{"orch-7", "run", "7", "demo", ""});
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
  CHECK(shown(ui::OutputMode::kText, "") == "words\na\uFFFD]0;b\uFFFD\uFFFDc\n|");
  CHECK(shown(ui::OutputMode::kText, "7") == "7 | words\n7 | a\uFFFD]0;b\uFFFD\uFFFDc\n|");
}

TEST_CASE("raw shows the bytes alone, quiet nothing") {
  CHECK(shown(ui::OutputMode::kRaw, "") == "\x1b[31mred\xff|");
  CHECK(shown(ui::OutputMode::kQuiet, "7") == "|");
}

TEST_CASE("json shows every event as a line, and whose it is where several share the output") {
  const std::string head =
      R"({"ms":5,"event":"session","v":2,"session":"orch-7","run":"run","issue":"7","agent":"demo"})"
      "\n";
  CHECK(shown(ui::OutputMode::kJson, "")
            .starts_with(head + R"({"ms":5,"event":"output","speaker":"agent","text":"words"})" +
                         "\n"));
  const std::string text = shown(ui::OutputMode::kJson, "7");
  CHECK(text.starts_with(
      head + R"({"session":"orch-7","ms":5,"event":"output","speaker":"agent","text":"words"})" +
      "\n"));
  CHECK(text.find(R"("event":"status")") != std::string::npos);
  CHECK(text.find("7 |") == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
}
