#include "attach/arbiter.h"

#include <algorithm>
#include <utility>

namespace orch::attach {
namespace {

term::Size bounded(term::Size window) {
  return {std::clamp(window.cols, kLeastSize.cols, term::kMaxCols),
          std::clamp(window.rows, kLeastSize.rows, term::kMaxRows)};
}

}  // namespace

ViewerId Arbiter::join(std::optional<term::Size> window) {
  Viewer& viewer = viewers_[++last_];
  if (window) viewer.window = bounded(*window);
  return last_;
}

void Arbiter::leave(ViewerId viewer) { viewers_.erase(viewer); }

void Arbiter::on_window(ViewerId viewer, term::Size window) {
  const auto found = viewers_.find(viewer);
  if (found != viewers_.end() && found->second.window) found->second.window = bounded(window);
}

term::Size Arbiter::size() const {
  std::optional<term::Size> smallest;
  for (const auto& [id, viewer] : viewers_) {
    if (!viewer.window) continue;
    if (!smallest) smallest = viewer.window;
    smallest->cols = std::min(smallest->cols, viewer.window->cols);
    smallest->rows = std::min(smallest->rows, viewer.window->rows);
  }
  return smallest.value_or(own_);
}

bool Arbiter::may_type() const {
  return std::any_of(viewers_.begin(), viewers_.end(),
                     [](const auto& one) { return one.second.window.has_value(); });
}

bool Arbiter::on_keys(TimeMs now, ViewerId viewer, std::string_view bytes) {
  const auto found = viewers_.find(viewer);
  if (found == viewers_.end() || !found->second.window) return false;
  found->second.draft.on_typed(bytes);
  found->second.typed_at = now;
  found->second.has_typed = true;
  if (waiting_.empty()) waiting_since_ = now;
  waiting_ += bytes;
  return true;
}

std::string Arbiter::take_keys(TimeMs now, bool orch_types) {
  if (orch_types && now - waiting_since_ < kMostWaitMs) return {};
  return std::exchange(waiting_, {});
}

TimeMs Arbiter::held_until() const {
  TimeMs until = 0;
  for (const auto& [id, viewer] : viewers_) {
    if (!viewer.has_typed) continue;
    until = std::max(until, viewer.typed_at + (viewer.draft.open() ? kDraftMs : kTypingMs));
  }
  return until;
}

std::optional<TimeMs> Arbiter::next_change(TimeMs now) const {
  const TimeMs held = held_until();
  if (!waiting_.empty()) return waiting_since_ + kMostWaitMs;
  if (now < held) return held;
  return std::nullopt;
}

}  // namespace orch::attach
