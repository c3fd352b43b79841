#include "term/osc.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace orch::term {
namespace {

// Printable text of at most `limit` bytes, cut between characters.
std::string bounded_printable(std::string_view text, size_t limit) {
  std::string all = base::printable(text);
  all.resize(base::beginning(all, limit).size());
  return all;
}

// Returns the text up to `separator`, and removes it and the separator from `rest`.
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

void Announcements::announce(int number, std::string_view text) {
  switch (number) {
    case 0:
    case 2:
      title_ = bounded_printable(text, kMaxTitleBytes);
      return;
    case 9:
      return text.starts_with("4;") ? on_progress(text.substr(2)) : on_notification(text);
    case 7501:
      return on_report(text);
  }
}

void Announcements::reset() {
  title_.clear();
  state_.clear();
  progress_ = {};
}

void Announcements::on_notification(std::string_view text) {
  if (untaken_.size() == kMaxUntaken) untaken_.erase(untaken_.begin());
  untaken_.push_back(bounded_printable(text, kMaxNotificationBytes));
}

// ConEmu's OSC 9;4;state;percent. If no percentage comes with the state, the last one stays.
void Announcements::on_progress(std::string_view text) {
  const std::optional<int> state = number(take_field(text, ';'));
  if (!state || *state < 0 || *state > 4) return;
  progress_.state = static_cast<Progress::State>(*state);
  if (progress_.state == Progress::State::kNone) progress_.percent = 0;
  if (const std::optional<int> percent = number(text)) {
    progress_.percent = std::clamp(*percent, 0, 100);
  }
}

// OSC 7501;state=S:app=A:kind=K, as codex sends it.
void Announcements::on_report(std::string_view text) {
  std::string_view state, kind;
  while (!text.empty()) {
    const std::string_view field = take_field(text, ':');
    if (field.starts_with("state=")) state = field.substr(6);
    if (field.starts_with("kind=")) kind = field.substr(5);
  }
  std::string report(state);
  if (!kind.empty()) report.append(":").append(kind);
  state_ = bounded_printable(report, kMaxStateBytes);
}

}  // namespace orch::term
