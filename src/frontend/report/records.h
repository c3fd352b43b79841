#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event/event.h"

namespace orch::report {

// A record that is not an event::Event, such as a newer orch may write, as a list of its members.
// Nested members are named by their path ("tokens.in"); lists are left out.
struct OtherRecord {
  int64_t ms = 0;
  std::string kind;  // the value of its "event"
  std::vector<std::pair<std::string, std::string>> members;
  bool operator==(const OtherRecord&) const = default;
};

// A message of orch about a run, as the recording keeps it.
struct Remark {
  int64_t ms = 0;
  std::string text;
  bool operator==(const Remark&) const = default;
};

struct Records {
  std::vector<event::Record> events;
  std::vector<OtherRecord> others;
};

// Parses the lines of events.jsonl; each kind is in its order. A line that is not a record is
// skipped.
Records read_records(std::string_view lines);

}  // namespace orch::report
