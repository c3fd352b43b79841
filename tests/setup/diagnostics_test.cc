#include "setup/diagnostics.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "scene.h"

using namespace orch::setup;
using orch::base::log_debug;
using orch::base::log_info;
using orch::base::log_warn;
using orch::base::LogLevel;

namespace {

namespace fs = std::filesystem;

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool holds(const std::string& path, std::string_view text) {
  return content_of(path).find(text) != std::string::npos;
}

// A state directory with the folders of two runs.
struct State {
  Scene scene;
  std::string path = scene.file("state");
  std::string one = folder_of_run("one") + "/orch.log";
  std::string two = folder_of_run("two") + "/orch.log";

  std::string folder_of_run(const std::string& run) const {
    return fs::path(scene.write("state/runs/" + run + "/run.json", "{}")).parent_path();
  }
};

}  // namespace

TEST_CASE("what is logged, and where, is read from -v and from ORCH_LOG") {
  CHECK_FALSE(read_log_request(0, "").wanted.on_stderr);
  CHECK(read_log_request(1, "").wanted.on_stderr == LogLevel::kInfo);
  CHECK(read_log_request(2, "").wanted.on_stderr == LogLevel::kDebug);
  CHECK(read_log_request(3, "").wanted.in_files == LogLevel::kDebug);
  CHECK(read_log_request(0, "warn").wanted.on_stderr == LogLevel::kWarn);
  CHECK(read_log_request(0, "warn").wanted.in_files == LogLevel::kInfo);
  CHECK(read_log_request(1, "warn").wanted.on_stderr == LogLevel::kInfo);

  const ReadLogRequest both = read_log_request(0, "debug,file:/a/b");
  CHECK(both.wanted.on_stderr == LogLevel::kDebug);
  CHECK(both.wanted.file == "/a/b");
  CHECK_FALSE(both.error);

  const ReadLogRequest wrong = read_log_request(0, "loud,error,file:");
  REQUIRE(wrong.error);
  CHECK(wrong.error->text.find("'file:'") != std::string::npos);
  CHECK(wrong.wanted.on_stderr == LogLevel::kError);
}

TEST_CASE("each run has its own log, and what concerns all stands in each") {
  const State state;
  const std::string later = state.folder_of_run("later") + "/orch.log";
  {
    Diagnostics diagnostics;
    REQUIRE(diagnostics.begin({}));
    log_info("early", "before any run is kept", "one");
    diagnostics.keep_runs(state.path);
    log_info("fence", "landlock\x1b[2J", "one");
    log_info("hooks", "ready", "two");
    log_debug("status", "working", "one");
    log_warn("loop", "a turn of 300 ms");
    log_info("new", "a third run begins", "later");
    diagnostics.end_run("one");
    log_info("socket", "only of the second", "two");
    log_info("nobody", "of a run without a folder", "three");
  }
  log_info("late", "nobody listens any more", "two");

  CHECK(holds(state.one, " info fence: landlock"));
  CHECK_FALSE(holds(state.one, "\x1b"));
  CHECK_FALSE(holds(state.one, "early"));
  CHECK_FALSE(holds(state.one, "status"));
  CHECK_FALSE(holds(state.one, "hooks"));
  CHECK(holds(state.one, " warning loop: a turn of 300 ms\n"));
  CHECK(holds(state.two, "loop: a turn of 300 ms"));
  CHECK(holds(state.two, "socket: only of the second"));
  CHECK_FALSE(holds(state.two, "late"));
  CHECK(holds(later, "loop: a turn of 300 ms"));
  CHECK_FALSE(fs::exists(state.path + "/runs/three"));
  struct stat info {};
  REQUIRE(::stat(state.one.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
}

TEST_CASE("a file of all lines is written from the start, and at every level") {
  const State state;
  const std::string all = state.path + "/all.log";
  LogRequest wanted = read_log_request(0, "file:" + all).wanted;
  {
    Diagnostics diagnostics;
    REQUIRE(diagnostics.begin(wanted));
    log_debug("first", "before the thread");
    log_warn("first", "written at once");
    CHECK(holds(all, "written at once"));
    diagnostics.keep_runs(state.path);
    log_debug("second", "after it", "one");
  }
  CHECK(holds(all, " debug first: before the thread"));
  CHECK(holds(all, "second: after it"));
}

TEST_CASE("stderr gets whole lines of its level") {
  std::string seen;
  Diagnostics diagnostics;
  REQUIRE(diagnostics.begin(read_log_request(1, "").wanted));
  diagnostics.write_stderr_by([&seen](const std::string& line) { seen += line; });
  log_info("cgroup", "none is writable");
  log_debug("cgroup", "not told");
  CHECK(seen == "orch: info: cgroup: none is writable\n");
}

TEST_CASE("a log of many lines is bounded, and keeps the last") {
  const State state;
  {
    Diagnostics diagnostics;
    REQUIRE(diagnostics.begin({}));
    diagnostics.keep_runs(state.path);
    const std::string text(1000, 'x');
    for (int n = 0; n < 20'000; ++n) log_info("flood", text, "one");
    log_info("flood", "the last line", "one");
  }
  uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(state.one).parent_path())) {
    bytes += entry.file_size();
  }
  CHECK(bytes <= 3u << 20);
  CHECK(holds(state.one, "the last line"));
}

TEST_CASE("a log that cannot be written changes nothing else") {
  const State state;
  fs::create_directories(state.one);  // a folder in the place of the file
  Diagnostics diagnostics;
  REQUIRE(diagnostics.begin(read_log_request(0, "file:/dev/full").wanted));
  diagnostics.keep_runs(state.path);
  log_warn("disk", "slow", "one");
  log_warn("disk", "slow", "two");
  diagnostics.end_run("two");
  CHECK(fs::is_directory(state.one));
}
