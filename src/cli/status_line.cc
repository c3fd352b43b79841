#include "cli/status_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/duration.h"

namespace orch::cli {
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

StatusLine::StatusLine(loop::Loop& loop, int fd, std::function<size_t()> columns)
    : loop_(loop), fd_(fd), columns_(std::move(columns)), timer_(loop) {}

StatusLine::~StatusLine() { hide(); }

LineEntry& StatusLine::entry(const std::string& session) {
  const auto [found, added] = entries_.try_emplace(session);
  if (added) found->second.started_ms = loop_.now_ms();
  return found->second;
}

void StatusLine::remove(const std::string& session) {
  hide();
  entries_.erase(session);
  show();
}

void StatusLine::hide() {
  timer_.stop();
  if (!shown_) return;
  shown_ = false;
  [[maybe_unused]] const ssize_t n = ::write(fd_, kErase.data(), kErase.size());
}

void StatusLine::show() {
  if (entries_.empty()) return;
  // The last column stays free: writing it would let some terminals wrap.
  const std::string line = std::string(kErase) + "\x1b[2m" +
                           status_text(entries_, loop_.now_ms(), tick_, columns_() - 1) + "\x1b[m";
  shown_ = true;
  [[maybe_unused]] const ssize_t n = ::write(fd_, line.data(), line.size());
  const bool moving = std::any_of(entries_.begin(), entries_.end(),
                                  [](const auto& entry) { return at_work(entry.second.status); });
  timer_.start(moving ? kSpinMs : kRestMs, [this] { move(); });
}

void StatusLine::move() {
  ++tick_;
  show();
}

}  // namespace orch::cli
