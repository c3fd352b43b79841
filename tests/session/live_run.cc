#include "live_run.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "adapters/launch.h"
#include "agent_fixture.h"

namespace orch::session {

StateDir::StateDir() {
  std::string pattern = std::filesystem::temp_directory_path() / "orch-session-XXXXXX";
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  parent_ = pattern;
}

StateDir::~StateDir() {
  std::error_code ignored;
  std::filesystem::remove_all(parent_, ignored);
}

base::Status LiveRun::start(std::vector<std::string> argv) {
  const Agent& command = agent_named("command");
  SessionSetup setup;
  setup.issue = "t1";
  setup.manifest = manifest == nullptr ? command.manifest : manifest;
  setup.rules = &command.rules;
  base::Result<adapters::LaunchPlan> launch = adapters::plan_launch(
      *command.manifest,
      {.model = {}, .effort = {}, .system_prompt = {}, .command = std::move(argv)});
  if (!launch) return launch.error();
  setup.launch = std::move(launch).value();
  setup.cwd = setup.repository = "/";
  setup.size = {80, 24};
  setup.plan = plan;
  setup.record = record;
  setup.state_dir = state_dir_;
  setup.source = source;
  setup.driver = driver;
  base::Result<std::unique_ptr<Session>> started =
      Session::start(loop_, std::move(setup), *this, [this] { ended_ = true, loop_.stop(); });
  if (!started) return started.error();
  session_ = std::move(started).value();
  return base::Ok{};
}

void LiveRun::run() {
  deadline_.start(60'000, [this] { loop_.stop(); });
  loop_.run();
  deadline_.stop();
  REQUIRE(ended_);
}

void LiveRun::signal_after(std::string after, int signum) {
  after_ = std::move(after);
  signum_ = signum;
}

void LiveRun::fail_after_ms(int64_t ms, std::string why) {
  signal_.start(ms, [this, why = std::move(why)] { session_->fail(why); });
}

void LiveRun::on_event(const event::Event& event, std::string_view) {
  events_.push_back(event);
  if (when_told) when_told(event);
}

void LiveRun::on_raw(std::string_view bytes) {
  raw_ += bytes;
  if (after_.empty() || raw_.find(after_) == std::string::npos) return;
  after_.clear();
  signal_.start(0, [this] { session_->on_signal(signum_); });
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace orch::session
