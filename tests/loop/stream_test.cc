#include "loop/stream.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <memory>
#include <optional>

#include "loop/loop.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"

using orch::base::Fd;
using orch::loop::kReadable;
using orch::loop::Loop;
using orch::loop::Stream;
using orch::loop::Timer;
using orch::loop::WatchedFd;

namespace {

// A stream and a plain socket at its other end, which the test itself reads and writes.
struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
    peer.reset(ends[1]);
    stream.emplace(loop, Fd(ends[0]),
                   Stream::Callbacks{
                       .on_data =
                           [this](std::string_view bytes) {
                             got += bytes;
                             check();
                           },
                       .on_closed =
                           [this] {
                             ++closed;
                             loop.stop();
                           },
                       .on_drained =
                           [this] {
                             ++drained;
                             check();
                           },
                   });
    deadline.start(20'000, [] { FAIL("the stream did not come to its end"); });
  }

  void run_until(std::function<bool()> reached) {
    until = std::move(reached);
    if (!until()) loop.run();
    REQUIRE((closed > 0 || until()));
  }
  void check() {
    if (until && until()) loop.stop();
  }

  // The bytes that the peer can read now.
  std::string read_peer() const {
    std::string all;
    std::array<char, 64 << 10> buffer;
    while (true) {
      const ssize_t n = ::read(peer.get(), buffer.data(), buffer.size());
      if (n <= 0) return all;
      all.append(buffer.data(), static_cast<size_t>(n));
    }
  }
  void write_peer(std::string_view bytes) const {
    REQUIRE(::write(peer.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  // Writes until the system takes no more; returns what was written.
  std::string block() {
    std::string written;
    for (char mark = 'a'; stream->queued_bytes() < (64 << 10);
         mark = mark == 'z' ? 'a' : mark + 1) {
      written += std::string(10'000, mark);
      stream->write_droppable(std::string(10'000, mark), written.size());
    }
    return written;
  }

  Loop loop;
  Timer deadline{loop};
  Fd peer;
  std::optional<Stream> stream;
  std::function<bool()> until;
  std::string got;
  int closed = 0, drained = 0;
};

}  // namespace

TEST_CASE("a stream tells what the peer writes and, once, that it has closed") {
  Pair pair;
  pair.write_peer("hello");
  pair.run_until([&] { return pair.got == "hello"; });
  pair.write_peer("last");
  pair.peer.reset();
  pair.run_until([] { return false; });
  CHECK(pair.got == "hellolast");
  CHECK(pair.closed == 1);
  pair.stream->write("nobody reads this");
  pair.stream->resume_reading();
  CHECK(pair.stream->queued_bytes() == 0);
  pair.deadline.stop();
  pair.loop.run();  // returns, because nothing is watched any more
  CHECK(pair.closed == 1);
}

TEST_CASE("writes arrive in order, whatever the peer's pace") {
  Pair pair;
  std::string written, read;
  for (int i = 0; i < 20'000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    written += line;
    pair.stream->write(line);
  }
  written += std::string(1 << 20, 'x');
  pair.stream->write(std::string(1 << 20, 'x'));
  CHECK(pair.stream->queued_bytes() > (1 << 20) / 2);  // the system does not take all of it at once
  WatchedFd readable(pair.loop, WatchedFd::share(pair.peer.get()));
  readable.start(kReadable, [&](int) {
    read += pair.read_peer();
    pair.check();
  });
  pair.run_until([&] { return read.size() >= written.size() && pair.drained > 0; });
  CHECK(read == written);
  CHECK(pair.stream->queued_bytes() == 0);
}

TEST_CASE("small writes go out in the next turn, together") {
  Pair pair;
  pair.stream->write("one ");
  pair.stream->write("two");
  CHECK(pair.read_peer().empty());
  CHECK(pair.stream->queued_bytes() == 7);
  pair.run_until([&] { return pair.drained == 1; });
  CHECK(pair.read_peer() == "one two");
}

TEST_CASE("what was not begun can be taken back; what was begun and what was promised arrives") {
  Pair pair;
  const std::string written = pair.block();
  pair.stream->write("kept");
  pair.stream->write_droppable("dropped", 7);
  const std::vector<Stream::Dropped> dropped = pair.stream->drop_unstarted();
  REQUIRE(dropped.size() >= 2);
  CHECK(dropped.back().bytes == "dropped");
  CHECK(dropped.back().mark == 7);
  CHECK(dropped.front().bytes.size() == 10'000);
  const size_t kept = dropped.front().mark - 10'000;
  std::string read = pair.read_peer();
  pair.run_until([&] { return pair.drained == 1; });
  read += pair.read_peer();
  CHECK(read == written.substr(0, kept) + "kept");
}

TEST_CASE("a stream of which all was taken back tells when the peer takes more") {
  Pair pair;
  pair.block();
  pair.stream->drop_unstarted();
  Timer turn(pair.loop);
  turn.start(0, [&] { pair.loop.stop(); });
  pair.loop.run();
  CHECK(pair.drained == 0);
  CHECK_FALSE(pair.read_peer().empty());
  pair.run_until([&] { return pair.drained == 1; });
}

TEST_CASE("a peer that vanishes is told as closed, not as a signal, after what it had written") {
  Pair pair;
  pair.write_peer("goodbye");
  pair.peer.reset();
  pair.stream->write(std::string(100'000, 'x'));
  pair.run_until([] { return false; });
  CHECK(pair.got == "goodbye");
  CHECK(pair.closed == 1);
  CHECK(pair.stream->queued_bytes() == 0);
}

TEST_CASE("a peer that only reads no more is gone, too") {
  Pair pair;
  REQUIRE(::shutdown(pair.peer.get(), SHUT_RD) == 0);
  pair.stream->write("x");
  pair.run_until([] { return false; });
  CHECK(pair.closed == 1);
}

TEST_CASE("a stream that is paused leaves what comes to the system") {
  Pair pair;
  pair.stream->pause_reading();
  pair.write_peer("later");
  pair.stream->write("now");
  pair.run_until([&] { return pair.drained == 1; });
  CHECK(pair.got.empty());
  pair.stream->resume_reading();
  pair.run_until([&] { return pair.got == "later"; });
}

TEST_CASE("a stream that is paused, and whose peer is gone, tells it only when it is read again") {
  Pair pair;
  pair.stream->pause_reading();
  pair.write_peer("goodbye");
  pair.peer.reset();
  pair.stream->write("to nobody");
  pair.run_until([&] { return pair.drained == 1; });  // whoever waits for that goes on
  CHECK(pair.got.empty());
  CHECK(pair.closed == 0);
  pair.stream->resume_reading();
  pair.run_until([&] { return pair.closed == 1; });
  CHECK(pair.got == "goodbye");
}

TEST_CASE("a stream may be destroyed by each of its callbacks") {
  const std::string callback = GENERATE("data", "closed", "drained");
  CAPTURE(callback);
  Loop loop;
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
  Fd peer(ends[1]);
  std::unique_ptr<Stream> stream;
  std::string told;
  const auto end = [&](const std::string& name) {
    if (name != callback) return;
    told += name;
    stream.reset();
  };
  stream = std::make_unique<Stream>(loop, Fd(ends[0]),
                                    Stream::Callbacks{
                                        .on_data = [&](std::string_view) { end("data"); },
                                        .on_closed = [&] { end("closed"); },
                                        .on_drained = [&] { end("drained"); },
                                    });
  REQUIRE(::write(peer.get(), "x", 1) == 1);
  stream->write("y");
  if (callback == "closed") peer.reset();
  loop.run();
  CHECK(told == callback);
}

TEST_CASE("an idle stream wakes nobody up") {
  Pair pair;
  pair.stream->write("x");
  pair.run_until([&] { return pair.drained == 1; });
  pair.until = nullptr;
  Timer end(pair.loop);
  end.start(50, [&] { pair.loop.stop(); });
  rusage before{}, after{};
  REQUIRE(::getrusage(RUSAGE_SELF, &before) == 0);
  pair.loop.run();
  REQUIRE(::getrusage(RUSAGE_SELF, &after) == 0);
  CHECK(after.ru_nvcsw - before.ru_nvcsw <= 2);  // it slept once, until the timer
}
