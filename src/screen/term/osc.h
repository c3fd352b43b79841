#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "term/screen.h"

namespace orch::term {

// The fields of OSC and DCS strings. Returns the text up to `separator`, and removes both from
// `rest`.
std::string_view take_field(std::string_view& rest, char separator);
std::optional<int> number(std::string_view digits);  // nullopt for anything else

// The statements of an application about itself besides drawing: its title, progress, state and
// notifications. Everything kept is bounded and printable (see screen.h).
class Announcements {
 public:
  static constexpr size_t kMaxTitleBytes = 1024, kMaxNotificationBytes = 1024;
  static constexpr size_t kMaxUntaken = 64;  // notifications
  static constexpr size_t kMaxApps = 8;      // whose reports are remembered

  // Takes OSC `number`;`text`. Unknown numbers are ignored.
  void announce(int number, std::string_view text);
  // The terminal was reset (RIS): title, progress and state are cleared. Notifications that were
  // not taken yet stay, because they were sent already.
  void reset();

  const std::string& title() const { return title_; }
  const StateReport& report_of(std::string_view app) const;
  const std::vector<StateReport>& reports() const { return reports_; }  // the oldest first
  std::vector<std::string> take_notifications() { return std::exchange(untaken_, {}); }
  Progress progress() const { return progress_; }

 private:
  void on_notification(std::string_view text);
  void on_progress(std::string_view text);
  void on_report(std::string_view text);

  std::string title_;
  std::vector<StateReport> reports_;  // one for each app, the oldest first
  uint64_t reported_ = 0;             // how many reports came
  std::vector<std::string> untaken_;
  Progress progress_;
};

}  // namespace orch::term
