#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "demo/agent.h"
#include "term/screen.h"

namespace orch::demo {

// The demo agent on a terminal that answers its queries, with a simulated clock: wait() runs every
// timer that is due on the way.
class Scene : private term::ScrollSink {
 public:
  static constexpr int64_t kSettledMs = 500;  // well after the prompt was drawn and has its answer

  explicit Scene(std::string_view scenario, Pace pace = {}, term::Size size = {80, 24});

  void type(std::string_view bytes);
  void send(std::string_view text);  // pastes it, waits as long as needed, presses Enter
  void wait(int64_t ms);
  void resize(term::Size size);
  bool wait_for(std::string_view text, int64_t at_most_ms = 60'000);  // false: it did not come

  bool shows(std::string_view text) const;
  std::string row(int row) const;
  std::vector<std::string> rows() const;     // without blank rows at the end
  std::string row_from_end(size_t n) const;  // 1: the last row that is not blank
  const std::vector<std::string>& scrolled() const { return scrolled_; }
  const std::vector<std::string>& accepted() const { return accepted_; }
  const std::string& output() const { return output_; }  // all output so far
  const term::Screen& screen() const { return screen_; }
  Agent& agent() { return agent_; }

 private:
  void exchange();
  void on_scrolled_off(const term::Screen& screen, const term::RowView& row) override;
  void on_scrollback_cleared() override {}

  int64_t now_ = 0;
  Agent agent_;
  term::Screen screen_;
  std::string output_;
  std::vector<std::string> scrolled_;
  std::vector<std::string> accepted_;
};

inline std::string pasted(std::string_view text) {
  return "\x1b[200~" + std::string(text) + "\x1b[201~";
}

}  // namespace orch::demo
