#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/delivery.h"

namespace orch::driver {

struct Written {
  TimeMs at = 0;
  std::string bytes;
};

// A Delivery and its owner: steps it at every deadline and whenever the view changes, and keeps
// what it writes. The test sets the view.
class Typist {
 public:
  explicit Typist(std::string text, adapters::InputSpec spec = {});
  Typist(DeliveryRequest request, adapters::InputSpec spec, std::string_view placeholder = "");

  Typist(const Typist&) = delete;
  Typist& operator=(const Typist&) = delete;

  void look();                       // steps it now
  void run_to(TimeMs at);            // runs every deadline up to and including `at`
  void show(const InputView& view);  // the agent draws this view now
  // Draws the same view again and again, like an agent that shows a clock.
  void show_ticking(TimeMs ms, const InputView& view, TimeMs every = 200);
  void show_for(TimeMs ms, const InputView& view) { show(view), run_to(now_ + ms); }

  TimeMs now() const { return now_; }
  const InputView& view() const { return view_; }
  Delivery& delivery() { return *delivery_; }
  std::optional<DeliveryResult> result() const { return delivery_->result(); }
  const std::vector<Written>& written() const { return written_; }
  size_t enters() const;
  size_t pastes() const { return written_.size() - enters(); }

 private:
  adapters::InputSpec spec_;
  std::optional<base::Pattern> placeholder_;
  std::optional<Delivery> delivery_;
  InputView view_;
  TimeMs now_ = 0;
  std::vector<Written> written_;
};

InputView starting();
InputView at_prompt(std::string typed = "");  // idle, bracketed paste, the box holds `typed`
InputView working(std::string typed = "");    // a rule says that it works
InputView dialog();                           // seen and confirmed, no box
InputView no_box(const InputView& view);

std::string bracketed(std::string_view text);

}  // namespace orch::driver
