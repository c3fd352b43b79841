// With a real tmux. Hidden from a plain run of this program; see for_real.sh.
#include "mux/tmux/tmux_source.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "loop/loop.h"
#include "loop/timer.h"
#include "session/environment.h"
#include "temporary_folder.h"

using namespace orch;
using namespace orch::mux::tmux;

namespace {

constexpr int64_t kPatienceMs = 90'000;

// A tmux server of this test's own, and one agent in it.
class Rig final : public session::SourceObserver {
 public:
  Rig() { ::setenv("TMUX_TMPDIR", folder_.path().c_str(), 1); }
  ~Rig() override {
    source.reset();
    (void)ask(place_.server, {"kill-server"});
  }

  void start(const std::string& script, int cols = 80, int rows = 24) {
    pty::SpawnPlan plan;
    plan.argv = {"sh", "-c", script};
    plan.cwd = "/";
    plan.env = session::own_environment();
    plan.cols = cols;
    plan.rows = rows;
    auto started = TmuxSource::start(loop_, place_, plan, *this);
    INFO((started ? "" : started.error().text));
    REQUIRE(started);
    source = std::move(started).value();
  }

  // Runs the loop until the condition holds.
  void until(const std::function<bool()>& there) {
    there_ = &there;
    deadline_.start(kPatienceMs, [this] { loop_.stop(); });
    if (!there()) loop_.run();
    there_ = nullptr;
    INFO("output: " << output);
    REQUIRE(there());
  }
  void until_output(const std::string& text) {
    until([&] { return output.find(text) != std::string::npos; });
  }
  void until_end() {
    until([&] { return ended; });
  }
  void tmux(const std::vector<std::string>& words) {
    const auto answered = ask(place_.server, words);
    REQUIRE(answered);
    INFO(answered->said);
    CHECK(answered->code == 0);
  }
  std::string told_by_tmux(const std::vector<std::string>& words) {
    const auto answered = ask(place_.server, words);
    REQUIRE(answered);
    return answered->said;
  }
  // Runs the loop for this long.
  void pass(int64_t ms) {
    bool over = false;
    loop::Timer timer(loop_);
    timer.start(ms, [&] {
      over = true;
      loop_.stop();
    });
    while (!over) loop_.run();
  }

  // From now on pauses the source at each turn of the loop, before later timers.
  void pausing() {
    pausing_.start(0, [this] {
      if (ended) return;
      source->pause();
      source->resume();
      pausing();
    });
  }

  void stop_pausing() { pausing_.stop(); }

  std::unique_ptr<session::Source> source;
  std::string output, lost;
  bool ended = false;
  pty::ExitStatus status;
  pty::TerminalSize size;
  const std::string session = "orch-7@0123abcd";

 private:
  void on_output(std::string_view bytes) override {
    output += bytes;
    look();
  }
  void on_end(pty::ExitStatus end) override {
    ended = true;
    status = end;
    look();
  }
  void on_resized(int cols, int rows) override {
    size = {cols, rows};
    look();
  }
  void on_lost(const std::string& why) override {
    lost = why;
    source->stop({});
    look();
  }
  void look() {
    if (there_ != nullptr && (*there_)()) loop_.stop();
  }

  TemporaryFolder folder_;
  Place place_{{}, session, {ORCH_PROGRAM, "internal", "pane"}};
  loop::Loop loop_;
  loop::Timer deadline_{loop_}, pausing_{loop_};
  const std::function<bool()>* there_ = nullptr;
};

// All bytes; a terminal in raw mode changes none of them.
std::string all_bytes() {
  std::string bytes;
  for (int round = 0; round < 20; ++round) {
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace

TEST_CASE("an agent in a pane is a child with a terminal of its own", "[.][real]") {
  Rig rig;
  rig.start("tty; stty size; printf '%s|' \"$TMUX\"; ps -o pid= -o sid= -o tpgid= -p $$; exit 7");
  const std::string pid = std::to_string(rig.source->pid());
  rig.until_end();
  CHECK(rig.status == pty::ExitStatus{7, 0});
  CHECK(rig.output.find("/dev/pts/") != std::string::npos);
  CHECK(rig.output.find("24 80") != std::string::npos);
  size_t seen = 0;
  for (size_t at = 0; (at = rig.output.find(pid, at)) != std::string::npos; ++at) ++seen;
  CHECK(seen == 3);  // it leads its session, and has a controlling terminal
  CHECK(rig.output.find("\033Porch-end") == std::string::npos);
}

TEST_CASE("nothing of the last words before an end is lost", "[.][real]") {
  for (const char* end : {"exit 0", "kill -9 $$"}) {
    Rig rig;
    rig.start(std::string("seq 1 40000; ") + end);
    rig.until_end();
    CHECK(rig.output.size() == 40000 + 228894);  // with the CR of each line
    CHECK(rig.output.ends_with("40000\r\n"));
    CHECK(rig.status.signal == (std::string(end) == "exit 0" ? 0 : SIGKILL));
  }
}

TEST_CASE("bytes come and go as they are", "[.][real]") {
  Rig rig;
  const std::string bytes = all_bytes();
  const std::string count = std::to_string(bytes.size());
  rig.start("stty raw -echo; printf ready; head -c " + count +
            " | od -An -v -tx1 | tr -d ' \\r\\n'; " + "printf done; stty sane");
  rig.until_output("ready");
  rig.source->write(bytes);
  rig.until_output("done");
  std::string hex;
  for (const char c : bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  CHECK(rig.output.find(hex) != std::string::npos);
}

TEST_CASE("what a pane prints of the protocol is output like any other", "[.][real]") {
  Rig rig;
  rig.start(
      "printf '%%end 1 2 1\\n%%exit\\n%%output %%0 x\\n\\033[?2004h\\033]0;%%exit\\007'; "
      "read line; echo \"got $line\"");
  rig.until_output("%output %0 x");
  // The client's next snapshot has these rows.
  rig.tmux({"detach-client", "-s", "=" + rig.session});
  rig.pass(300);
  rig.source->write("on\r");
  rig.until_output("got on");
  rig.until_end();
  CHECK(rig.lost.empty());
}

TEST_CASE("a client that is thrown out comes back with what stands there", "[.][real]") {
  Rig rig;
  rig.start("echo before; read a; printf 'mea\\033[31mnwhile\\n'; read b; echo after $b");
  rig.until_output("before");
  for (int i = 0; i < 3; ++i) {
    rig.output.clear();
    rig.tmux({"detach-client", "-s", "=" + rig.session});
    if (i == 0) rig.tmux({"send-keys", "-t", exactly(rig.session), "Enter"});
    rig.until_output("nwhile");
  }
  CHECK(rig.output.find("before") != std::string::npos);
  rig.source->write("words\r");
  rig.until_output("after words");
  rig.until_end();
  CHECK(rig.status == pty::ExitStatus{});
}

TEST_CASE("a client that is thrown out comes back, however often its output is paused",
          "[.][real]") {
  Rig rig;
  rig.start("echo before; read a; echo after $a");
  rig.until_output("before");
  rig.output.clear();
  rig.pausing();
  rig.tmux({"detach-client", "-s", "=" + rig.session});
  rig.until_output("before");  // from the snapshot
  rig.stop_pausing();
  rig.source->write("words\r");
  rig.until_output("after words");
  rig.until_end();
}

TEST_CASE("an agent whose pane is closed, or whose tmux is ended, is ended", "[.][real]") {
  const std::vector<std::vector<std::string>> ways{
      {"kill-server"}, {"kill-session", "-t", "=orch-7@0123abcd"}, {"kill-pane", "-t", "%0"}};
  for (const std::vector<std::string>& way : ways) {
    INFO(way.front());
    Rig rig;
    rig.start("trap '' HUP; echo up; sleep 1000 & wait; sleep 1000");
    rig.until_output("up");
    const pid_t pid = rig.source->pid();
    rig.tmux(way);
    rig.until_end();
    CHECK_FALSE(rig.lost.empty());
    CHECK(::kill(pid, 0) != 0);
  }
}

TEST_CASE("an agent that ends tmux by itself ends its own run alone", "[.][real]") {
  Rig rig;
  rig.start("echo up; tmux -L orch kill-server; sleep 1000");
  rig.until_end();
  CHECK((!rig.lost.empty() || rig.status.signal == SIGHUP));  // whichever is reported first
}

TEST_CASE("an agent waits while its output is paused", "[.][real]") {
  Rig rig;
  rig.start("echo first; read a; seq 1 20000; echo last; exit 3");
  rig.until_output("first");
  rig.source->pause();
  rig.source->write("\r");
  rig.pass(700);
  CHECK(rig.output.find("last") == std::string::npos);
  CHECK(rig.output.size() < 20);
  CHECK_FALSE(rig.ended);
  rig.source->resume();
  rig.until_end();
  CHECK(rig.output.ends_with("last\r\n"));
  CHECK(rig.status == pty::ExitStatus{3, 0});
}

TEST_CASE("the window keeps its size, and a person who changes it is heard", "[.][real]") {
  Rig rig;
  rig.start("trap 'stty size' WINCH; stty size; while :; do sleep 0.05; done", 100, 30);
  rig.until_output("30 100");
  rig.source->resize(90, 20);
  rig.until_output("20 90");
  CHECK(rig.size == pty::TerminalSize{});
  rig.tmux({"split-window", "-h", "-t", exactly(rig.session), "sleep", "1000"});
  rig.until([&] { return rig.size.cols != 0; });
  CHECK(rig.size.cols < 90);
  CHECK(rig.size.rows == 20);
  rig.source->stop({.quit_bytes = "", .quit_ms = 0, .term_ms = 200});
  rig.until_end();
}

TEST_CASE("what is drawn for another size comes behind that size, however late it is read",
          "[.][real]") {
  Rig rig;
  rig.start("trap 'echo now; stty size' WINCH; stty size; while :; do sleep 0.05; done", 100, 30);
  rig.until_output("30 100");
  rig.tmux({"split-window", "-h", "-t", exactly(rig.session), "sleep", "1000"});
  ::usleep(800'000);  // the agent has redrawn, and this process has read nothing yet
  pty::TerminalSize known;
  rig.until([&] {
    if (rig.output.find("now") == std::string::npos) return false;
    known = rig.size;
    return true;
  });
  CHECK(known.cols > 0);
  CHECK(known.cols < 100);
  rig.source->stop({.quit_bytes = "", .quit_ms = 0, .term_ms = 200});
  rig.until_end();
}

TEST_CASE("in copy mode what is typed reaches the agent all the same", "[.][real]") {
  Rig rig;
  rig.start("stty raw -echo; printf ready; head -c 4 | od -An -c");
  rig.until_output("ready");
  rig.tmux({"copy-mode", "-t", exactly(rig.session)});
  rig.source->write(std::string("q\0y\r", 4));
  rig.until_output("q  \\0   y  \\r");
}

TEST_CASE("a pane that is kept shows how its agent ended; the next run takes its place",
          "[.][real]") {
  Rig rig;
  rig.start("echo bad; exit 9");
  rig.until_end();
  CHECK(rig.status == pty::ExitStatus{9, 0});
  rig.source->part(session::Parting::kKeep);
  rig.source.reset();
  const std::vector<std::string> dead{"list-panes",      "-s", "-t",
                                      "=" + rig.session, "-F", "#{pane_dead} #{pane_dead_status}"};
  std::string shown;
  for (int look = 0; look < 3'000 && shown != "1 9\n"; ++look) {
    shown = rig.told_by_tmux(dead);
    rig.pass(10);
  }
  CHECK(shown == "1 9\n");
  CHECK(rig.told_by_tmux({"capture-pane", "-p", "-S", "-", "-t", exactly(rig.session)})
            .starts_with("bad\n"));
  rig.ended = false;
  rig.output.clear();
  rig.start("echo good");
  rig.until_end();
  CHECK(rig.output == "good\r\n");
  rig.source->part(session::Parting::kRemove);
  for (int look = 0; look < 3'000 && shown.find("no server") == std::string::npos; ++look) {
    shown = rig.told_by_tmux({"list-sessions"});
    rig.pass(10);
  }
  CHECK(shown.find("no server") != std::string::npos);
}

TEST_CASE("a session that lives is not taken", "[.][real]") {
  Rig rig;
  rig.tmux({"new-session", "-d", "-s", rig.session, "sleep 1000"});
  pty::SpawnPlan plan;
  plan.argv = {"true"};
  plan.env = session::own_environment();
  loop::Loop loop;
  const auto started =
      TmuxSource::start(loop, {{}, rig.session, {ORCH_PROGRAM, "internal", "pane"}}, plan, rig);
  REQUIRE_FALSE(started);
  CHECK(started.error().code == base::ErrorCode::kUsage);
  CHECK(started.error().text.find("kill-session -t =" + rig.session) != std::string::npos);
}

TEST_CASE("a program that cannot be started leaves no session", "[.][real]") {
  Rig rig;
  pty::SpawnPlan plan;
  plan.argv = {"/no/such/program"};
  plan.env = session::own_environment();
  loop::Loop loop;
  const auto started =
      TmuxSource::start(loop, {{}, rig.session, {ORCH_PROGRAM, "internal", "pane"}}, plan, rig);
  REQUIRE_FALSE(started);
  CHECK(started.error().code == base::ErrorCode::kNotFound);
  std::string shown;
  for (int look = 0; look < 3'000 && shown.find("no server") == std::string::npos; ++look) {
    shown = rig.told_by_tmux({"list-sessions"});
    rig.pass(10);
  }
  CHECK(shown.find("no server") != std::string::npos);
}

TEST_CASE("nothing of the agent's environment or words is tmux's to show", "[.][real]") {
  Rig rig;
  ::setenv("ORCH_TEST_TOKEN", "s3cret", 1);
  rig.start("echo $ORCH_TEST_TOKEN; read a");
  ::unsetenv("ORCH_TEST_TOKEN");
  rig.until_output("s3cret");
  for (const std::vector<std::string>& question : std::vector<std::vector<std::string>>{
           {"show-environment", "-g"},
           {"show-environment", "-t", exactly(rig.session)},
           {"display-message", "-p", "-t", exactly(rig.session), "#{pane_start_command}"}}) {
    CHECK(rig.told_by_tmux(question).find("s3cret") == std::string::npos);
  }
  rig.source->write("\r");
  rig.until_end();
}
