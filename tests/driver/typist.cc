#include "typist.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace orch::driver {

using event::AgentStatus;

Typist::Typist(std::string text, adapters::InputSpec spec)
    : Typist(DeliveryRequest{std::move(text), false, false}, std::move(spec)) {}

Typist::Typist(DeliveryRequest request, adapters::InputSpec spec, std::string_view placeholder)
    : spec_(std::move(spec)), view_(starting()) {
  placeholder_ = placeholder_pattern(std::string(placeholder));
  delivery_.emplace(spec_, placeholder_ ? &*placeholder_ : nullptr, std::move(request), 0);
}

void Typist::look() {
  std::string bytes = delivery_->step(now_, view_);
  if (!bytes.empty()) written_.push_back({now_, std::move(bytes)});
}

void Typist::show(const InputView& view) {
  view_ = view;
  view_.last_output = now_;
  look();
}

void Typist::show_ticking(TimeMs ms, const InputView& view, TimeMs every) {
  for (const TimeMs end = now_ + ms; now_ < end;) show_for(std::min(every, end - now_), view);
}

void Typist::run_to(TimeMs at) {
  while (delivery_->next_deadline() <= at) {
    const TimeMs due = delivery_->next_deadline();
    now_ = std::max(now_, due);
    look();
    REQUIRE(delivery_->next_deadline() > due);  // otherwise the owner would loop for ever
  }
  now_ = at;
  look();
}

size_t Typist::enters() const {
  return static_cast<size_t>(std::count_if(written_.begin(), written_.end(),
                                           [](const Written& w) { return w.bytes == "\r"; }));
}

InputView starting() { return {}; }

InputView at_prompt(std::string typed) {
  InputView view;
  view.status = view.sighted = AgentStatus::kIdle;
  view.evidence = true;
  view.typed = std::move(typed);
  view.box_rows = 1;
  view.bracketed_paste = true;
  return view;
}

InputView working(std::string typed) {
  InputView view = at_prompt(std::move(typed));
  view.status = view.sighted = AgentStatus::kWorking;
  return view;
}

InputView dialog() {
  InputView view = at_prompt();
  view.status = view.sighted = AgentStatus::kWaiting;
  view.typed.reset();
  return view;
}

InputView no_box(const InputView& view) {
  InputView without = view;
  without.typed.reset();
  return without;
}

std::string bracketed(std::string_view text) {
  return "\x1b[200~" + std::string(text) + "\x1b[201~";
}

}  // namespace orch::driver
