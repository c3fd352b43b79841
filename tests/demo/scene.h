#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "demo/agent.h"
#include "term/screen.h"

namespace orch::demo {

// The agent on a terminal that answers its queries, in a time that is set: wait() plays every
// deadline on the way.
class Scene : private term::ScrollSink {
 public:
  static constexpr int64_t kSettledMs = 500;  // well after the prompt is drawn and heard

  explicit Scene(std::string_view scenario, Pace pace = {}, term::Size size = {80, 24});

  void type(std::string_view bytes);
  void send(std::string_view text);  // a paste, the pause that it needs, Enter
  void wait(int64_t ms);
  void resize(term::Size size);
  bool wait_for(std::string_view text, int64_t at_most_ms = 60'000);  // until it is on the screen

  bool shows(std::string_view text) const;
  std::string row(int row) const;
  std::vector<std::string> rows() const;     // without the blank ones at the end
  std::string row_from_end(size_t n) const;  // 1: the last that is not blank
  const std::vector<std::string>& scrolled() const { return scrolled_; }
  const std::vector<std::string>& accepted() const { return accepted_; }
  const std::string& output() const { return output_; }  // all of it
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
