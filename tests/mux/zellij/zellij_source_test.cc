// With a zellij that is a shell script of the test's, and a pane that is the test itself.
#include "mux/zellij/zellij_source.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>  // posix_openpt
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "base/text.h"
#include "loop/loop.h"
#include "mux/pane_link.h"
#include "mux/pane_message.h"
#include "mux/zellij/command.h"
#include "mux/zellij/screen.h"
#include "session/environment.h"
#include "temporary_folder.h"

namespace orch::mux::zellij {
namespace {

namespace fs = std::filesystem;
using mux::Order;

constexpr int64_t kPatienceMs = 60'000;
constexpr const char* kSession = "orch-7@0123abcd";

// Notes each call, and does what the file on_CALL of a test says before it does as zellij would.
constexpr const char* kFakeZellij = R"(#!/bin/sh
cd "$FAKE_ZELLIJ" || exit 9
echo "$*" >>calls
for last; do :; done
case "$*" in
  *--create-background*) call=create ;;
  attach*) call=attach ;;
  delete-session*) call=delete ;;
  *subscribe*) call=subscribe ;;
  *' action write '*) call=write ;;
  *' dump-screen '*) call=dump ;;
esac
if test -e on_$call; then . ./on_$call; fi
case $call in
  create) echo "$last" >door ;;
  subscribe) exit 2 ;;
  write) shift 6; echo "$*" >>keys ;;
  dump) cat screen ;;
esac
)";

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_.empty()) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, before_.c_str(), 1);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

class Folder {
 public:
  std::string operator/(const std::string& name) const { return folder_.path() + "/" + name; }

 private:
  TemporaryFolder folder_;
};

class Rig final : public session::SourceObserver {
 public:
  Rig() {
    fs::create_directories(folder / "bin");
    write("bin/zellij", kFakeZellij);
    fs::permissions(folder / "bin/zellij", fs::perms::owner_all);
    REQUIRE(::mkfifo((folder / "door").c_str(), 0600) == 0);
    show("");
    master.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    REQUIRE(::grantpt(master.get()) == 0);
    REQUIRE(::unlockpt(master.get()) == 0);
    resize(80, 24);
  }

  // The file appears at once, whole.
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / (name + ".new")) << text;
    fs::rename(folder / (name + ".new"), folder / name);
  }
  void show(const std::string& screen) const { write("screen", screen); }
  std::string read(const std::string& name) const {
    std::ifstream file(folder / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t calls_of(std::string_view word) const {
    const std::string calls = read("calls");
    size_t count = 0;
    for (size_t at = 0; (at = calls.find(word, at)) != std::string::npos; ++at) ++count;
    return count;
  }
  void resize(int cols, int rows) const {
    const winsize size{static_cast<unsigned short>(rows), static_cast<unsigned short>(cols), 0, 0};
    REQUIRE(::ioctl(master.get(), TIOCSWINSZ, &size) == 0);
  }
  void type(const std::string& keys) const {
    CHECK(::write(master.get(), keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }

  base::Status start(std::vector<std::string> argv) {
    pty::SpawnPlan plan;
    plan.argv = std::move(argv);
    plan.cwd = "/";
    plan.env = session::own_environment();
    plan.cols = 80;
    plan.rows = 24;
    std::thread in_pane([this] { be_pane(); });
    auto started =
        ZellijSource::start(loop_, {kSession, {"orch", "internal", "pane"}}, plan, *this);
    // Lets the thread go that nobody has told of a door.
    const base::Fd door(::open((folder / "door").c_str(), O_RDWR | O_CLOEXEC));
    const bool told = ::write(door.get(), "\n", 1) == 1;
    in_pane.join();
    REQUIRE(told);
    if (!started) return started.error();
    source = std::move(started).value();
    return base::Ok{};
  }
  void start_script(const std::string& script) {
    const base::Status started = start({"/bin/sh", "-c", script});
    INFO((started ? "" : started.error().text));
    REQUIRE(started);
  }
  std::string start_error() {
    const base::Status started = start({"/bin/sh", "-c", "read -r word"});
    REQUIRE_FALSE(started);
    return started.error().text;
  }

  // Runs the loop until that holds.
  void until(const std::function<bool()>& there) {
    loop::Timer deadline(loop_), look(loop_);
    bool given_up = false;
    deadline.start(kPatienceMs, [&] { given_up = true; });
    const std::function<void()> looks = [&] {
      if (there() || given_up) return loop_.stop();
      look.start(10, looks);
    };
    look.start(0, looks);
    loop_.run();
    INFO("output: " << output << "\ncalls: " << read("calls"));
    REQUIRE(there());
  }
  void until_output(const std::string& text) {
    until([&] { return output.find(text) != std::string::npos; });
  }
  void until_ended() {
    until([&] { return ended > 0; });
  }
  // Runs the loop so often that all that has happened is seen.
  void turns(int count) {
    until([&] { return count-- <= 0; });
  }
  // The next order that the pane has got.
  std::optional<Order> order() const {
    std::array<char, mux::kMaxPacket> packet;
    const ssize_t size = ::recv(host.get(), packet.data(), packet.size(), MSG_DONTWAIT);
    if (size <= 0) return std::nullopt;
    return mux::order_in({packet.data(), static_cast<size_t>(size)});
  }

  const Folder folder;
  const Variable path{"PATH", (folder / "bin") + ":" + std::getenv("PATH")};
  const Variable place{"FAKE_ZELLIJ", folder / "."};
  base::Fd master;  // of the pane's terminal
  base::Fd host;    // the pane's connection to the source
  mux::Hello hello{"", "", "1"};
  bool pane_hangs_up = false;
  bool destroys_when_resized = false;
  std::string output, lost;
  int ended = 0, times_lost = 0;
  pty::ExitStatus status;
  pty::TerminalSize size;

 private:
  // What `orch internal pane` does in a pane of zellij's.
  void be_pane() {
    std::string name;
    {
      std::ifstream door(folder / "door");
      std::getline(door, name);
    }
    if (name.empty()) return;
    base::Fd socket = mux::knock(name);
    const base::Fd slave(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (pane_hangs_up) return;
    if (mux::hand_over(socket, hello, slave.get())) host = std::move(socket);
  }

  void on_output(std::string_view bytes) override {
    CHECK(ended == 0);
    output += bytes;
  }
  void on_end(pty::ExitStatus end) override {
    ++ended;
    status = end;
  }
  void on_resized(int cols, int rows) override {
    size = {cols, rows};
    if (destroys_when_resized) source.reset();
  }
  void on_lost(const std::string& why) override {
    ++times_lost;
    lost = why;
  }

  loop::Loop loop_;

 public:
  std::unique_ptr<session::Source> source;
};

TEST_CASE("the screen of the pane comes, and each of its changes once") {
  Rig it;
  it.show("one\n");
  it.start_script("read -r word");
  it.until_output("one");
  const size_t looks = it.calls_of("dump-screen");
  it.until([&] { return it.calls_of("dump-screen") > looks + 1; });  // at what has not changed
  it.show("two\n");
  it.until_output("two");
  CHECK(it.output == drawing("one\n", 24) + drawing("two\n", 24));
  const std::string calls = it.read("calls");
  CHECK(calls.find("delete-session --force orch-7@0123abcd\n"
                   "--config ") == 0);
  CHECK(calls.find("/zellij.kdl --layout-string") != std::string::npos);
  CHECK(calls.find(" --layout-string layout { pane; } attach --create-background orch-7@0123abcd "
                   "-- orch internal pane orch-pane-") != std::string::npos);
  CHECK(calls.find("--session orch-7@0123abcd action dump-screen --pane-id terminal_1 --ansi\n") !=
        std::string::npos);
  CHECK(it.order() == Order{Order::Kind::kIfAbandoned, {}, delete_session(kSession)});
}

TEST_CASE("a zellij that tells of changes is not looked at, and each change comes once") {
  Rig it;
  it.write("on_subscribe", R"(
cat update
until test -e more; do sleep 0.01; done
cat more
exec sleep 1000
)");
  it.write("update", R"({"event":"pane_update","viewport":["one","two"]})"
                     "\n"
                     "no JSON\n");
  it.show("one\ntwo\n");
  it.start_script("read -r word");
  it.until_output("two");
  it.write("more", R"({"event":"other"})"
                   "\n"
                   R"({"event":"pane_update","viewport":["three"]})"
                   "\n");
  it.until_output("three");
  CHECK(it.output == drawing("one\ntwo\n", 24) + drawing("three\n", 24));
  CHECK(it.calls_of("dump-screen") == 1);
}

TEST_CASE("a dump that comes after a newer change is not shown") {
  Rig it;
  it.write("on_subscribe", R"(
echo '{"event":"pane_update","viewport":["new"]}'
exec sleep 1000
)");
  it.write("on_dump", R"(
until test -e late; do sleep 0.01; done
cat screen
touch dumped
exit
)");
  it.show("old\n");
  it.start_script("read -r word");
  it.until_output("new");
  it.write("late", "");
  it.until([&] { return fs::exists(it.folder / "dumped"); });
  it.turns(20);
  CHECK(it.output == drawing("new\n", 24));
}

TEST_CASE("the pane gets the wanted size from a client that comes for a moment") {
  Rig it;
  it.resize(50, 50);
  it.write("on_attach", "stty size >seen && mv seen size; exec sleep 1000\n");
  std::thread zellij([&it] {
    while (!fs::exists(it.folder / "size"))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    it.resize(80, 24);
  });
  it.start_script("read -r word");
  zellij.join();
  CHECK(it.read("size") == "24 80\n");
  it.turns(3);
  CHECK(it.size == pty::TerminalSize{});  // it had that size before the agent began
}

TEST_CASE("keys are written byte by byte, in their order, however many they are") {
  Rig it;
  it.start_script("read -r word");
  it.source->write(std::string("a\0\xff", 3));
  it.source->write(std::string(5'000, 'x'));
  it.source->write("");
  it.source->write("b");
  it.until([&] { return it.read("keys").ends_with("\n98\n"); });
  std::vector<size_t> sizes;
  const std::string keys = it.read("keys");
  for (const std::string_view line : base::split_lines(keys)) {
    if (!line.empty())
      sizes.push_back(static_cast<size_t>(std::count(line.begin(), line.end(), ' ')) + 1);
  }
  CHECK(keys.starts_with("97 0 255\n120 120 "));
  CHECK(sizes == std::vector<size_t>{3, 4'096, 904, 1});
}

TEST_CASE("keys that zellij refuses hold up none of the next ones") {
  Rig it;
  it.write("on_write", "test -e refused || { touch refused; exit 1; }\n");
  it.start_script("read -r word");
  it.source->write("a");
  it.source->write("b");
  it.until([&] { return it.read("keys") == "98\n"; });
}

TEST_CASE("a zellij that cannot give a pane is an error, and leaves no session") {
  Rig it;
  std::string why;
  SECTION("it makes no session") {
    it.write("on_create", "printf 'no \\033[31mroom\\n' >&2; exit 1\n");
    why = "no ";
  }
  SECTION("it says nothing of that") {
    it.write("on_create", "exit 4\n");
    why = "4";
  }
  SECTION("it hangs") {
    it.write("on_create", "exec sleep 1000\n");
    why = "137";
  }
  SECTION("it opens no pane") {
    it.write("on_create", "echo 'no such plugin'; exit 2\n");
    why = "no such plugin";
  }
  SECTION("the pane does not know its number") {
    it.hello = {"/tmp/tmux-0/orch", "%1", ""};
    why = "its number";
  }
  SECTION("the pane hangs up") {
    it.pane_hangs_up = true;
    why = "its number";
  }
  const std::string text = it.start_error();
  CHECK(text.find("start orch-7@0123abcd in zellij: ") == 0);
  CHECK(text.find(why, text.find(": ")) != std::string::npos);
  CHECK(text.find('\033') == std::string::npos);
  CHECK(it.read("calls").ends_with("\ndelete-session --force orch-7@0123abcd\n"));
}

TEST_CASE("a zellij that is not there is an error") {
  Rig it;
  fs::remove(it.folder / "bin/zellij");
  const Variable path("PATH", it.folder / "bin");
  CHECK(it.start_error().find("zellij is not installed") != std::string::npos);
}

TEST_CASE("an agent that cannot be started leaves neither pane nor session") {
  Rig it;
  const base::Status started = it.start({"/no/such/agent"});
  REQUIRE_FALSE(started);
  CHECK(started.error().text.find("/no/such/agent") != std::string::npos);
  CHECK(it.read("calls").ends_with("\ndelete-session --force orch-7@0123abcd\n"));
  char byte = 0;
  CHECK(::recv(it.host.get(), &byte, 1, MSG_DONTWAIT) == 0);
}

TEST_CASE("a dump that fails shows nothing, and the next one is shown") {
  Rig it;
  it.show("good\n");
  SECTION("it fails with half a screen") {
    it.write("on_dump", "if test ! -e failed; then touch failed; echo half; exit 1; fi\n");
  }
  SECTION("it hangs") {
    it.write("on_dump", "if test ! -e failed; then touch failed; echo half; exec sleep 1000; fi\n");
  }
  it.start_script("read -r word");
  it.until_output("good");
  CHECK(it.output == drawing("good\n", 24));
}

TEST_CASE("an agent's last screen comes before its end, and its pane ends as it did") {
  Rig it;
  it.show("first\n");
  it.start_script("read -r word; exit 7");
  it.until_output("first");
  (void)it.order();
  it.show("last\n");
  it.type("go\n");
  it.until_ended();
  CHECK(it.output == drawing("first\n", 24) + drawing("last\n", 24));
  CHECK(it.status == pty::ExitStatus{7, 0});
  it.source->write("x");  // for nobody
  SECTION("it is removed") {
    it.source->part(session::Parting::kRemove);
    CHECK(it.order() == Order{Order::Kind::kFinish, {7, 0}, delete_session(kSession)});
  }
  SECTION("it stays to be looked at") {
    it.source->part(session::Parting::kKeep);
    CHECK(it.order() == Order{Order::Kind::kFinish, {7, 0}, {}});
  }
  it.turns(20);
  CHECK(it.ended == 1);
  CHECK(it.times_lost == 0);
  CHECK(it.read("keys").empty());
}

TEST_CASE("an agent's last screen comes though a dump of the one before is on its way") {
  Rig it;
  it.show("first\n");
  it.start_script("read -r word; exit 7");
  it.until_output("first");
  it.write("on_dump",
           "if mkdir held 2>/dev/null; then\n"
           "cat screen; while test ! -e go_on; do sleep 0.02; done; exit\nfi\n");
  it.until([&] { return fs::exists(it.folder / "held"); });
  it.show("last\n");
  it.type("go\n");
  it.until([&] { return it.source->pid() == 0; });  // it has ended
  it.write("go_on", "");
  it.until_ended();
  CHECK(it.output == drawing("first\n", 24) + drawing("last\n", 24));
}

TEST_CASE("a zellij that hangs or fails holds up no agent's end") {
  Rig it;
  it.show("first\n");
  it.start_script("read -r word; exit 7");
  it.until_output("first");
  SECTION("it hangs") { it.write("on_dump", "exec sleep 1000\n"); }
  SECTION("it fails") { it.write("on_dump", "exit 1\n"); }
  SECTION("it is gone") { fs::remove(it.folder / "bin/zellij"); }
  it.type("go\n");
  it.until_ended();
  CHECK(it.status == pty::ExitStatus{7, 0});
  CHECK(it.output == drawing("first\n", 24));
}

TEST_CASE("the loss of the pane is told once, and then only the agent's end") {
  Rig it;
  it.show("first\n");
  it.start_script("trap '' HUP; read -r word; sleep 1000");
  it.until_output("first");
  it.host.reset();
  it.until([&] { return it.times_lost > 0; });
  CHECK(it.lost == "its pane in zellij is gone");
  CHECK(it.ended == 0);
  it.source->write("x");
  it.source->stop({.quit_bytes = "", .quit_ms = 0, .term_ms = 0});
  it.until_ended();
  it.source->part(session::Parting::kRemove);
  it.turns(20);
  CHECK(it.status.signal != 0);
  CHECK(it.times_lost == 1);
  CHECK(it.ended == 1);
  CHECK(it.read("keys").empty());
}

TEST_CASE("while it is paused nothing is told, and then all of it is") {
  Rig it;
  it.show("first\n");
  it.start_script("read -r word; exit 7");
  it.until_output("first");
  it.source->pause();
  it.show("second\n");
  it.type("go\n");
  it.until([&] { return it.source->pid() == 0; });  // it has ended
  bool gone = false;
  SECTION("its pane stays") {}
  SECTION("its pane goes as well") {
    it.host.reset();
    gone = true;
  }
  it.turns(50);
  CHECK(it.ended == 0);
  CHECK(it.output == drawing("first\n", 24));
  it.source->resume();
  it.until_ended();
  CHECK(it.status == pty::ExitStatus{7, 0});
  if (!gone) CHECK(it.output == drawing("first\n", 24) + drawing("second\n", 24));
}

TEST_CASE("an agent is asked to quit by keys, and a second time it is killed") {
  Rig it;
  it.start_script("read -r word");
  it.source->stop({.quit_bytes = "\x03", .quit_ms = kPatienceMs, .term_ms = kPatienceMs});
  it.until([&] { return it.read("keys") == "3\n"; });
  CHECK(it.ended == 0);
  it.source->stop({});
  it.until_ended();
  CHECK(it.status.signal == SIGKILL);
}

TEST_CASE("a pane that zellij has resized is drawn anew") {
  Rig it;
  it.show("1\n2\n3\n");
  it.start_script("read -r word");
  it.until_output("3");
  CHECK(it.size == pty::TerminalSize{});
  it.output.clear();
  it.resize(100, 2);
  it.until_output("2");
  CHECK(it.size == pty::TerminalSize{100, 2});
  CHECK(it.output == drawing("1\n2\n3\n", 2));
}

TEST_CASE("who is told of another size may drop the source from inside of that") {
  Rig it;
  it.destroys_when_resized = true;
  it.start_script("read -r word");
  it.resize(100, 30);
  it.until([&] { return it.source == nullptr; });
  it.turns(20);
  CHECK(it.size == pty::TerminalSize{100, 30});
}

}  // namespace
}  // namespace orch::mux::zellij
