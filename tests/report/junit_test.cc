#include "report/junit.h"

#include <catch2/catch.hpp>

using orch::report::junit_of;
using orch::report::JunitRun;

TEST_CASE("a run is a case, and so is each of its gates that has ended") {
  JunitRun run{"orch-7", "2026-11-23T00:00:00Z", 1500, "gate_failed", 20, "make test: 2", {}};
  run.events =
      "{\"ms\":1,\"event\":\"gate\",\"n\":1,\"phase\":\"began\",\"command\":\"make\"}\n"
      "{\"ms\":2,\"event\":\"gate\",\"n\":1,\"phase\":\"ended\",\"command\":\"make\",\"code\":0,"
      "\"duration_ms\":250,\"timed_out\":false,\"output\":\"\"}\n"
      "{\"ms\":3,\"event\":\"gate\",\"n\":2,\"phase\":\"ended\",\"command\":\"make \\\"test\\\"\","
      "\"code\":2,\"duration_ms\":10,\"timed_out\":false,\"output\":\"<b> & \\u0001\\n\"}\n"
      "no record\n{\"event\":\"output\",\"text\":\"\\\"gate\\\"\"}\n";
  CHECK(junit_of(run) ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuite name=\"orch-7\" tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\" "
        "time=\"1.500\" timestamp=\"2026-11-23T00:00:00Z\">\n"
        "  <testcase classname=\"orch-7\" name=\"run\" time=\"1.500\">\n"
        "    <failure type=\"gate_failed\" message=\"gate_failed: make test: 2\">make test: 2"
        "</failure>\n"
        "  </testcase>\n"
        "  <testcase classname=\"orch-7\" name=\"make\" time=\"0.250\">\n"
        "  </testcase>\n"
        "  <testcase classname=\"orch-7\" name=\"make &quot;test&quot;\" time=\"0.010\">\n"
        "    <failure type=\"gate_failed\" message=\"exit code 2\">&lt;b&gt; &amp; \xEF\xBF\xBD"
        "</failure>\n"
        "  </testcase>\n"
        "</testsuite>\n");
}

TEST_CASE("a gate counts as it ran last, and one that was killed at its limit has failed") {
  const auto ended = [](const std::string& command, int code, bool timed_out) {
    return "{\"ms\":1,\"event\":\"gate\",\"n\":1,\"phase\":\"ended\",\"command\":\"" + command +
           "\",\"code\":" + std::to_string(code) +
           ",\"duration_ms\":1,\"timed_out\":" + (timed_out ? "true" : "false") +
           ",\"output\":\"\"}\n";
  };
  JunitRun run{"orch-7", "", 1500, "complete", 0, "", {}};
  const std::string mended = ended("make", 2, false) + ended("make", 0, false) +
                             ended("test", 0, true) + ended("make", 0, false) +
                             ended("test", 0, false);
  run.events = mended;
  const std::string passed = junit_of(run);
  CHECK(passed.find("tests=\"3\" failures=\"0\" errors=\"0\"") != std::string::npos);
  CHECK(passed.find("name=\"make\"") < passed.find("name=\"test\""));

  const std::string killed = mended + ended("test", 0, true);
  run = {"orch-7", "", 1500, "gate_failed", 20, "", killed};
  const std::string failed = junit_of(run);
  CHECK(failed.find("tests=\"3\" failures=\"2\" errors=\"0\"") != std::string::npos);
  CHECK(failed.find("message=\"killed at its time limit\"") != std::string::npos);
}

TEST_CASE("what orch could not do is an error, and what XML refuses is replaced") {
  JunitRun run;
  run.name = "orch";
  run.reason = "not_started";
  run.code = 125;
  run.detail = "\xEF\xBF\xBF\xEF\xBF\xBE\x80";
  const std::string xml = junit_of(run);
  CHECK(xml.find("failures=\"0\" errors=\"1\"") != std::string::npos);
  CHECK(xml.find("<error type=\"not_started\"") != std::string::npos);
  CHECK(xml.find("\xEF\xBF\xBF") == std::string::npos);
  CHECK(xml.find("\xEF\xBF\xBE") == std::string::npos);
}
