#include "term/osc.h"

#include <algorithm>
#include <array>
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

// https://www.superlogical.com/rex/docs/build/program-status, revision 0.2
// A report that was too long may have been cut before it came here (Parser::kMaxStringBytes).
constexpr size_t kMaxReportBytes = 4096 - sizeof("7501"), kMaxNameBytes = 32;
constexpr std::array<std::string_view, 6> kStates{"idle",    "working", "done",
                                                  "blocked", "error",   "clear"};

// Whether `text` may be the name of an application or of a kind.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '.' || c == '+' || c == '-';
         });
}

}  // namespace

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
  reports_.clear();
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

// OSC 7501;state=S:app=A:kind=K, in any order; other keys are skipped. The specification has the
// limits, and says when to refuse or skip a report.
void Announcements::on_report(std::string_view text) {
  if (text.size() >= kMaxReportBytes) return;
  StateReport report;
  std::string_view state, kind;
  while (!text.empty()) {
    const std::string_view field = take_field(text, ':');
    if (field.starts_with("id=")) return;
    if (field.starts_with("state=")) state = field.substr(6);
    if (field.starts_with("kind=")) kind = field.substr(5);
    if (field.starts_with("app=") && is_name(field.substr(4))) report.app = field.substr(4);
  }
  if (std::find(kStates.begin(), kStates.end(), state) == kStates.end()) return;
  if (state == "clear") {
    for (StateReport& said : reports_) said = {std::move(said.app), "clear", ++reported_};
    return;
  }
  report.text = state;
  if (state == "blocked" && is_name(kind)) report.text.append(":").append(kind);
  report.number = ++reported_;
  std::erase_if(reports_, [&report](const StateReport& said) { return said.app == report.app; });
  if (reports_.size() == kMaxApps) reports_.erase(reports_.begin());
  reports_.push_back(std::move(report));
}

const StateReport& Announcements::report_of(std::string_view app) const {
  static const StateReport kNone;
  if (app.empty()) return reports_.empty() ? kNone : reports_.back();
  const auto found = std::find_if(reports_.begin(), reports_.end(),
                                  [app](const StateReport& said) { return said.app == app; });
  return found == reports_.end() ? kNone : *found;
}

}  // namespace orch::term
