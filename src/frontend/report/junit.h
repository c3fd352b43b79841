#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "event/exit_reason.h"

namespace orch::report {

// A run as a JUnit test suite.
struct JunitRun {
  std::string name;     // "orch-42"
  std::string started;  // RFC 3339, UTC; "" if it was not started
  int64_t duration_ms = 0;
  std::string reason;  // from event::name(), or "not_started"
  int code = 0;
  std::string detail;
  std::string_view events;  // the lines of events.jsonl, including the gates
};

// The run as a test case, and each gate as another one with the result of its last run, in the XML
// of JUnit's reporters. It is well-formed whatever the texts hold. A run that orch could not carry
// out is an error, every other bad end is a failure.
std::string junit_of(const JunitRun& run);

}  // namespace orch::report
