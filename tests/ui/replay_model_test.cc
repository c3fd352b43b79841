#include "ui/replay_model.h"

#include <catch2/catch.hpp>
#include <string>

#include "ui/painter.h"

namespace orch::ui {
namespace {

TerminalInput pressed(const std::string& name) {
  return {.kind = TerminalInput::Kind::kKey, .text = name};
}
TerminalInput typed_text(const std::string& name) {
  return {.kind = TerminalInput::Kind::kText, .text = name};
}

ReplayModel model_of(double speed = 1) {
  return {20'000,
          speed,
          {{0, "starting", ""}, {3'000, "working/tool", "demo/spinner"}, {9'000, "idle", ""}}};
}

std::string row_text(const Canvas& canvas, int row) {
  std::string text;
  for (int col = 0; col < canvas.size().cols; ++col) text += canvas.cell(row, col).glyph.text;
  return text;
}

}  // namespace

TEST_CASE("A recording plays as fast as asked, up to its end, and is then paused") {
  ReplayModel model = model_of(2);
  model.on_shown_again(100);
  model.on_time(1'100);
  CHECK(model.position_ms() == 2'000);
  model.on_time(1'100);
  CHECK(model.position_ms() == 2'000);
  model.on_time(60'000);
  CHECK(model.position_ms() == 20'000);
  CHECK(model.at_end());
  CHECK(model.paused());
  ReplayModel slow = model_of(0.1);
  for (int64_t now = 1; now <= 1'000; ++now) slow.on_time(now);
  CHECK(slow.position_ms() >= 99);  // fractions of a millisecond are not lost
}

TEST_CASE("Space pauses and goes on, and at the end begins anew") {
  ReplayModel model = model_of();
  model.on_input(typed_text(" "), 1'000);
  CHECK(model.position_ms() == 1'000);
  model.on_time(5'000);
  CHECK(model.position_ms() == 1'000);
  model.on_input(typed_text(" "), 5'000);
  model.on_time(5'500);
  CHECK(model.position_ms() == 1'500);
  model.on_input(pressed("End"), 5'500);
  model.on_input(typed_text(" "), 5'600);
  CHECK(model.position_ms() == 0);
  CHECK_FALSE(model.paused());
}

TEST_CASE("Arrows seek and change the speed, within bounds") {
  ReplayModel model = model_of();
  model.on_input(pressed("Left"), 0);
  CHECK(model.position_ms() == 0);
  model.on_input(pressed("Right"), 0);
  CHECK(model.position_ms() == 5'000);
  for (int i = 0; i < 9; ++i) model.on_input(pressed("Right"), 0);
  CHECK(model.position_ms() == 20'000);
  model.on_input(pressed("Home"), 0);
  CHECK(model.position_ms() == 0);
  model.on_input(pressed("Up"), 0);
  CHECK(model.speed() == 2);
  for (int i = 0; i < 20; ++i) model.on_input(pressed("Up"), 0);
  CHECK(model.speed() == ReplayModel::kMostSpeed);
  for (int i = 0; i < 20; ++i) model.on_input(pressed("Down"), 0);
  CHECK(model.speed() == ReplayModel::kLeastSpeed);
}

TEST_CASE("The brackets go from status to status") {
  ReplayModel model = model_of();
  const auto after = [&model](const char* bracket) {
    model.on_input(typed_text(bracket), 0);
    return model.position_ms();
  };
  CHECK(after("]") == 3'000);
  CHECK(model.current() == size_t{1});
  CHECK(after("]") == 9'000);
  CHECK(after("]") == 20'000);
  CHECK(after("[") == 9'000);
  CHECK(after("[") == 3'000);
  CHECK(after("[") == 0);
  CHECK(after("[") == 0);
}

TEST_CASE("q and Ctrl-C leave") {
  ReplayModel model = model_of();
  CHECK(model.on_input(typed_text("q"), 0) == ReplayModel::Action::kLeave);
  CHECK(model.on_input(pressed("C-c"), 0) == ReplayModel::Action::kLeave);
  CHECK(model.on_input(pressed("C-z"), 0) == ReplayModel::Action::kSuspend);
  CHECK(model.on_input(typed_text("x"), 0) == ReplayModel::Action::kNothing);
}

TEST_CASE("The statuses stand beside the screen, below it, or in the foot alone") {
  term::Screen screen({80, 24});
  screen.feed("agent");
  ReplayModel model = model_of();
  model.on_input(typed_text("]"), 0);
  const auto drawn = [&](term::Size window) {
    Canvas canvas(window);
    draw_replay(model, screen, canvas);
    return canvas;
  };
  const Canvas wide = drawn({120, 25});
  CHECK(row_text(wide, 0).starts_with("agent "));
  CHECK(row_text(wide, 1).find("▶   0:03.0  working/tool") > 80);
  CHECK(row_text(wide, 24).find("0:03.0 / 0:20.0  working/tool (demo/spinner)") !=
        std::string::npos);
  const Canvas high = drawn({80, 30});
  CHECK(row_text(high, 26).find("working/tool") != std::string::npos);
  const Canvas small = drawn({80, 24});
  CHECK(row_text(small, 23).find("working/tool") != std::string::npos);
  for (int cols = 1; cols <= 130; cols += 3) {
    for (int rows = 1; rows <= 40; ++rows) drawn({cols, rows});
  }
}

}  // namespace orch::ui
