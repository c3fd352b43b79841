#include "pty/tool_queue.h"

#include <catch2/catch.hpp>

#include "loop/loop.h"
#include "recorder.h"

namespace orch::pty {
namespace {

std::vector<std::string> words(const char* script) { return {"/bin/sh", "-c", script}; }

TEST_CASE("tools run one after the other, and each tells how it ended") {
  loop::Loop loop;
  ToolQueue tools(loop, plain_env());
  std::vector<ToolEnd> ends;
  const auto keep = [&](const ToolEnd& end) {
    ends.push_back(end);
    if (ends.size() == 3) loop.stop();
  };
  tools.run(words("sleep 0.1; echo one; echo more >&2"), keep);
  tools.run(words("echo two; exit 3"), keep);
  tools.run({"/no/such/program"}, keep);
  CHECK(tools.waiting() == 3);
  loop.run();
  CHECK(ends[0].ok);
  CHECK(ends[0].output == "one\n");
  CHECK(ends[0].errors == "more\n");
  CHECK_FALSE(ends[1].ok);
  CHECK(ends[1].output == "two\n");
  CHECK_FALSE(ends[2].ok);
  CHECK(ends[2].errors.find("/no/such/program") != std::string::npos);
  CHECK(tools.waiting() == 0);
}

TEST_CASE("a tool that takes too long is killed, and said to be") {
  loop::Loop loop;
  ToolQueue tools(loop, plain_env(), {.patience_ms = 50});
  tools.run(words("echo begun; exec sleep 1000"), [&](const ToolEnd& end) {
    CHECK(end.timed_out);
    CHECK_FALSE(end.ok);
    loop.stop();
  });
  loop.run();
}

TEST_CASE("a tool that says too much is killed, and what came first is kept") {
  loop::Loop loop;
  ToolQueue tools(loop, plain_env(), {.patience_ms = 60'000, .bytes = 1'000});
  int ended = 0;
  const auto check = [&](const ToolEnd& end) {
    CHECK(end.too_long);
    CHECK_FALSE(end.ok);
    CHECK_FALSE(end.timed_out);
    CHECK(end.output.size() + end.errors.size() == 1'000);
    if (++ended == 2) loop.stop();
  };
  tools.run(words("exec cat /dev/zero"), check);
  tools.run(words("exec cat /dev/zero >&2"), check);
  loop.run();
}

}  // namespace
}  // namespace orch::pty
