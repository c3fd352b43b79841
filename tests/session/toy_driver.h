#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/driver.h"

namespace orch::session {

// A driver for an agent without a screen that speaks JSON, one object a line. The agent writes
// {"say":TEXT}, {"ask":COMMAND}, {"done":true} and {"limit":TEXT}; it reads {"user":TEXT} and
// {"answer":"allow"|"deny"}.
class ToyDriver final : public driver::Driver {
 public:
  // While the agent works the terminal should have so many rows.
  explicit ToyDriver(std::optional<int> rows_at_work = {}) : rows_at_work_(rows_at_work) {}

  std::string on_output(base::TimeMs now, std::string_view bytes) override;
  void on_typed(base::TimeMs, std::string_view) override {}
  void on_resize(base::TimeMs, int, int) override {}
  void on_notice(base::TimeMs, std::string_view) override {}
  void on_surroundings(base::TimeMs, driver::Surroundings) override {}
  void on_stopping(base::TimeMs) override {}
  void on_exit(base::TimeMs now) override { become(now, event::AgentStatus::kExited); }
  base::TimeMs next_deadline() const override { return base::kNever; }
  void on_timer(base::TimeMs) override {}
  void command(base::TimeMs now, const agent::Command& command) override;
  std::vector<agent::News> take_news() override { return std::exchange(news_, {}); }
  std::vector<std::string> take_writes() override { return std::exchange(writes_, {}); }

  event::AgentStatus status() const override { return status_; }
  event::Cause cause() const override { return event::Cause::kNone; }
  base::TimeMs since() const override { return since_; }
  base::TimeMs last_output() const override { return last_output_; }
  bool holds_keyboard() const override { return false; }
  std::optional<int> wanted_rows() const override {
    return status_ == event::AgentStatus::kWorking ? rows_at_work_ : std::nullopt;
  }
  std::string quit_bytes() const override { return "{\"quit\":true}\n"; }
  std::string text() const override { return limit_; }
  const term::Screen* screen() const override { return nullptr; }

 private:
  void become(base::TimeMs now, event::AgentStatus status,
              event::Cause cause = event::Cause::kNone);
  void on_line(base::TimeMs now, const nlohmann::json& line);
  void say(const nlohmann::json& line) { writes_.push_back(line.dump() + "\n"); }

  std::optional<int> rows_at_work_;
  std::string partial_, limit_;
  std::vector<agent::News> news_;
  std::vector<std::string> writes_;
  event::AgentStatus status_ = event::AgentStatus::kStarting;
  base::TimeMs since_ = 0, last_output_ = 0;
};

}  // namespace orch::session
