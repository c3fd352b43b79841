#include "ui/status_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ui/color.h"
#include "ui/elapsed.h"

namespace orch::ui {
namespace {

constexpr int64_t kSpinMs = 120;
constexpr int64_t kRestMs = 1000;
constexpr std::array<const char*, 8> kSpinner{"⠋", "⠙", "⠸", "⢰", "⣠", "⣄", "⡆", "⠇"};
constexpr std::string_view kErase = "\r\x1b[K";

bool at_work(event::AgentStatus status) {
  return status == event::AgentStatus::kWorking || status == event::AgentStatus::kStarting;
}

const char* mark_of(const LineEntry& entry, size_t tick) {
  if (at_work(entry.status)) return kSpinner[tick % kSpinner.size()];
  return entry.status == event::AgentStatus::kWaiting ? "?" : "·";
}

// Counted in characters; all that is drawn here is one column wide.
void cut(std::string& text, size_t columns) {
  size_t width = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    if (begins && width++ == columns) return text.resize(i);
  }
}

}  // namespace

std::string status_text(const std::map<std::string, LineEntry>& entries, int64_t now_ms,
                        size_t tick, size_t columns) {
  std::string text;
  for (const auto& [session, entry] : entries) {
    if (!text.empty()) text += "  ";
    text += fmt::format("{} {} {}", mark_of(entry, tick), session, event::name(entry.status));
    if (entry.cause != event::Cause::kNone) text += fmt::format(" ({})", event::name(entry.cause));
    text += " " + elapsed_text(now_ms - entry.started_ms);
    if (entry.turn > 0) text += fmt::format(" turn {}", entry.turn);
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
  if (added) found->second.started_ms = loop_.now_ms();
  draw_soon();
  return found->second;
}

void StatusLine::remove(const std::string& session) {
  hide();
  entries_.erase(session);
}

void StatusLine::hide() {
  if (shown_ && place_.is_ours()) place_.stream.write(std::string(kErase));
  shown_ = false;
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
  shown_ = false;
  draw_soon();
}

// Soon: not more often than kRedrawMs, which also gives what is printed meanwhile its turn.
void StatusLine::draw_soon() {
  if (suspended_) return;
  const int64_t wait = drawn_at_ms_ + kRedrawMs - loop_.now_ms();
  timer_.start(std::max<int64_t>(wait, 0), [this] { draw(); });
}

void StatusLine::draw() {
  if (entries_.empty() || suspended_) return;
  drawn_at_ms_ = loop_.now_ms();
  const bool moving = std::any_of(entries_.begin(), entries_.end(),
                                  [](const auto& entry) { return at_work(entry.second.status); });
  timer_.start(moving ? kSpinMs : kRestMs, [this] { draw(); });
  if (!place_.is_ours() || place_.stream.waiting_bytes() > 0) return;
  if (drawn_at_ms_ - ticked_at_ms_ >= kSpinMs) {
    ticked_at_ms_ = drawn_at_ms_;
    ++tick_;
  }
  // The last column stays free: writing it would let some terminals wrap.
  const std::string text = status_text(entries_, drawn_at_ms_, tick_, place_.columns() - 1);
  place_.stream.write(std::string(kErase) + colored(text, Color::kDim, place_.in_color));
  shown_ = true;
}

}  // namespace orch::ui
