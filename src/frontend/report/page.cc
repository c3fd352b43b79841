#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <variant>

#include "report/changes.h"
#include "report/embedded.h"
#include "report/html.h"
#include "report/report.h"
#include "report/story.h"
#include "report/timeline.h"
#include "term/painted.h"
#include "term/svg.h"

namespace orch::report {
namespace {

constexpr size_t kMaxStoryBytes = 900'000, kMaxScreenBytes = 250'000, kMaxChangesBytes = 300'000;

std::string_view description_of(event::ExitReason reason) {
  const auto table = event::exit_table();
  const auto row = std::ranges::find(table, reason, &event::ExitRow::reason);
  return row == table.end() ? "" : row->description;
}

// The CSS class of the verdict: it is good, it needs somebody or can go on later, or it is bad.
std::string_view tone_of(const std::optional<Verdict>& verdict) {
  constexpr std::array kLater{10, 75, 124, 130, 143};  // the work can go on from these exit codes
  if (!verdict) return "unknown";
  if (verdict->code == 0) return "good";
  return std::ranges::find(kLater, verdict->code) != kLater.end() ? "later" : "bad";
}

std::string verdict_of(const Report& report) {
  if (!report.verdict) return "<h1>" + escaped(report.ending) + "</h1>";
  std::string word(event::name(report.verdict->reason));
  std::ranges::replace(word, '_', ' ');
  std::string html = "<h1>" + word + "</h1>\n<p class=\"why\">";
  html += escaped(description_of(report.verdict->reason)) + "</p>";
  if (!report.verdict->detail.empty()) {
    html += "\n<pre class=\"detail\">" + escaped(report.verdict->detail) + "</pre>";
  }
  return html;
}

template <typename Event>
size_t count(const Report& report, bool (*counts)(const Event&)) {
  return static_cast<size_t>(std::ranges::count_if(report.events, [&](const auto& record) {
    const auto* event = std::get_if<Event>(&record.event);
    return event != nullptr && counts(*event);
  }));
}

// A dialog that was recorded when it opened and again with its answer is one.
size_t dialogs_in(const Report& report) {
  size_t dialogs = 0;
  const event::Dialog* before = nullptr;
  for (const event::Record& record : report.events) {
    const auto* dialog = std::get_if<event::Dialog>(&record.event);
    if (dialog == nullptr) continue;
    if (before == nullptr || !is_answer_to(*dialog, *before)) ++dialogs;
    before = dialog;
  }
  return dialogs;
}

void append_fact(std::string& html, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  fmt::format_to(std::back_inserter(html), "<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name),
                 escaped(value, 500));
}

std::string facts_of(const Report& report) {
  std::string html;
  const auto number = [](size_t n) { return n == 0 ? "" : grouped(n); };
  if (report.verdict) append_fact(html, "exit code", std::to_string(report.verdict->code));
  append_fact(html, "lasted", clock_text(report.end_ms));
  append_fact(html, "turns",
              number(count<event::Turn>(report, [](const auto& turn) { return !turn.ended; })));
  append_fact(html, "messages", number(count<event::Message>(report, [](const auto& message) {
                return message.phase == event::MessagePhase::kAccepted;
              })));
  append_fact(html, "dialogs", number(dialogs_in(report)));
  append_fact(html, "started", report.started);
  append_fact(html, "in", report.folder);
  append_fact(html, "run", report.run);
  return html;
}

// The tokens and the cost of all turns together.
std::string usage_of(const Report& report) {
  event::Usage sum;
  for (const event::Record& record : report.events) {
    if (const auto* usage = std::get_if<event::Usage>(&record.event)) add(sum, *usage);
  }
  if (sum.source.empty()) return "";
  std::string html;
  append_fact(html, "tokens in", grouped(static_cast<uint64_t>(sum.in)));
  append_fact(html, "of them cached", grouped(static_cast<uint64_t>(sum.cached)));
  append_fact(html, "tokens out", grouped(static_cast<uint64_t>(sum.out)));
  if (sum.cost_usd) append_fact(html, "cost", fmt::format("${:.4f}", *sum.cost_usd));
  return "<dl class=\"facts usage\" aria-label=\"Usage\">\n" + html + "</dl>";
}

// The changed files, and the runs of the issue; "" where the report has neither.
std::string more_of(const Report& report) {
  std::string html;
  if (!report.patch.empty() || !report.patch_note.empty()) {
    html += "<section class=\"changes\">\n<h2>Changed files</h2>\n" +
            changes_of(report.patch, kMaxChangesBytes);
    if (!report.patch_note.empty()) html += "<p>" + escaped(report.patch_note) + "</p>\n";
    html += "</section>\n";
  }
  if (report.issue_runs.empty()) return html;
  html += "<section class=\"runs\">\n<h2>Runs of this issue</h2>\n<ol>\n";
  for (const IssueRun& run : report.issue_runs) {
    fmt::format_to(std::back_inserter(html), "<li><code>{}</code> {}, {}, {}, <b>{}</b></li>\n",
                   escaped(run.run, 200), escaped(run.agent, 200), escaped(run.started, 200),
                   clock_text(run.ms), escaped(run.verdict, 200));
  }
  return html + "</ol>\n</section>\n";
}

std::string frames_note(const Report& report, const Film::Cut& cut) {
  if (report.film.frames() == 0) return "There is no recording of the screen.";
  if (cut.frames == 0) return "The screens are too large to be shown here.";
  if (cut.spacing_ms <= Film::kSpacingMs) return grouped(cut.frames) + " screens.";
  return fmt::format(
      "{} screens: so that the page stays below 2 MB, only those that came {} s after the one "
      "before or stood as long, and those at a change of status or a dialog where they had room.",
      grouped(cut.frames), seconds_text(cut.spacing_ms));
}

std::string data_of(const Report& report, const std::vector<Span>& spans, const Film::Cut& cut) {
  return fmt::format(
      "{{\"end\":{},\"open\":{},\"cell\":[{},{},{},{}],\"ink\":\"{:06x}\",\"paper\":\"{:06x}\","
      "\"cols\":{},\n"
      "\"statuses\":{},\n{}}}",
      report.end_ms, work_end(report), term::kSvgCellWidth, term::kSvgCellHeight,
      term::kSvgBaseline, term::kSvgMargin, term::kForeground, term::kBackground, term::kMaxCols,
      spans_json(spans), cut.json);
}

}  // namespace

int64_t work_end(const Report& report) {
  const event::StatusChange* last = nullptr;
  int64_t since = 0;
  for (const event::Record& record : report.events) {
    const auto* change = std::get_if<event::StatusChange>(&record.event);
    if (change == nullptr) continue;
    const bool was_at_work = last == nullptr || last->status == event::AgentStatus::kWorking ||
                             last->status == event::AgentStatus::kStarting;
    if (change->status == event::AgentStatus::kExited) {
      return was_at_work ? std::max<int64_t>(record.ms - 1, 0) : since;
    }
    last = change;
    since = record.ms;
  }
  return report.end_ms;
}

std::string page_of(const Report& report) {
  const std::vector<Span> spans = spans_of(report.events, report.end_ms);
  const Lanes lanes = lanes_of(spans, report.events, report.end_ms);
  const std::string title =
      report.name + ": " +
      (report.verdict ? std::string(event::name(report.verdict->reason)) : report.ending);
  const std::string policy = "default-src 'none'; script-src " + policy_hash(page_script()) +
                             "; style-src " + policy_hash(page_style()) +
                             "; base-uri 'none'; form-action 'none'";
  const std::string who =
      escaped(report.name) +
      (report.agent.empty() ? "" : " <span>" + escaped(report.agent, 200) + "</span>");
  const std::string titled = escaped(title, 300), verdict = verdict_of(report),
                    facts = facts_of(report), usage = usage_of(report),
                    story = story_of(report, kMaxStoryBytes), more = more_of(report);
  std::string_view screen = report.last_screen;
  if (screen.size() > kMaxScreenBytes) screen = {};

  const auto page = [&](const Film::Cut& cut) {
    const std::string note = frames_note(report, cut), data = data_of(report, spans, cut);
    const std::array slots{
        Slot{"title", titled},
        Slot{"policy", policy},
        Slot{"style", page_style()},
        Slot{"tone", tone_of(report.verdict)},
        Slot{"who", who},
        Slot{"verdict", verdict},
        Slot{"facts", facts},
        Slot{"usage", usage},
        Slot{"screen", screen},
        Slot{"lane_names", lanes.names},
        Slot{"lanes", lanes.svg},
        Slot{"story", story},
        Slot{"more", more},
        Slot{"note", note},
        Slot{"data", data},
        Slot{"script", page_script()},
    };
    return fill(page_template(), slots);
  };
  // The page is made without frames first, to learn how much room is left for them.
  const size_t rest = page(Film().cut(kMaxPageBytes)).size() + 1000;
  return page(report.film.cut(kMaxPageBytes - std::min(rest, kMaxPageBytes)));
}

}  // namespace orch::report
