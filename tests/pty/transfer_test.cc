#include "pty/transfer.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "base/fd.h"

using orch::base::Fd;
using orch::pty::kReadBufferBytes;
using orch::pty::read_burst;
using orch::pty::ReadBurst;
using orch::pty::WriteQueue;

namespace {

struct Pipe {
  Pipe() {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
  Fd read, write;
};

}  // namespace

TEST_CASE("a burst takes what is there, then tells the end") {
  Pipe pipe;
  std::array<char, 100> buffer;
  CHECK(read_burst(pipe.read.get(), buffer).bytes.empty());
  CHECK_FALSE(read_burst(pipe.read.get(), buffer).at_end);
  REQUIRE(::write(pipe.write.get(), "abc", 3) == 3);
  pipe.write.reset();
  const ReadBurst burst = read_burst(pipe.read.get(), buffer);
  CHECK(burst.bytes == "abc");
  CHECK(burst.at_end);
}

TEST_CASE("a burst never exceeds its buffer") {
  Pipe pipe;
  std::array<char, 4> buffer;
  REQUIRE(::write(pipe.write.get(), "abcdef", 6) == 6);
  CHECK(read_burst(pipe.read.get(), buffer).bytes == "abcd");
  CHECK(read_burst(pipe.read.get(), buffer).bytes == "ef");
}

TEST_CASE("a queue keeps the order of what a full descriptor does not take") {
  Pipe pipe;
  WriteQueue queue;
  std::string expected;
  for (char c = 'a'; c <= 'z'; ++c) {
    queue.push(std::string(20'000, c));
    expected += std::string(20'000, c);
    REQUIRE(queue.flush(pipe.write.get()));
  }
  CHECK(queue.size() > 400'000);

  std::string got;
  std::array<char, kReadBufferBytes> buffer;
  while (got.size() < expected.size()) {
    got += read_burst(pipe.read.get(), buffer).bytes;
    REQUIRE(queue.flush(pipe.write.get()));
  }
  CHECK(queue.empty());
  CHECK(got == expected);
}

TEST_CASE("a queue tells that its reader is gone") {
  Pipe pipe;
  pipe.read.reset();
  WriteQueue queue;
  queue.push("x");
  CHECK_FALSE(queue.flush(pipe.write.get()));
  queue.clear();
  CHECK(queue.flush(pipe.write.get()));
}
