#include "ui/attention.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "base/fd.h"
#include "loop/loop.h"

using namespace orch;

TEST_CASE("a person is called by bell, title and notification; the title is put back, once") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_NONBLOCK) == 0);
  const base::Fd read_end(ends[0]), write_end(ends[1]);
  loop::Loop loop;
  ui::OutputStream stream(loop, write_end.get());
  ui::Attention attention(stream);
  const auto written = [&] {
    stream.flush();
    std::array<char, 4096> buffer{};
    const ssize_t n = ::read(read_end.get(), buffer.data(), buffer.size());
    return std::string(buffer.data(), static_cast<size_t>(n > 0 ? n : 0));
  };
  attention.relieve();
  CHECK(written().empty());
  attention.call("orch-7 waits: permission");
  const std::string told =
      "\x1b]0;orch-7 waits: permission\a\x1b]9;orch-7 waits: permission\a"
      "\x1b]777;notify;orch;orch-7 waits: permission\a\a";
  CHECK(written() == "\x1b[22;0t" + told);
  attention.call("orch-7 waits: permission");
  CHECK(written() == told);  // the title from before is still saved
  attention.relieve();
  attention.relieve();
  CHECK(written() == "\x1b[23;0t");
  attention.call("a\x1b]52;c;x\ab\n;c\u009b" + std::string(5000, 'x'));
  const std::string hostile = written();
  CHECK(hostile.find("]52;") == std::string::npos);
  CHECK(hostile.find('\n') == std::string::npos);
  CHECK(hostile.find("\u009b") == std::string::npos);
  CHECK(hostile.size() < 1000);
}
