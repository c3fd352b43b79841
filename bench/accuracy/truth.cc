#include "accuracy/truth.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"

namespace orch::accuracy {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kStateMarker = "state=";

// Converts by way of seconds, as other programs that read the file do, so that half milliseconds
// are rounded alike.
Ms milliseconds(int64_t us) { return static_cast<double>(us) / 1e6 * 1000; }

void append(std::vector<Segment>& segments, Segment next) {
  if (!segments.empty() && segments.back().status == next.status) {
    segments.back().end = next.end;
  } else {
    segments.push_back(next);
  }
}

base::Result<std::pair<std::string, Span>> parse_line(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return base::usage_error("not a JSON object");
  const auto recording = json.find("recording"), from = json.find("from_s"), to = json.find("to_s");
  if (recording == json.end() || !recording->is_string()) {
    return base::usage_error("\"recording\" must be a text");
  }
  if (from == json.end() || !from->is_number()) {
    return base::usage_error("\"from_s\" must be a number");
  }
  const bool open = to == json.end() || to->is_null();
  if (!open && !to->is_number()) return base::usage_error("\"to_s\" must be a number or null");
  const Span span{from->get<double>() * 1000,
                  open ? std::numeric_limits<Ms>::infinity() : to->get<double>() * 1000};
  if (span.begin >= span.end) return base::usage_error("\"from_s\" must be before \"to_s\"");
  return std::pair(recording->get<std::string>(), span);
}

void ignore(std::vector<Segment>& segments, Span span) {
  std::vector<Segment> cut;
  for (const Segment& whole : segments) {
    const Segment pieces[] = {
        {whole.begin, std::min(whole.end, span.begin), whole.status},
        {std::max(whole.begin, span.begin), std::min(whole.end, span.end), std::nullopt},
        {std::max(whole.begin, span.end), whole.end, whole.status},
    };
    for (const Segment& piece : pieces) {
      // An empty segment outside the span stays: it is a change that can be missed.
      const bool kept = piece.begin == piece.end && piece == whole;
      if (piece.begin >= piece.end && !kept) continue;
      if (piece.status) {
        cut.push_back(piece);
      } else {
        append(cut, piece);
      }
    }
  }
  segments = std::move(cut);
}

}  // namespace

base::Result<Truth> truth_of(const store::Cast& cast) {
  Truth truth;
  truth.end = milliseconds(cast.end_us);
  std::vector<Segment> marks;
  for (const store::CastEvent& event : cast.events) {
    const std::string_view text = event.data;
    if (event.kind != store::CastKind::kMarker || !text.starts_with(kStateMarker)) continue;
    const std::string_view state = text.substr(kStateMarker.size());
    const std::string_view name = state.substr(0, state.find('/'));
    const std::optional<AgentStatus> status = event::status_named(name);
    if (!status && name != "unsure") {
      return base::usage_error("marker \"" + base::printable(text) + "\" names no status");
    }
    marks.push_back({milliseconds(event.us), truth.end, status});
  }
  for (size_t i = 0; i < marks.size(); ++i) {
    if (i + 1 < marks.size()) marks[i].end = marks[i + 1].begin;
    append(truth.segments, marks[i]);
  }
  return truth;
}

base::Result<IgnoredSpans> parse_ignored(std::string_view json_lines) {
  IgnoredSpans ignored;
  size_t number = 0;
  for (const std::string_view line : base::split_lines(json_lines)) {
    ++number;
    if (base::trim(line).empty()) continue;
    base::Result<std::pair<std::string, Span>> entry = parse_line(line);
    if (!entry) {
      return base::usage_error("line " + std::to_string(number) + ": " + entry.error().text);
    }
    ignored[entry->first].push_back(entry->second);
  }
  return ignored;
}

void ignore(Truth& truth, const std::vector<Span>& spans) {
  for (const Span& span : spans) ignore(truth.segments, span);
}

}  // namespace orch::accuracy
