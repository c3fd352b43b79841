#include "ui/status_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "event/question.h"
#include "host/session_report.h"
#include "ui/color.h"
#include "ui/elapsed.h"
#include "ui/top_view.h"

namespace orch::ui {
namespace {

constexpr int64_t kSpinMs = 120;
constexpr int64_t kRestMs = 1000;
constexpr std::array<const char*, 8> kSpinner{"⠋", "⠙", "⠸", "⢰", "⣠", "⣄", "⡆", "⠇"};

bool at_work(const LineEntry& entry) {
  return entry.status == event::AgentStatus::kWorking ||
         entry.status == event::AgentStatus::kStarting || entry.gate > 0;
}

bool is_running(const LineEntry& entry) { return entry.phase == LineEntry::Phase::kRunning; }

const char* mark_of(const LineEntry& entry, size_t tick) {
  if (at_work(entry)) return kSpinner[tick % kSpinner.size()];
  return entry.status == event::AgentStatus::kWaiting ? "?" : "·";
}

void cut(std::string& text, size_t columns) {
  std::string kept;
  size_t width = 0;
  for (const Glyph& glyph : glyphs(text)) {
    width += static_cast<size_t>(glyph.width);
    if (width > columns) break;
    kept += glyph.text;
  }
  text = std::move(kept);
}

TopSession row_of(const std::string& name, const LineEntry& entry) {
  TopSession row;
  row.key = row.name = name;
  row.agent = entry.agent;
  row.need = need_of(entry.status);
  row.state = event::status_text(entry.status, entry.cause);
  row.started_ms = entry.started_ms;
  row.turns = entry.turn;
  row.last_words = entry.question.empty() ? entry.words : entry.question;
  if (entry.phase == LineEntry::Phase::kQueued) {
    row.need = Need::kQueued;
    row.state = "queued";
  } else if (entry.phase == LineEntry::Phase::kEnded) {
    row.need = Need::kDone;
    row.state = entry.ended;
    row.end_ms = entry.ended_ms;
  }
  return row;
}

std::string rest_text(const std::vector<const TopSession*>& rows, size_t shown) {
  std::map<Need, int> counts;
  for (size_t i = shown; i < rows.size(); ++i) ++counts[rows[i]->need];
  std::string text;
  for (const auto& [need, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "  … and " : ", ", count, name(need));
  }
  return text;
}

}  // namespace

std::vector<std::string> status_rows(const std::map<std::string, LineEntry>& entries,
                                     int64_t now_ms, size_t columns, size_t most_rows, Ink ink) {
  std::vector<TopSession> sessions;
  sessions.reserve(entries.size());
  for (const auto& [name, entry] : entries) sessions.push_back(row_of(name, entry));
  std::sort(sessions.begin(), sessions.end(), is_more_urgent);
  std::vector<const TopSession*> rows;
  rows.reserve(sessions.size());
  for (const TopSession& session : sessions) rows.push_back(&session);
  const size_t shown = rows.size() <= most_rows ? rows.size() : most_rows - 1;
  Canvas canvas({static_cast<int>(columns), static_cast<int>(std::max<size_t>(most_rows, 1))});
  const TopColumns layout(rows, static_cast<int>(columns));
  for (size_t i = 0; i < shown; ++i) layout.draw(canvas, static_cast<int>(i), *rows[i], now_ms);
  if (shown < rows.size()) {
    canvas.put(static_cast<int>(shown), 0, rest_text(rows, shown),
               {.fg = {}, .bg = {}, .attributes = term::kFaint});
  }
  std::vector<std::string> lines;
  for (size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    lines.push_back(row_bytes(canvas, static_cast<int>(i), ink));
  }
  return lines;
}

void update_entry(LineEntry& entry, const event::Event& event, int64_t now_ms) {
  if (const auto* change = std::get_if<event::StatusChange>(&event)) {
    entry.status = change->status;
    entry.cause = change->cause;
    if (change->status != event::AgentStatus::kWaiting) entry.question.clear();
  } else if (const auto* turn = std::get_if<event::Turn>(&event)) {
    entry.turn = turn->n;
  } else if (const auto* start = std::get_if<event::SessionStart>(&event)) {
    entry.agent = start->agent;
  } else if (const auto* output = std::get_if<event::Output>(&event)) {
    host::LastWords last;
    last.hear(*output, 0);
    if (!last.text().empty()) entry.words = last.text();
  } else if (const auto* dialog = std::get_if<event::Dialog>(&event)) {
    entry.question = dialog->answer.empty() ? event::question_of(*dialog) : "";
  } else if (const auto* gate = std::get_if<event::Gate>(&event)) {
    entry.gate = gate->ended ? 0 : gate->n;
    entry.gate_command = base::printable(gate->command);
    entry.gate_ms = now_ms;
  }
}

std::string status_text(const std::map<std::string, LineEntry>& entries, int64_t now_ms,
                        size_t tick, size_t columns) {
  std::string text;
  for (const auto& [session, entry] : entries) {
    if (!is_running(entry)) continue;
    if (!text.empty()) text += "  ";
    text += fmt::format("{} {} {}", mark_of(entry, tick), session, event::name(entry.status));
    if (entry.cause != event::Cause::kNone) text += fmt::format(" ({})", event::name(entry.cause));
    text += " " + elapsed_text(now_ms - entry.started_ms);
    if (entry.turn > 0) text += fmt::format(" turn {}", entry.turn);
    if (!entry.tokens.empty()) text += fmt::format(" {} tokens", entry.tokens);
    if (entry.gate > 0) {
      text += fmt::format("  gate {} for {}: {}", entry.gate, elapsed_text(now_ms - entry.gate_ms),
                          entry.gate_command);
    }
  }
  cut(text, columns);
  return text;
}

StatusLine::StatusLine(loop::Loop& loop, Place place)
    : loop_(loop),
      place_(std::move(place)),
      timer_(loop),
      drawn_at_ms_(loop.now_ms() - kRedrawMs) {}

LineEntry& StatusLine::entry(const std::string& session) {
  const auto [found, added] = entries_.try_emplace(session);
  LineEntry& entry = found->second;
  if (added || entry.phase == LineEntry::Phase::kQueued) {
    entry.phase = LineEntry::Phase::kRunning;
    entry.started_ms = loop_.now_ms();
  }
  draw_soon();
  return entry;
}

void StatusLine::queue(const std::string& session) {
  entries_[session].phase = LineEntry::Phase::kQueued;
  draw_soon();
}

void StatusLine::finish(const std::string& session, std::string how) {
  hide();
  const auto found = entries_.find(session);
  if (found == entries_.end()) return;
  if (!place_.most_rows) {
    entries_.erase(found);
    return;
  }
  LineEntry& entry = found->second;
  if (entry.phase == LineEntry::Phase::kQueued) entry.started_ms = loop_.now_ms();
  entry.phase = LineEntry::Phase::kEnded;
  entry.ended = std::move(how);
  entry.ended_ms = loop_.now_ms();
}

void StatusLine::clear() {
  hide();
  entries_.clear();
}

void StatusLine::print(std::string lines) {
  if (!foot_.shown() || suspended_ || printed_.size() + lines.size() > kMostPrintedBytes) {
    hide();
    place_.stream.write(std::move(lines));
    return;
  }
  printed_ += lines;
  draw_soon();
}

void StatusLine::print_now() {
  if (!printed_.empty()) draw();
}

void StatusLine::redraw_soon() { draw_soon(); }

void StatusLine::redraw_now() { draw(); }

void StatusLine::hide() {
  if (foot_.shown() && place_.is_ours()) place_.stream.write(foot_.erase(place_.columns()));
  foot_.forget();
  if (!printed_.empty()) place_.stream.write(std::exchange(printed_, {}));
  draw_soon();
}

void StatusLine::suspend() {
  hide();
  suspended_ = true;
}

void StatusLine::resume() {
  suspended_ = false;
  draw_soon();
}

void StatusLine::forget() {
  foot_.forget();
  hide();
}

// Draws at most every kRedrawMs, so that printed lines get their turn in between.
void StatusLine::draw_soon() {
  if (suspended_) return;
  const int64_t wait = drawn_at_ms_ + kRedrawMs - loop_.now_ms();
  timer_.start(std::max<int64_t>(wait, 0), [this] { draw(); });
}

void StatusLine::draw() {
  if (entries_.empty() || suspended_) return;
  drawn_at_ms_ = loop_.now_ms();
  const bool moving =
      !has_rows() && std::any_of(entries_.begin(), entries_.end(), [](const auto& entry) {
        return is_running(entry.second) && at_work(entry.second);
      });
  const bool busy = place_.stream.waiting_bytes() > 0;
  timer_.start(moving || busy ? kSpinMs : kRestMs, [this] { draw(); });
  if (!place_.is_ours() || busy) {
    if (!printed_.empty()) hide();
    return;
  }
  if (drawn_at_ms_ - ticked_at_ms_ >= kSpinMs) {
    ticked_at_ms_ = drawn_at_ms_;
    ++tick_;
  }
  // The last column stays free: writing it would let some terminals wrap.
  const size_t columns = place_.columns() - 1;
  std::vector<std::string> rows;
  if (place_.rows_above) rows = place_.rows_above();
  if (has_rows()) {
    const Ink ink = place_.in_color ? Ink::kColors : Ink::kMonochrome;
    for (std::string& row : status_rows(entries_, drawn_at_ms_, columns, place_.most_rows(), ink)) {
      rows.push_back(std::move(row));
    }
    return show(std::move(rows));
  }
  const std::string text = status_text(entries_, drawn_at_ms_, tick_, columns);
  rows.push_back(colored(text, Color::kDim, place_.in_color));
  show(std::move(rows));
}

bool StatusLine::has_rows() const {
  return place_.most_rows && entries_.size() > 1 && place_.most_rows() > 1;
}

void StatusLine::show(std::vector<std::string> rows) {
  place_.stream.write(foot_.show(std::move(rows), std::exchange(printed_, {}), place_.columns()));
}

}  // namespace orch::ui
