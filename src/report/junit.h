#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "event/exit_reason.h"

namespace orch::report {

// A run as a test suite.
struct JunitRun {
  std::string name;     // "orch-42"
  std::string started;  // RFC 3339, UTC; "" when it was not
  int64_t duration_ms = 0;
  std::string reason;  // event::name, or "not_started"
  int code = 0;
  std::string detail;
  std::string_view events;  // the lines of events.jsonl, for its gates
};

// The run as a case, and each gate as one that tells of its last run, in the XML that JUnit's
// reporters write.
// Well-formed whatever the texts hold. What orch could not do is an error, all else a failure.
std::string junit_of(const JunitRun& run);

}  // namespace orch::report
