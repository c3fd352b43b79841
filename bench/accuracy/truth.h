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

// Milliseconds since the start of the recording. Markers are finer than a millisecond.
using Ms = double;

// [begin, end) of a recording in which one status is true. None: unsure, not scored, because the
// screen may lag behind the fact; the statuses of both neighbours are possible there. May be empty:
// a fact that another one followed at once.
struct Segment {
  Ms begin = 0, end = 0;
  std::optional<AgentStatus> status;
  bool operator==(const Segment&) const = default;
};

// What was true in a recording: without gaps from its first marker to its end. Two neighbours never
// have the same status unless an ignored span was cut to between them.
struct Truth {
  std::vector<Segment> segments;
  Ms end = 0;
};

// From the markers "state=STATUS" or "state=STATUS/CAUSE", STATUS a name of AgentStatus or
// "unsure"; other markers say nothing. A status that does not exist is a usage error.
base::Result<Truth> truth_of(const store::Cast& cast);

struct Span {
  Ms begin = 0, end = 0;
};

// Time whose label is known to be doubtful, by recording ("claude/plan-80x24").
using IgnoredSpans = std::map<std::string, std::vector<Span>>;

// JSON lines {"recording":"claude/plan-80x24","from_s":1,"to_s":2.5}; "to_s" null or absent is the
// end of the recording. A bad line is a usage error that gives its number.
base::Result<IgnoredSpans> parse_ignored(std::string_view json_lines);

// Makes the spans unsure. They must not be empty.
void ignore(Truth& truth, const std::vector<Span>& spans);

}  // namespace orch::accuracy
