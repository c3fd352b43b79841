#include "base/check.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <functional>
#include <string>

#include "base/fd.h"
#include "base/log.h"
#include "base/uncaught.h"

namespace {

struct Death {
  int status = 0;
  std::string error_output;
};

// Runs `body` in a child process and waits for its end.
template <typename Body>
Death run_in_child(Body body) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  orch::base::Fd reader(ends[0]);
  orch::base::Fd writer(ends[1]);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::dup2(writer.get(), STDERR_FILENO);
    ::signal(SIGABRT, SIG_DFL);  // Catch2's handler must not run in the child
    body();
    ::_exit(0);
  }
  writer.reset();
  Death death;
  char buffer[512];
  for (ssize_t n = 0; (n = ::read(reader.get(), buffer, sizeof buffer)) > 0;) {
    death.error_output.append(buffer, static_cast<size_t>(n));
  }
  REQUIRE(::waitpid(child, &death.status, 0) == child);
  return death;
}

}  // namespace

TEST_CASE("a check that holds does nothing and evaluates its expression once") {
  int evaluated = 0;
  ORCH_CHECK(++evaluated == 1);
  CHECK(evaluated == 1);
}

TEST_CASE("a check that fails prints the expression with its place and aborts") {
  const Death death = run_in_child([] { ORCH_CHECK(1 + 1 == 3); });
  REQUIRE(WIFSIGNALED(death.status));
  CHECK(WTERMSIG(death.status) == SIGABRT);
  CHECK(death.error_output.find("orch: internal error: 1 + 1 == 3 (") == 0);
  CHECK(death.error_output.find("check_test.cc:") != std::string::npos);
}

TEST_CASE("an exception that nothing catches is in the log before the process aborts") {
  const Death death = run_in_child([]() noexcept {
    orch::base::set_log_sink([](const orch::base::LogLine& line) {
      const std::string text(line.text);
      std::fputs(text.c_str(), stderr);
    });
    orch::base::log_uncaught_exceptions();
    std::function<void()>()();
  });
  REQUIRE(WIFSIGNALED(death.status));
  CHECK(WTERMSIG(death.status) == SIGABRT);
  CHECK(death.error_output.starts_with("bad_function_call"));
#if __has_include(<execinfo.h>)
  CHECK(death.error_output.find("base_test") != std::string::npos);  // the callers
#endif
}
