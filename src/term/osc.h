#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "term/screen.h"

namespace orch::term {

// What an application tells about itself beside the screen: its title, progress, state,
// notifications. Everything kept is bounded and printable (see screen.h).
class Announcements {
 public:
  static constexpr size_t kMaxTitleBytes = 1024, kMaxStateBytes = 128, kMaxNotificationBytes = 1024;
  static constexpr size_t kMaxUntaken = 64;  // notifications

  // OSC `number`;`text`. Other numbers are ignored. True: something changed.
  bool announce(int number, std::string_view text);
  void forget_title() { title_.clear(); }

  const std::string& title() const { return title_; }
  const std::string& state() const { return state_; }
  const std::string& notification() const { return notification_; }
  std::vector<std::string> take_notifications() { return std::exchange(untaken_, {}); }
  Progress progress() const { return progress_; }
  uint64_t notifications() const { return notifications_; }
  uint64_t reports() const { return reports_; }

 private:
  bool on_title(std::string_view text);
  bool on_notification(std::string_view text);
  bool on_progress(std::string_view text);
  bool on_report(std::string_view text);

  std::string title_, state_, notification_;
  std::vector<std::string> untaken_;
  Progress progress_;
  uint64_t notifications_ = 0;
  uint64_t reports_ = 0;
};

}  // namespace orch::term
