#include "pty/tool.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "recorder.h"

namespace orch::pty {
namespace {

std::vector<std::string> by_shell(const char* script) { return {"/bin/sh", "-c", script}; }

ToolEnd end_of(const char* script, const ToolLimits& limits = {},
               ErrorOutput errors = ErrorOutput::kSeparate) {
  base::Result<ToolEnd> end = run_tool(by_shell(script), plain_env(), limits, errors);
  REQUIRE(end.ok());
  return std::move(end).value();
}

TEST_CASE("a tool's outputs and its code are told") {
  const ToolEnd plain = end_of("echo one; echo two >&2; exit 3");
  CHECK_FALSE(plain.ok);
  CHECK(plain.code == 3);
  CHECK(plain.output == "one\n");
  CHECK(plain.errors == "two\n");
  CHECK(end_of("echo one; echo two >&2", {}, ErrorOutput::kMerged).output == "one\ntwo\n");
  CHECK(end_of("kill -TERM $$").code == 128 + 15);
  CHECK(end_of("cat").ok);  // there is nothing to read
  CHECK(end_of("seq 100000").output.size() == 588'895);
  CHECK_FALSE(run_tool({"/no/such/program"}, plain_env(), {}).ok());
}

TEST_CASE("a tool that takes too long is killed, whatever it does meanwhile") {
  const ToolLimits limits{.patience_ms = 200};
  for (const char* script :
       {"exec sleep 1000", "exec >/dev/null 2>&1; exec sleep 1000",
        "trap '' TERM; while :; do :; done", "while echo x; do sleep 0.01; done"}) {
    INFO(script);
    const ToolEnd end = end_of(script, limits);
    CHECK(end.timed_out);
    CHECK_FALSE(end.ok);
    CHECK(why_unanswered("docker", end, limits) == "docker gave no answer within 0 s");
  }
}

TEST_CASE("what a tool leaves behind does not hold its answer up for long") {
  const auto before = std::chrono::steady_clock::now();
  const ToolEnd end = end_of("echo one; sleep 20 & exit 0", {.patience_ms = 60'000});
  CHECK(end.ok);
  CHECK(end.output == "one\n");
  CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(15));
}

TEST_CASE("a tool that says too much is killed, and takes no more memory than the limit") {
  const ToolLimits limits{.patience_ms = 60'000, .bytes = 100'000};
  for (const ErrorOutput errors : {ErrorOutput::kSeparate, ErrorOutput::kMerged}) {
    const ToolEnd end = end_of("exec cat /dev/zero >&2", limits, errors);
    CHECK(end.too_long);
    CHECK_FALSE(end.ok);
    CHECK(end.output.size() + end.errors.size() == 100'000);
    CHECK(why_unanswered("tmux", end, limits) ==
          "tmux answered with more than 97 kB, which is not read");
  }
  CHECK(end_of("head -c 100000 /dev/zero", limits).ok);
}

}  // namespace
}  // namespace orch::pty
