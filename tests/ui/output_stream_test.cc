#include "ui/output_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <string>

#include "base/fd.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"

using orch::base::Fd;
using orch::loop::Loop;
using orch::loop::Timer;
using orch::loop::WatchedFd;
using orch::ui::OutputStream;

namespace {

struct Ends {
  Fd reader, writer;  // both are in blocking mode
};

Ends make_pipe() {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

Ends make_socket() {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

Ends make_terminal() {
  Ends ends{Fd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)), Fd()};
  REQUIRE(::grantpt(ends.reader.get()) == 0);
  REQUIRE(::unlockpt(ends.reader.get()) == 0);
  std::array<char, 64> path{};
  REQUIRE(::ptsname_r(ends.reader.get(), path.data(), path.size()) == 0);
  ends.writer.reset(::open(path.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios modes{};
  REQUIRE(::tcgetattr(ends.writer.get(), &modes) == 0);
  ::cfmakeraw(&modes);
  REQUIRE(::tcsetattr(ends.writer.get(), TCSANOW, &modes) == 0);
  return ends;
}

std::string numbers(int from, int to) {
  std::string text;
  for (int n = from; n < to; ++n) text += std::to_string(n) + "\n";
  return text;
}

// Reads on the loop, `step` bytes at a time.
class Reader {
 public:
  Reader(Loop& loop, int fd, size_t step)
      : watch_(loop, WatchedFd::share(fd)), fd_(fd), step_(step) {}
  void start() {
    watch_.start(orch::loop::kReadable, [this](int) { on_readable(); });
  }
  void stop() { watch_.stop(); }
  const std::string& text() const { return text_; }
  // Reads everything that is there, without waiting.
  void drain() {
    pollfd ready{.fd = fd_, .events = POLLIN, .revents = 0};
    while (::poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN) != 0) on_readable();
  }

 private:
  void on_readable() {
    std::string buffer(step_, '\0');
    const ssize_t n = ::read(fd_, buffer.data(), buffer.size());
    if (n <= 0) return watch_.stop();
    text_.append(buffer, 0, static_cast<size_t>(n));
  }

  WatchedFd watch_;
  int fd_;
  size_t step_;
  std::string text_;
};

// Ends the test program after a minute, because a stream that blocks the loop would hang.
class Alarm {
 public:
  Alarm() { ::alarm(60); }
  ~Alarm() { ::alarm(0); }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
};

// Writes far more than the pipe or terminal between the ends can hold while nobody reads, and
// checks that the loop turns nevertheless; then reads, and checks that all of it comes, in order.
void check_slow_reader(const Ends& ends, size_t step) {
  const Alarm alarm;
  const std::string all = numbers(0, 100'000);
  Loop loop;
  OutputStream out(loop, ends.writer.get());
  Reader reader(loop, ends.reader.get(), step);
  Timer timer(loop);
  int turns = 0;
  for (int i = 0; i < 100; ++i) out.write(numbers(i * 1000, (i + 1) * 1000));
  std::function<void()> on_time = [&] {
    if (++turns < 50) return timer.start(1, on_time);
    reader.start();
    out.when_drained([&] { loop.stop(); });
  };
  timer.start(1, on_time);
  loop.run();
  reader.drain();
  CHECK(turns == 50);
  CHECK(reader.text() == all);
}

}  // namespace

TEST_CASE("a slow pipe holds up nothing and loses nothing") {
  check_slow_reader(make_pipe(), 1000);
  check_slow_reader(make_pipe(), 65536);
}

TEST_CASE("a slow terminal or socket holds up nothing and loses nothing") {
  check_slow_reader(make_terminal(), 1000);
  check_slow_reader(make_socket(), 1000);
}

TEST_CASE("a reader that is megabytes behind is told of, and that it has caught up") {
  const Alarm alarm;
  const Ends ends = make_pipe();
  Loop loop;
  OutputStream out(loop, ends.writer.get());
  Reader reader(loop, ends.reader.get(), 65536);
  std::string told;
  out.watch_fill([&] { told += "full "; }, [&] { told += "room "; });
  const std::string piece(1 << 20, 'x');
  for (size_t i = 0; i < orch::ui::kMostWaitingBytes / piece.size(); ++i) out.write(piece);
  CHECK(told.empty());
  out.write(piece);
  out.write(piece);
  CHECK(told == "full ");
  out.when_drained([&] { loop.stop(); });
  reader.start();
  loop.run();
  CHECK(told == "full room ");
}

TEST_CASE("one that reads on is waited for earlier, but not once it stands still") {
  const Alarm alarm;
  const Ends ends = make_pipe();
  Loop loop;
  OutputStream out(loop, ends.writer.get());
  std::string told;
  out.watch_fill([&] { told += "full "; },
                 [&] {
                   told += "room ";
                   loop.stop();
                 });
  out.write("taken");
  out.flush();
  out.write(std::string(orch::ui::kMostBehindBytes + 1, 'x'));
  CHECK(told == "full ");
  loop.run();  // nobody reads, so only what the pipe can hold is taken
  CHECK(told == "full room ");
  Timer later(loop);
  later.start(orch::ui::kStandsStillMs, [&] { loop.stop(); });
  loop.run();
  out.write(std::string(orch::ui::kMostBehindBytes, 'x'));
  CHECK(told == "full room ");
}

TEST_CASE("a reader that closes when it is megabytes behind makes nobody wait any longer") {
  const Alarm alarm;
  Ends ends = make_pipe();
  Loop loop;
  OutputStream out(loop, ends.writer.get());
  std::string told;
  out.watch_fill([&] { told += "full "; }, [&] { told += "room "; });
  out.write(std::string(orch::ui::kMostWaitingBytes + 1, 'x'));
  ends.reader.reset();
  out.when_drained([&] { loop.stop(); });
  loop.run();
  CHECK(told == "full room ");
  out.write(std::string(orch::ui::kMostWaitingBytes + 1, 'x'));
  CHECK(told == "full room ");
}

TEST_CASE("the descriptor keeps its blocking mode") {
  const Ends ends = make_pipe();
  Loop loop;
  OutputStream out(loop, ends.writer.get());
  out.write(numbers(0, 100'000));
  out.flush();
  CHECK((::fcntl(ends.writer.get(), F_GETFL) & O_NONBLOCK) == 0);
}

TEST_CASE("flush writes what the reader takes without waiting, and the rest follows") {
  const Alarm alarm;
  const Ends ends = make_pipe();
  Loop loop;
  OutputStream out(loop, ends.writer.get());
  Reader reader(loop, ends.reader.get(), 65536);
  out.write("first ");
  out.write("second");
  out.flush();
  reader.drain();
  CHECK(reader.text() == "first second");
  const std::string much = numbers(0, 100'000);
  out.write(much);
  out.flush();
  reader.drain();
  CHECK(reader.text().size() > 60'000);
  CHECK(reader.text().size() < much.size());
  reader.start();
  out.when_drained([&] { loop.stop(); });
  loop.run();
  reader.drain();
  CHECK(reader.text() == "first second" + much);
}

TEST_CASE("a reader that closes ends the stream, and nothing else") {
  const Alarm alarm;
  Ends ends = make_pipe();
  Loop loop;  // the loop ignores SIGPIPE
  OutputStream out(loop, ends.writer.get());
  out.write(numbers(0, 100'000));
  out.flush();
  ends.reader.reset();
  int drained = 0;
  out.when_drained([&] { ++drained; });
  CHECK(drained == 0);
  loop.run();  // returns, because nothing is left to wait for
  CHECK(drained == 1);
  out.write("more");
  out.flush();
  out.when_drained([&] { ++drained; });
  CHECK(drained == 2);
}

TEST_CASE("an empty stream is drained at once") {
  const Ends ends = make_pipe();
  Loop loop;
  OutputStream out(loop, ends.writer.get());
  out.write("");
  bool drained = false;
  out.when_drained([&] { drained = true; });
  CHECK(drained);
}

TEST_CASE("a regular file takes everything") {
  std::array<char, 32> path{"/tmp/orch-output-XXXXXX"};
  const Fd file(::mkstemp(path.data()));
  REQUIRE(file.valid());
  REQUIRE(::unlink(path.data()) == 0);
  const std::string all = numbers(0, 100'000);
  Loop loop;
  OutputStream out(loop, file.get());
  out.write(all);
  out.when_drained([&] { loop.stop(); });
  loop.run();
  std::string text(all.size() + 1, '\0');
  REQUIRE(::pread(file.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(all.size()));
  text.pop_back();
  CHECK(text == all);
}

TEST_CASE("what is held back comes after release, but for what was discarded") {
  const Alarm alarm;
  const Ends ends = make_pipe();
  Loop loop;
  OutputStream out(loop, ends.writer.get());
  Reader reader(loop, ends.reader.get(), 1000);
  out.write("before\n");
  out.flush();
  out.hold();
  out.write("lost\n");
  out.flush();
  bool waited_in_vain = true;
  out.when_drained([&] { waited_in_vain = false; });
  out.discard();
  out.write("after\n");
  Timer timer(loop);
  timer.start(5, [&] { loop.stop(); });
  loop.run();
  reader.drain();
  CHECK(reader.text() == "before\n");
  out.release();
  out.when_drained([&] { loop.stop(); });
  loop.run();
  reader.drain();
  CHECK(reader.text() == "before\nafter\n");
  CHECK(waited_in_vain);
}

TEST_CASE(
    "a disk that is full is an error of the stream, told once; a reader that closes is none") {
  Loop loop;
  const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  REQUIRE(full.valid());
  OutputStream out(loop, full.get());
  std::vector<int> errors;
  int drained = 0;
  out.watch_error([&](int error) { errors.push_back(error); });
  out.write("words");
  out.when_drained([&] { ++drained; });
  out.flush();
  out.write("more words");
  out.flush();
  CHECK(errors == std::vector<int>{ENOSPC});
  CHECK(drained == 1);
  CHECK(out.waiting_bytes() == 0);

  Ends ends = make_pipe();
  OutputStream closed(loop, ends.writer.get());
  closed.watch_error([&](int error) { errors.push_back(error); });
  ends.reader.reset();
  closed.write("words");
  closed.flush();
  CHECK(closed.waiting_bytes() == 0);
  CHECK(errors.size() == 1);
}

TEST_CASE("a pipe whose room another writer takes does not hold the stream up") {
  const Alarm alarm;
  Loop loop;
  const Ends ends = make_pipe();
  OutputStream out(loop, ends.writer.get());
  for (int i = 0; i < 100; ++i) {
    out.write(std::string(4096, 'x'));
    out.flush();
  }
  CHECK(out.waiting_bytes() > 0);
  CHECK((::fcntl(ends.writer.get(), F_GETFL) & O_NONBLOCK) == 0);
}
