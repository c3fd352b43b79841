#pragma once

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

// A process that sleeps and has a run's mark in its environment. The mark is there when the
// constructor returns; the destructor kills and reaps the process.
class MarkedProcess {
 public:
  explicit MarkedProcess(const std::string& run) {
    const std::string mark = "ORCH_RUN=" + run;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setenv("ORCH_RUN", run.c_str(), 1);
      ::execl("/bin/sleep", "sleep", "1000", nullptr);
      ::_exit(127);
    }
    REQUIRE(pid_ > 0);
    // Until the exec it still has the environment of this process.
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (environment().find(mark) == std::string::npos) {
      REQUIRE(std::chrono::steady_clock::now() < until);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  ~MarkedProcess() { end(); }
  MarkedProcess(const MarkedProcess&) = delete;
  MarkedProcess& operator=(const MarkedProcess&) = delete;

  pid_t pid() const { return pid_; }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  std::string environment() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/environ", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  pid_t pid_ = 0;
};
