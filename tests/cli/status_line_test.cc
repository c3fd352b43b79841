#include "cli/status_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>

#include "base/fd.h"

namespace orch::cli {

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

TEST_CASE("The status line is cut between characters to the terminal's width") {
  const std::map<std::string, LineEntry> entries{
      {"orch-1", {AgentStatus::kWorking, Cause::kNone, 0, 0}}};
  CHECK(status_text(entries, 0, 0, 8) == "⠋ orch-1");
  CHECK(status_text(entries, 0, 0, 1) == "⠋");
  CHECK(status_text(entries, 0, 0, 0).empty());
}

TEST_CASE("The status line is gone when hidden, and with its last session") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_NONBLOCK) == 0);
  const base::Fd read_end(ends[0]), write_end(ends[1]);
  const auto written = [&read_end] {
    std::array<char, 4096> buffer;
    const ssize_t n = ::read(read_end.get(), buffer.data(), buffer.size());
    return std::string(buffer.data(), static_cast<size_t>(n > 0 ? n : 0));
  };
  loop::Loop loop;
  StatusLine line(loop, write_end.get(), [] { return size_t{80}; });
  line.show();
  CHECK(written().empty());
  line.entry("orch-1").status = AgentStatus::kIdle;
  line.show();
  CHECK(written() == "\r\x1b[K\x1b[2m· orch-1 idle 0s\x1b[m");
  line.hide();
  CHECK(written() == "\r\x1b[K");
  line.hide();
  CHECK(written().empty());
  line.show();
  CHECK_FALSE(written().empty());
  line.remove("orch-1");
  CHECK(written() == "\r\x1b[K");
}

}  // namespace orch::cli
