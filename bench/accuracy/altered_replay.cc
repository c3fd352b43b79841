#include "accuracy/altered_replay.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>

#include "detect/detector.h"
#include "term/render.h"
#include "term/screen.h"

namespace orch::accuracy {
namespace {

using base::TimeMs;

constexpr int kTallerBy = 10;
// Rows such as users have an agent draw: a branch, its files, the time. A branch may have any name.
constexpr std::string_view kStatusText = "  main · 3 files · 12:04";
constexpr std::string_view kHintText =
    "  fix: esc to interrupt, esc to cancel, Enter to confirm · 12:04";

int rows_added(Alteration alteration) {
  if (alteration == Alteration::kNone) return 0;
  return alteration == Alteration::kTaller ? kTallerBy : 1;
}

std::string_view text_of(Alteration alteration) {
  if (alteration == Alteration::kStatusRow) return kStatusText;
  return alteration == Alteration::kHintRow ? kHintText : std::string_view();
}

// The row above which a row is inserted; nullopt: the place is not on the screen.
std::optional<int> place_of(Alteration alteration, const detect::Layout& layout) {
  const bool dialog = !layout.choices.empty() && !layout.dialog.empty();
  switch (alteration) {
    case Alteration::kNone:
    case Alteration::kTaller:
      return std::nullopt;
    case Alteration::kStatusRow:
    case Alteration::kHintRow:
      return layout.used;
    case Alteration::kBlankAboveBox:
      return layout.box ? std::optional(layout.box_top) : std::nullopt;
    case Alteration::kBlankUnderBox:
      return layout.box ? std::optional(layout.box_end) : std::nullopt;
    case Alteration::kBlankAboveDialog:
      return dialog ? std::optional(layout.dialog.begin) : std::nullopt;
    case Alteration::kBlankInDialog:
      return dialog ? std::optional(layout.choices.end) : std::nullopt;
  }
  return std::nullopt;
}

std::string progress_of(const term::Progress& progress) {
  return fmt::format("\033]9;4;{};{}\007", static_cast<int>(progress.state), progress.percent);
}

// "blocked:permission" as the agent writes it.
std::string bytes_of(const term::StateReport& report) {
  const std::string_view state = report.text;
  const size_t colon = state.find(':');
  std::string bytes = fmt::format("\033]7501;state={}:app={}", state.substr(0, colon), report.app);
  if (colon != std::string_view::npos) bytes += fmt::format(":kind={}", state.substr(colon + 1));
  return bytes + "\007";
}

// The agent's screen, and the altered one, on which the detector looks.
class AlteredView {
 public:
  AlteredView(const store::CastHeader& header, const detect::RuleSet& rules, Alteration alteration)
      : alteration_(alteration),
        drawn_({header.cols, header.rows}),
        shown_({header.cols, header.rows + rows_added(alteration)}),
        rules_(rules),
        detector_(rules, 0) {}

  detect::Detector& detector() { return detector_; }

  void on_output(TimeMs now, std::string_view bytes) {
    drawn_.feed(bytes);
    show();
    detector_.on_output(now, shown_);
    for (const std::string& text : drawn_.take_notifications()) {
      detector_.on_notice(now, "osc9 " + text);
    }
  }

  void on_resize(TimeMs now, store::CastSize size) {
    drawn_.resize({size.cols, size.rows});
    shown_.resize({size.cols, size.rows + rows_added(alteration_)});
    show();
    detector_.on_resize(now);
  }

  std::optional<event::StatusChange> on_timer(TimeMs now) {
    return detector_.on_timer(now, shown_);
  }

 private:
  void show() {
    std::string bytes = term::render_ansi(drawn_);
    if (const auto row = place_of(alteration_, detector_.layout_of(drawn_))) {
      bytes += fmt::format("\033[{};1H\033[L{}", *row + 1, text_of(alteration_));
      const int cursor = drawn_.cursor_row() + (drawn_.cursor_row() >= *row ? 1 : 0);
      bytes += fmt::format("\033[{};{}H", cursor + 1, drawn_.cursor_col() + 1);
    }
    shown_.feed(bytes + signals() + frames());
  }

  // Title, report and progress where they have changed.
  std::string signals() {
    std::string bytes;
    if (drawn_.title() != shown_.title()) bytes += "\033]2;" + drawn_.title() + "\007";
    const term::StateReport& report = drawn_.report_of(rules_.report_app);
    if (report.number != reported_) bytes += bytes_of(report);
    reported_ = report.number;
    if (drawn_.progress() != shown_.progress()) bytes += progress_of(drawn_.progress());
    return bytes;
  }

  // The same frames: what ends one, and what begins the next.
  std::string frames() {
    std::string bytes;
    if (drawn_.synchronized_frames() != frames_) bytes += "\033[?2026h\033[?2026l";
    frames_ = drawn_.synchronized_frames();
    const bool within = drawn_.modes().synchronized;
    if (within != shown_.modes().synchronized || !bytes.empty()) {
      bytes += within ? "\033[?2026h" : "\033[?2026l";
    }
    return bytes;
  }

  const Alteration alteration_;
  term::Screen drawn_, shown_;
  const detect::RuleSet& rules_;
  detect::Detector detector_;
  uint64_t reported_ = 0;  // the number of the last report that was passed on
  uint64_t frames_ = 0;    // of drawn_ at the last look
};

}  // namespace

std::string_view name(Alteration alteration) {
  switch (alteration) {
    case Alteration::kNone:
      return "nothing altered";
    case Alteration::kTaller:
      return "a taller terminal";
    case Alteration::kStatusRow:
      return "a row of text under all";
    case Alteration::kHintRow:
      return "a row of hints under all";
    case Alteration::kBlankAboveBox:
      return "a blank row above the box";
    case Alteration::kBlankUnderBox:
      return "a blank row under the box";
    case Alteration::kBlankAboveDialog:
      return "a blank row above the dialog";
    case Alteration::kBlankInDialog:
      return "a blank row under the options";
  }
  return "";
}

Timeline altered_timeline(const store::Cast& cast, const detect::RuleSet& rules,
                          Alteration alteration) {
  AlteredView view(cast.header, rules, alteration);
  Timeline timeline = {{0, event::AgentStatus::kStarting}};
  const auto say = [&timeline](TimeMs at, event::AgentStatus status) {
    if (timeline.back().status == status) return;
    if (timeline.back().at == static_cast<Ms>(at)) timeline.pop_back();
    if (timeline.empty() || timeline.back().status != status) {
      timeline.push_back({static_cast<Ms>(at), status});
    }
  };
  // A look is made when its millisecond is over, so that it sees all output of that millisecond.
  const auto pass = [&](TimeMs until) {
    for (TimeMs due = view.detector().next_deadline(); due < until;
         due = view.detector().next_deadline()) {
      if (const auto change = view.on_timer(due)) say(due, change->status);
    }
  };
  for (const store::CastEvent& event : cast.events) {
    const TimeMs now = event.us / 1000;
    pass(now);
    switch (event.kind) {
      case store::CastKind::kOutput:
        view.on_output(now, event.data);
        break;
      case store::CastKind::kInput:
        view.detector().on_input(now, event.data);
        break;
      case store::CastKind::kResize:
        if (const auto size = store::parse_cast_size(event.data)) view.on_resize(now, *size);
        break;
      case store::CastKind::kExit:
        say(now, view.detector().on_exit().status);
        return timeline;
      case store::CastKind::kMarker:
        break;
    }
  }
  pass(cast.end_us / 1000 + 1);
  return timeline;
}

}  // namespace orch::accuracy
