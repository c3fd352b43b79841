#include "report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <variant>

#include "report/html.h"

namespace orch::report {
namespace {

using event::AgentStatus;

// In pixels; page.css gives the names of the lanes the same height.
constexpr int kLane = 16, kBar = 10, kAxis = 18;

// The order of the lanes: the status that needs the user is on top.
constexpr std::array kOrder{AgentStatus::kWaiting, AgentStatus::kError, AgentStatus::kWorking,
                            AgentStatus::kIdle, AgentStatus::kStarting};

double percent(int64_t ms, int64_t end_ms) {
  return 100.0 * static_cast<double>(ms) / static_cast<double>(std::max<int64_t>(end_ms, 1));
}

void append_span(std::string& svg, const Span& span, int y, int64_t end_ms) {
  const double from = percent(span.from_ms, end_ms), to = percent(span.to_ms, end_ms);
  fmt::format_to(std::back_inserter(svg),
                 "<rect class=\"{}\" x=\"{:.3f}%\" y=\"{}\" width=\"{:.3f}%\" height=\"{}\" "
                 "rx=\"1.5\"><title>{}, {} to {}</title></rect>\n",
                 event::name(span.status), from, y, std::max(to - from, 0.15), kBar,
                 event::status_text(span.status, span.cause), clock_text(span.from_ms),
                 clock_text(span.to_ms));
}

// Draws dialogs as diamonds, and messages that the agent accepted as dots. If marks would overlap,
// only the first is drawn.
std::string marks(std::span<const event::Record> events, int y, int64_t end_ms) {
  constexpr double kApart = 0.3;  // percent of the width
  std::string svg;
  double last_dialog = -1, last_message = -1;
  const auto apart = [&](double x, double& last) {
    if (last >= 0 && x - last < kApart) return false;
    last = x;
    return true;
  };
  for (const event::Record& record : events) {
    const double x = percent(std::min(record.ms, end_ms), end_ms);
    if (std::holds_alternative<event::Dialog>(record.event) && apart(x, last_dialog)) {
      fmt::format_to(std::back_inserter(svg),
                     "<svg class=\"dialog\" x=\"{:.3f}%\" y=\"{}\"><path d=\"M0 0l5 5-5 5-5-5z\"/>"
                     "<title>dialog, {}</title></svg>\n",
                     x, y, clock_text(record.ms));
    }
    const auto* message = std::get_if<event::Message>(&record.event);
    if (message != nullptr && message->phase == event::MessagePhase::kAccepted &&
        apart(x, last_message)) {
      fmt::format_to(std::back_inserter(svg),
                     "<circle class=\"message\" cx=\"{:.3f}%\" cy=\"{}\" r=\"4\">"
                     "<title>message, {}</title></circle>\n",
                     x, y + kBar / 2, clock_text(record.ms));
    }
  }
  return svg;
}

// Draws ticks at round times, at most about eight.
std::string axis(int y, int64_t end_ms) {
  constexpr std::array<int64_t, 16> kSteps{1,   2,   5,    10,   15,   30,    60,    120,
                                           300, 600, 1800, 3600, 7200, 21600, 86400, 604800};
  constexpr int64_t kMost = 8;
  int64_t step = kSteps.back() * 1000;
  for (const int64_t seconds : kSteps) {
    if (end_ms / (seconds * 1000) < kMost) {
      step = seconds * 1000;
      break;
    }
  }
  step = std::max(step, end_ms / kMost);
  std::string svg;
  for (int64_t ms = 0; ms <= end_ms; ms += step) {
    const double x = percent(ms, end_ms);
    const char* anchor = ms == 0 ? "start" : x > 96 ? "end" : "middle";
    fmt::format_to(std::back_inserter(svg),
                   "<line class=\"tick\" x1=\"{0:.3f}%\" x2=\"{0:.3f}%\" y1=\"0\" y2=\"{1}\"/>"
                   "<text class=\"tick\" x=\"{0:.3f}%\" y=\"{2}\" text-anchor=\"{3}\">{4}</text>\n",
                   x, y + 3, y + kAxis - 3, anchor, clock_text(ms));
  }
  return svg;
}

}  // namespace

std::vector<Span> spans_of(std::span<const event::Record> events, int64_t end_ms) {
  std::vector<Span> spans;
  int64_t exited = end_ms;
  for (const event::Record& record : events) {
    const auto* change = std::get_if<event::StatusChange>(&record.event);
    if (change == nullptr) continue;
    if (!spans.empty()) spans.back().to_ms = record.ms;
    if (change->status == AgentStatus::kExited) exited = record.ms;
    spans.push_back({spans.empty() ? 0 : record.ms, exited, change->status, change->cause});
  }
  if (!spans.empty()) spans.back().to_ms = std::max(spans.back().from_ms, end_ms);
  if (spans.size() <= kMaxSpans) return spans;
  std::vector<int64_t> lengths;
  lengths.reserve(spans.size());
  for (const Span& span : spans) lengths.push_back(span.to_ms - span.from_ms);
  std::nth_element(lengths.begin(), lengths.begin() + kMaxSpans - 1, lengths.end(),
                   std::greater<>());
  const int64_t shortest = lengths[kMaxSpans - 1];
  std::vector<Span> longest;
  for (const Span& span : spans) {
    const bool has_room = longest.size() < kMaxSpans && span.to_ms - span.from_ms >= shortest;
    if (longest.empty() || has_room) {
      longest.push_back(span);
    } else {
      longest.back().to_ms = span.to_ms;
    }
  }
  return longest;
}

Lanes lanes_of(std::span<const Span> spans, std::span<const event::Record> events, int64_t end_ms) {
  Lanes lanes;
  std::string bars;
  int y = 0;
  for (const AgentStatus status : kOrder) {
    const auto is_it = [status](const Span& span) { return span.status == status; };
    if (std::ranges::none_of(spans, is_it)) continue;
    fmt::format_to(std::back_inserter(lanes.names), "<li>{}</li>\n", event::name(status));
    for (const Span& span : spans) {
      if (is_it(span)) append_span(bars, span, y + (kLane - kBar) / 2, end_ms);
    }
    y += kLane;
  }
  if (const std::string all = marks(events, y + (kLane - kBar) / 2, end_ms); !all.empty()) {
    lanes.names += "<li>dialogs, messages</li>\n";
    bars += all;
    y += kLane;
  }
  lanes.svg = fmt::format("<svg width=\"100%\" height=\"{}\" aria-hidden=\"true\">\n{}{}</svg>",
                          y + kAxis, axis(y, end_ms), bars);
  return lanes;
}

std::string spans_json(std::span<const Span> spans) {
  std::string json = "[";
  for (const Span& span : spans) {
    fmt::format_to(std::back_inserter(json), "{}[{},\"{}\"]", json.size() > 1 ? "," : "",
                   span.from_ms, event::status_text(span.status, span.cause));
  }
  return json + "]";
}

}  // namespace orch::report
