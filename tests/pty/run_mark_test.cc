#include "pty/run_mark.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using orch::pty::chain_below;
using orch::pty::Mark;
using orch::pty::mark_in;
using orch::pty::run_in;

namespace {

std::string environment(const std::vector<std::string>& entries) {
  std::string bytes;
  for (const std::string& entry : entries) bytes.append(entry).push_back('\0');
  return bytes;
}

}  // namespace

TEST_CASE("a process carries the mark of its run and those of the runs around it") {
  const std::string inner = environment({"PATH=/bin", "ORCH_RUN=in", "ORCH_RUNS=out:mid:in"});
  CHECK(mark_in(inner, "in") == Mark::kOfRun);
  CHECK(mark_in(inner, "mid") == Mark::kOfRun);
  CHECK(mark_in(inner, "out") == Mark::kOfRun);
  CHECK(mark_in(environment({"ORCH_RUN=in"}), "in") == Mark::kOfRun);
}

TEST_CASE("an environment names its innermost run") {
  CHECK(run_in(environment({"PATH=/bin", "ORCH_RUN=in", "ORCH_RUNS=out:mid:in"})) == "in");
  CHECK(run_in("ORCH_RUN=in") == "in");
  for (const char* entry : {"ORCH_RUNS=out:in", "xORCH_RUN=in", "ORCH_RUN=", "ORCH_RUN", ""}) {
    INFO(entry);
    CHECK(run_in(environment({entry})).empty());
  }
  CHECK(run_in("").empty());
}

TEST_CASE("no other text is a run's mark") {
  for (const char* entry :
       {"ORCH_RUN=run1", "ORCH_RUN=ru", "ORCH_RUN=", "ORCH_RUN", "xORCH_RUN=run", "ORCH_RUN_=run",
        "ORCH_RUNS=run1:2run", "NOTE=ORCH_RUN=run", ""}) {
    INFO(entry);
    CHECK(mark_in(environment({entry}), "run") == Mark::kNone);
  }
  CHECK(mark_in("", "run") == Mark::kNone);
  CHECK(mark_in(environment({"ORCH_RUN=", "ORCH_RUNS="}), "") == Mark::kNone);
}

TEST_CASE("an environment without its last NUL is read all the same") {
  CHECK(mark_in("A=b\0ORCH_RUN=run", "run") == Mark::kNone);  // a C string ends at the NUL
  CHECK(mark_in(std::string_view("A=b\0ORCH_RUN=run", 16), "run") == Mark::kOfRun);
}

TEST_CASE("nothing else that an environment says takes the mark away") {
  CHECK(mark_in(environment({"ORCH_GUARDIAN=1", "ORCH_RUN=run"}), "run") == Mark::kOfRun);
}

TEST_CASE("a chain grows by the run that is started") {
  CHECK(chain_below("", "", "a") == "a");
  CHECK(chain_below("a", "a", "b") == "a:b");
  CHECK(chain_below("a:b", "b", "c") == "a:b:c");
  CHECK(chain_below("", "a", "b") == "a:b");  // the chain was lost on the way
}
