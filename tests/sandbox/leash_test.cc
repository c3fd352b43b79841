// What runs in a shared container end of each other's processes, in a real pid namespace.
#include "sandbox/leash.h"

#include <stdlib.h>  // mkdtemp
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "pty/tool_queue.h"
#include "session/environment.h"
#include "session/stream_source.h"
#include "skipped.h"

namespace orch::sandbox {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int64_t kPatienceMs = 60'000;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A pid namespace whose first process is a leash, as in a container, and ways to run programs in
// it.
class Box final : private session::SourceObserver {
 public:
  Box() {
    std::string path = "/tmp/orch-leash-XXXXXX";
    REQUIRE(::mkdtemp(path.data()) != nullptr);
    folder_ = path;
    pty::SpawnPlan plan;
    plan.argv = unshared({"sh", "-c",
                          "read -r pid rest </proc/self/stat; echo $pid >first; "
                          "mount -t proc proc /proc; exec sh -c \"$1\" orch-leash sh ''",
                          "sh", leash_script()});
    plan.cwd = folder_;
    plan.env = session::own_environment();
    auto leash = session::StreamSource::spawn(loop_, plan, *this);
    REQUIRE(leash);
    leash_ = std::move(leash).value();
    run_loop();
    REQUIRE(said_ == "up\n");
    first_ = number_in("first");
  }
  ~Box() override {
    leash_->finish_writing();
    if (!ended_) run_loop();
    fs::remove_all(folder_);
  }

  // Whether this machine allows to make one.
  static bool can_be() {
    const auto tried = pty::run_tool(unshared({"mount", "-t", "proc", "proc", "/proc"}),
                                     session::own_environment(), {.patience_ms = kPatienceMs});
    return tried && tried->ok;
  }

  // Starts a process that stays and is called `name` here, with a run's mark in its environment,
  // below the command `around`. Its parent ends.
  void begin(const std::string& mark, const std::string& name, const std::string& around) const {
    run(entering("ORCH_MARK=" + mark, around + staying(name) + " &"));
    wait_for(name);
  }
  // The same for a process that another program has brought in and holds from outside.
  void bring_in(const std::string& name) const {
    Words words{"sh", "-c", "\"$@\" </dev/null >/dev/null 2>&1 &", "sh"};
    for (std::string& word : entering("A=1", "exec" + staying(name))) words.push_back(word);
    run(words);
    wait_for(name);
  }
  void end_own(const std::string& mark) const {
    run(entering("ORCH_MARK=" + mark, std::string(kEndOwn) + "mark=" + mark + "; end_own KILL"));
  }
  void kill(const std::string& name) const {
    run(entering("A=1", "kill -KILL " + number_in(name)));
  }
  bool lives(const std::string& name) const {
    run(entering("A=1", "read -r pid comm state rest 2>/dev/null </proc/" + number_in(name) +
                            "/stat || state=Z; echo \"$state\" >looked"));
    return content_of(folder_ + "/looked") != "Z\n";
  }
  bool ends(const std::string& name) const {
    return comes_true([&] { return !lives(name); });
  }

 private:
  static Words unshared(const Words& command) {
    Words words{"unshare"};
    if (::geteuid() != 0) words.insert(words.end(), {"--user", "--map-root-user"});
    words.insert(words.end(), {"--mount", "--pid", "--fork", "--kill-child"});
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }
  // The command line that runs a script in the namespace with this variable, for a parent outside.
  Words entering(const std::string& variable, const std::string& script) const {
    Words words{"nsenter"};
    if (::geteuid() != 0) words.insert(words.end(), {"--user", "--preserve-credentials"});
    words.insert(words.end(), {"--target", first_, "--pid", "--mount", "--wd=" + folder_, "env",
                               variable, "sh", "-c", script});
    return words;
  }
  static std::string staying(const std::string& name) {
    return " sh -c 'echo $$ >" + name + "; exec sleep 1000' >/dev/null 2>&1 </dev/null";
  }
  static void run(const Words& words) {
    const auto end = pty::run_tool(words, session::own_environment(), {.patience_ms = kPatienceMs});
    REQUIRE(end);
    INFO(words.back() << "\n" << end->errors);
    REQUIRE(end->ok);
  }
  static bool comes_true(const std::function<bool()>& holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }
  void wait_for(const std::string& name) const {
    INFO(name);
    REQUIRE(comes_true([&] { return content_of(folder_ + "/" + name).ends_with('\n'); }));
    REQUIRE(lives(name));
  }
  std::string number_in(const std::string& name) const {
    const std::string text = content_of(folder_ + "/" + name);
    return text.substr(0, text.find('\n'));
  }
  void run_loop() {
    loop::Timer patience(loop_);
    patience.start(kPatienceMs, [this] { loop_.stop(); });
    loop_.run();
  }
  void on_output(std::string_view bytes) override {
    said_ += bytes;
    loop_.stop();
  }
  void on_end(pty::ExitStatus) override {
    ended_ = true;
    loop_.stop();
  }

  std::string folder_, said_, first_;
  bool ended_ = false;
  loop::Loop loop_;
  std::unique_ptr<session::Source> leash_;
};

TEST_CASE("a run that has joined a container ends what is its own there, and nobody else's") {
  if (!Box::can_be()) return say_skipped("no pid namespace can be made here");
  const Box box;
  const std::string bare = "env -i PATH=\"$PATH\" ";
  box.begin("run-a", "child", "");
  box.begin("run-a", "away", "setsid");
  box.begin("run-a-gate-1", "gate", "setsid");
  box.begin("run-a", "below", "sh -c '" + bare + "\"$@\" & wait' sh");
  box.begin("run-a", "nameless", bare + "setsid");
  box.begin("run-b", "other", "setsid");
  box.begin("run-b", "below_other", "sh -c '" + bare + "\"$@\" & wait' sh");
  box.bring_in("visitor");
  box.end_own("run-a");
  for (const char* own : {"child", "away", "gate", "below"}) {
    INFO(own);
    CHECK(box.ends(own));
  }
  for (const char* name : {"nameless", "other", "below_other", "visitor"}) {
    INFO(name);
    CHECK(box.lives(name));
  }
  box.end_own("run-b");
  CHECK(box.ends("other"));
  CHECK(box.ends("below_other"));
  CHECK(box.lives("nameless"));  // it could be the visitor's
  box.kill("visitor");
  REQUIRE(box.ends("visitor"));
  box.end_own("run-b");
  CHECK(box.ends("nameless"));
}

}  // namespace
}  // namespace orch::sandbox
