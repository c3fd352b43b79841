#include "ui/notices.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "base/fd.h"
#include "loop/loop.h"

using namespace orch;
using ui::Notices;
using ui::OutputStream;

namespace {

std::string text_in(const base::Fd& fd) {
  std::string text;
  std::array<char, 4096> buffer;
  ssize_t n = 0;
  while ((n = ::read(fd.get(), buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<size_t>(n));
  }
  return text;
}

}  // namespace

TEST_CASE("a notice comes after all that was printed before, and whole") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_NONBLOCK) == 0);
  const base::Fd read_end(ends[0]), write_end(ends[1]);
  loop::Loop loop;
  OutputStream stream(loop, write_end.get());
  Notices notices(stream);
  stream.hold();
  stream.write("words\n");
  notices.say("orch: one\norch: two\n");
  stream.write("more words\n");
  CHECK(text_in(read_end).empty());
  CHECK_FALSE(notices.all_said());
  stream.release();
  stream.when_drained([&] { loop.stop(); });
  loop.run();
  stream.flush();
  CHECK(text_in(read_end) == "words\nmore words\norch: one\norch: two\n");
  CHECK(notices.all_said());
  notices.say("orch: three\n");
  CHECK(text_in(read_end) == "orch: three\n");
}

TEST_CASE("of more notices than are kept the oldest are left out, and counted") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_NONBLOCK) == 0);
  const base::Fd read_end(ends[0]), write_end(ends[1]);
  loop::Loop loop;
  OutputStream stream(loop, write_end.get());
  Notices notices(stream);
  stream.hold();
  stream.write("words\n");
  const std::string line(1023, 'x');
  for (size_t i = 0; i < ui::kMostNoticeBytes / 1024 + 10; ++i) notices.say(line + "\n");
  notices.say("last words\n");
  CHECK(stream.waiting_bytes() == 6);
  stream.release();
  std::string text;
  do {
    stream.flush();
    text += text_in(read_end);
  } while (stream.waiting_bytes() > 0);
  CHECK(text.starts_with("words\norch: 11 lines left out\nxxx"));
  CHECK(text.ends_with("x\nlast words\n"));
  CHECK(text.size() < ui::kMostNoticeBytes + 100);
}
