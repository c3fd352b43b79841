#include "term/osc.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace orch::term {
namespace {

// Printable text of at most `limit` bytes, cut between characters.
std::string bounded_printable(std::string_view text, size_t limit) {
  std::string out = base::printable(text);
  if (out.size() > limit) {
    out.resize(limit);
    out.resize(limit - base::incomplete_utf8_tail(out));
  }
  return out;
}

// The text up to `separator`, which is taken off `rest` with it.
std::string_view take_field(std::string_view& rest, char separator) {
  const size_t at = rest.find(separator);
  const std::string_view field = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return field;
}

std::optional<int> number(std::string_view digits) {
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

bool Announcements::announce(int number, std::string_view text) {
  switch (number) {
    case 0:
    case 2:
      return on_title(text);
    case 9:
      return text.starts_with("4;") ? on_progress(text.substr(2)) : on_notification(text);
    case 7501:
      return on_report(text);
  }
  return false;
}

bool Announcements::on_title(std::string_view text) {
  std::string title = bounded_printable(text, kMaxTitleBytes);
  if (title == title_) return false;
  title_ = std::move(title);
  return true;
}

bool Announcements::on_notification(std::string_view text) {
  notification_ = bounded_printable(text, kMaxNotificationBytes);
  if (untaken_.size() == kMaxUntaken) untaken_.erase(untaken_.begin());
  untaken_.push_back(notification_);
  ++notifications_;
  return true;
}

// ConEmu's OSC 9;4;state;percent. The percentage is kept where the state has none of its own.
bool Announcements::on_progress(std::string_view text) {
  const std::optional<int> state = number(take_field(text, ';'));
  if (!state || *state < 0 || *state > 4) return false;
  Progress next{static_cast<Progress::State>(*state), progress_.percent};
  if (next.state == Progress::State::kNone) next.percent = 0;
  if (const std::optional<int> percent = number(text)) next.percent = std::clamp(*percent, 0, 100);
  const bool changed = next != progress_;
  progress_ = next;
  return changed;
}

// OSC 7501;state=S:app=A:kind=K, as codex sends it.
bool Announcements::on_report(std::string_view text) {
  std::string_view state, kind;
  while (!text.empty()) {
    const std::string_view field = take_field(text, ':');
    if (field.starts_with("state=")) state = field.substr(6);
    if (field.starts_with("kind=")) kind = field.substr(5);
  }
  std::string report(state);
  if (!kind.empty()) report.append(":").append(kind);
  state_ = bounded_printable(report, kMaxStateBytes);
  ++reports_;
  return true;
}

}  // namespace orch::term
