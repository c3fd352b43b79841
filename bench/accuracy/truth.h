#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/status.h"
#include "store/cast.h"
#include "store/cast_reader.h"

namespace orch::accuracy {

using event::AgentStatus;

// Milliseconds since the start of the recording; a double, because markers are finer than that.
using Ms = double;

// A span [begin, end) of a recording in which one status is true. nullopt means unsure: the screen
// may lag behind the fact, so the span is not scored, and the statuses of both neighbours are
// possible in it. A segment may be empty, if another fact followed at once.
struct Segment {
  Ms begin = 0, end = 0;
  std::optional<AgentStatus> status;
  bool operator==(const Segment&) const = default;
};

// What was true in a recording, without gaps from its first marker to its end. Neighbours differ in
// status, unless an ignored span between them was cut out.
struct Truth {
  std::vector<Segment> segments;
  Ms end = 0;
};

// Reads the markers "state=STATUS" or "state=STATUS/CAUSE", where STATUS is the name of an
// AgentStatus or "unsure"; other markers are skipped. An unknown status is a usage error.
base::Result<Truth> truth_of(const store::Cast& cast);

struct Span {
  Ms begin = 0, end = 0;
};

// Spans of time whose labels are doubtful, by recording ("claude/plan-80x24").
using IgnoredSpans = std::map<std::string, std::vector<Span>>;

// Parses JSON lines {"recording":"claude/plan-80x24","from_s":1,"to_s":2.5}; without "to_s", or if
// it is null, the span ends with the recording. A wrong line is a usage error that gives its
// number.
base::Result<IgnoredSpans> parse_ignored(std::string_view json_lines);

// Makes the spans unsure. They must not be empty.
void ignore(Truth& truth, const std::vector<Span>& spans);

}  // namespace orch::accuracy
