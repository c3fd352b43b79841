#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"
#include "detect/rules.h"
#include "driver/agent_view.h"
#include "driver/driver.h"
#include "driver/operator.h"
#include "term/screen.h"

namespace orch::driver {

// The driver of an agent that draws on a terminal. Its AgentView reads what the agent draws, its
// Operator decides what to type. A live session and the replay of a recording drive it in the same
// way.
class ScreenDriver final : public Driver {
 public:
  // `manifest` and `rules` must outlive the driver. `speakers` are compiled from the manifest, so
  // that several drivers can share them; if null, the driver compiles its own.
  ScreenDriver(const adapters::Manifest& manifest, const detect::RuleSet& rules, term::Size size,
               TimeMs now, std::shared_ptr<const Speakers> speakers = nullptr,
               Conversation conversation = Conversation::kNew);
  ~ScreenDriver() override;

  std::string on_output(TimeMs now, std::string_view bytes) override;
  void on_typed(TimeMs now, std::string_view bytes) override;
  void on_resize(TimeMs now, int cols, int rows) override;
  void on_notice(TimeMs now, std::string_view text) override;
  // In a replay: columns [from, to) of the row held a secret, which the recording does not contain
  // (term::Screen::cover).
  void on_covered(int row, int from, int to) { view_.on_covered(row, from, to); }
  void on_surroundings(TimeMs now, Surroundings surroundings) override;
  void on_stopping(TimeMs now) override;
  void on_exit(TimeMs now) override;
  TimeMs next_deadline() const override;
  void on_timer(TimeMs now) override;
  void command(TimeMs now, const agent::Command& command) override;
  std::vector<agent::News> take_news() override;
  std::vector<std::string> take_writes() override { return std::exchange(writes_, {}); }

  event::AgentStatus status() const override { return view_.detector().status(); }
  event::Cause cause() const override { return view_.detector().cause(); }
  TimeMs since() const override { return view_.detector().since(); }
  TimeMs last_output() const override { return view_.detector().last_output(); }
  bool holds_keyboard() const override { return operator_.holds_keyboard(); }
  std::optional<int> wanted_rows() const override { return operator_.wanted_rows(); }
  std::string quit_bytes() const override;
  std::string text() const override;
  const term::Screen* screen() const override { return &view_.screen(); }

  const AgentView& view() const { return view_; }

 private:
  bool catch_up(TimeMs until);
  void look(TimeMs now);
  void take(TimeMs now, Sighting sighting);
  void take_from_operator(TimeMs now);

  const adapters::Manifest& manifest_;
  AgentView view_;
  Operator operator_;
  Surroundings surroundings_;
  std::vector<agent::News> news_;
  std::vector<std::string> writes_;
};

}  // namespace orch::driver
