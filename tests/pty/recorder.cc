#include "recorder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "loop/timer.h"

namespace orch::pty {

std::vector<std::string> plain_env() { return {"PATH=/usr/bin:/bin", "LC_ALL=C", "TERM=xterm"}; }

SpawnPlan shell(std::string script) {
  SpawnPlan plan;
  plan.argv = {"sh", "-c", std::move(script)};
  plan.env = plain_env();
  return plan;
}

std::string errno_text(int errno_value) { return std::generic_category().message(errno_value); }

void Recorder::on_output(std::string_view bytes) {
  output += bytes;
  if (condition_ && condition_()) loop_.stop();
}

void Recorder::on_end(ExitStatus status) {
  REQUIRE_FALSE(end);
  end = status;
  loop_.stop();
}

bool Recorder::wait_until(std::function<bool()> condition) {
  condition_ = std::move(condition);
  loop::Timer guard(loop_);
  guard.start(20'000, [this] { loop_.stop(); });
  if (!condition_() && !end) loop_.run();
  return std::exchange(condition_, nullptr)();
}

bool Recorder::wait_for(std::string_view text) {
  return wait_until([&] { return output.find(text) != std::string::npos; });
}

ExitStatus Recorder::wait_for_end() {
  INFO("output: " << output);
  REQUIRE(wait_until([this] { return end.has_value(); }));
  return *end;
}

Gate::Gate() {
  directory_ = (std::filesystem::temp_directory_path() / "orch-test-XXXXXX").string();
  REQUIRE(::mkdtemp(directory_.data()) != nullptr);
  path_ = directory_ + "/gate";
  REQUIRE(::mkfifo(path_.c_str(), 0600) == 0);
  fd_.reset(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(fd_.valid());
}

Gate::~Gate() { std::filesystem::remove_all(directory_); }

void Gate::open() { REQUIRE(::write(fd_.get(), "\n", 1) == 1); }

pid_t number_after(const std::string& text, std::string_view label) {
  const size_t at = text.find(label);
  REQUIRE(at != std::string::npos);
  return std::stoi(text.substr(at + label.size()));
}

void wait_for_zombie(pid_t pid) {
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
}

int reap_adopted(pid_t pid) {
  constexpr int kLooks = 1'000, kPauseUs = 10'000;
  int status = 0;
  pid_t reaped = -1;
  // It becomes our child when its parent has ended, which may take a busy machine a moment.
  for (int look = 0; look < kLooks; ++look) {
    reaped = ::waitpid(pid, &status, 0);
    if (reaped == pid || errno != ECHILD) break;
    ::usleep(kPauseUs);
  }
  REQUIRE(reaped == pid);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace orch::pty
