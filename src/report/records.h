#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event/event.h"

namespace orch::report {

// A record that is no event::Event, as its members say it: whatever a newer orch tells.
// Nested members are named by their path ("tokens.in"), lists are left out.
struct OtherRecord {
  int64_t ms = 0;
  std::string kind;  // its "event"
  std::vector<std::pair<std::string, std::string>> members;
  bool operator==(const OtherRecord&) const = default;
};

// What orch itself said of a run, as the recording keeps it.
struct Remark {
  int64_t ms = 0;
  std::string text;
  bool operator==(const Remark&) const = default;
};

struct Records {
  std::vector<event::Record> events;
  std::vector<OtherRecord> others;
};

// The lines of events.jsonl, each kind in its order. What is no record is skipped.
Records read_records(std::string_view lines);

}  // namespace orch::report
