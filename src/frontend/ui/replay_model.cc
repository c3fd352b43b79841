#include "ui/replay_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "ui/need_style.h"
#include "ui/screen_view.h"

namespace orch::ui {
namespace {

constexpr int kStatusColumns = 33, kStatusRows = 4;

// "1:02:03", "2:03.4"
std::string time_text(int64_t ms) {
  const int64_t s = ms / 1000;
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}.{}", s / 60, s % 60, ms / 100 % 10);
}

term::Style style_of_state(std::string_view state) {
  const std::string_view status = state.substr(0, state.find('/'));
  if (status == "waiting") return style_of(Need::kWaiting);
  if (status == "error") return style_of(Need::kError);
  if (status == "working" || status == "starting") return style_of(Need::kWorking);
  return kPlain;
}

void draw_statuses(const ReplayModel& model, const Canvas::Area& area, Canvas& canvas) {
  if (area.rows <= 0 || area.cols <= 0) return;
  const std::vector<StatusMark>& all = model.statuses();
  const int now = model.current() ? static_cast<int>(*model.current()) : -1;
  const int count = static_cast<int>(all.size());
  // The present status is in the middle, as far as there are others around it.
  const int first = std::clamp(now - area.rows / 2, 0, std::max(count - area.rows, 0));
  for (int at = 0; at < area.rows && first + at < count; ++at) {
    const int index = first + at, row = area.row + at;
    const StatusMark& mark = all[static_cast<size_t>(index)];
    const bool is_now = index == now;
    const std::string text = fmt::format("{}{:>9}  ", is_now ? "▶" : " ", time_text(mark.ms));
    const int col = canvas.put(row, area.col, text, is_now ? kBold : kDim);
    const int left = area.col + area.cols - col;
    if (left > 0)
      canvas.put(row, col, fitted(mark.state, left), is_now ? kBold : style_of_state(mark.state));
  }
}

std::string replay_keys(int columns) {
  std::string text = "q leaves";
  for (const std::string_view key :
       {"space pauses", "←→ 5 s", "↑↓ speed", "[ ] status", "Home End"}) {
    const std::string longer = text + "  " + std::string(key);
    if (columns_of(longer) > columns) break;
    text = longer;
  }
  return text;
}

void draw_replay_foot(const ReplayModel& model, int row, Canvas& canvas) {
  const int columns = canvas.size().cols;
  const char* mark = model.at_end() ? "■" : model.paused() ? "‖" : "▶";
  std::string text =
      fmt::format(" {} {} / {}", mark, time_text(model.position_ms()), time_text(model.end_ms()));
  if (model.speed() != 1) text += fmt::format("  {:g}x", model.speed());
  if (model.current()) {
    const StatusMark& status = model.statuses()[*model.current()];
    text += "  " + status.state;
    if (!status.rule.empty()) text += " (" + status.rule + ")";
  }
  const term::Style bar{.fg = {}, .bg = {}, .attributes = term::kInverse};
  canvas.fill({.row = row, .col = 0, .rows = 1, .cols = columns}, bar);
  const int after = canvas.put(row, 0, fitted(text, columns), bar) + 2;
  if (after < columns)
    canvas.put(row, after, fitted(replay_keys(columns - after), columns - after), bar);
}

}  // namespace

ReplayModel::ReplayModel(int64_t end_ms, double speed, std::vector<StatusMark> statuses)
    : end_ms_(end_ms), speed_(speed), statuses_(std::move(statuses)) {}

void ReplayModel::on_time(int64_t now_ms) {
  const int64_t passed = std::max<int64_t>(now_ms - std::exchange(now_ms_, now_ms), 0);
  if (paused_) return;
  const double to =
      std::min(static_cast<double>(position_ms_) + rest_ms_ + static_cast<double>(passed) * speed_,
               static_cast<double>(end_ms_));
  position_ms_ = static_cast<int64_t>(to);
  rest_ms_ = to - std::floor(to);
  if (at_end()) paused_ = true;
}

void ReplayModel::seek(int64_t ms) {
  position_ms_ = std::clamp<int64_t>(ms, 0, end_ms_);
  rest_ms_ = 0;
}

void ReplayModel::seek_status(int by) {
  const auto is_before = [](const StatusMark& mark, int64_t ms) { return mark.ms < ms; };
  const auto is_after = [](int64_t ms, const StatusMark& mark) { return ms < mark.ms; };
  if (by > 0) {
    const auto next = std::upper_bound(statuses_.begin(), statuses_.end(), position_ms_, is_after);
    return seek(next == statuses_.end() ? end_ms_ : next->ms);
  }
  const auto here = std::lower_bound(statuses_.begin(), statuses_.end(), position_ms_, is_before);
  seek(here == statuses_.begin() ? 0 : std::prev(here)->ms);
}

std::optional<size_t> ReplayModel::current() const {
  const auto is_after = [](int64_t ms, const StatusMark& mark) { return ms < mark.ms; };
  const auto next = std::upper_bound(statuses_.begin(), statuses_.end(), position_ms_, is_after);
  if (next == statuses_.begin()) return std::nullopt;
  return static_cast<size_t>(next - statuses_.begin()) - 1;
}

ReplayModel::Action ReplayModel::on_input(const TerminalInput& input, int64_t now_ms) {
  on_time(now_ms);
  const std::string& key = input.text;
  if (input.kind == TerminalInput::Kind::kText) {
    if (key == "q") return Action::kLeave;
    if (key == " ") {
      if (at_end()) seek(0);
      paused_ = !paused_;
    }
    if (key == "]") seek_status(1);
    if (key == "[") seek_status(-1);
  }
  if (input.kind != TerminalInput::Kind::kKey) return Action::kNothing;
  if (key == "C-c") return Action::kLeave;
  if (key == "C-z") return Action::kSuspend;
  if (key == "Left") seek(position_ms_ - kStepMs);
  if (key == "Right") seek(position_ms_ + kStepMs);
  if (key == "Home") seek(0);
  if (key == "End") seek(end_ms_);
  if (key == "Up") speed_ = std::min(speed_ * 2, kMostSpeed);
  if (key == "Down") speed_ = std::max(speed_ / 2, kLeastSpeed);
  return Action::kNothing;
}

ReplayLayout replay_layout(term::Size window, term::Size screen) {
  ReplayLayout layout;
  layout.foot = window.rows - 1;
  const int rows = layout.foot;
  layout.screen = {.row = 0, .col = 0, .rows = rows, .cols = window.cols};
  if (window.cols >= screen.cols + kStatusColumns) {
    layout.screen.cols = screen.cols;
    const int col = window.cols - kStatusColumns + 1;
    layout.statuses = {.row = 0, .col = col, .rows = rows, .cols = window.cols - col};
  } else if (rows >= screen.rows + kStatusRows) {
    layout.screen.rows = rows - kStatusRows;
    layout.statuses = {
        .row = rows - kStatusRows, .col = 0, .rows = kStatusRows, .cols = window.cols};
  }
  return layout;
}

void draw_replay(const ReplayModel& model, const term::Screen& screen, Canvas& canvas) {
  const ReplayLayout layout = replay_layout(canvas.size(), screen.size());
  const int first = first_row_shown(screen, layout.screen.rows);
  canvas.draw(screen,
              {.row = first, .col = 0, .rows = layout.screen.rows, .cols = layout.screen.cols}, 0,
              0);
  draw_statuses(model, layout.statuses, canvas);
  draw_replay_foot(model, layout.foot, canvas);
}

}  // namespace orch::ui
