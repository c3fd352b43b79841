#include "ui/tiles.h"

#include <algorithm>

#include "ui/need_style.h"
#include "ui/screen_view.h"

namespace orch::ui {
namespace {

constexpr int kFewestRowsWithFoot = 4;

struct Grid {
  int rows = 1, cols = 1;
};

// As tmux's layout_set_tiled() does: adds a row, then a column, until there is room for all.
Grid grid_of(int count) {
  Grid grid;
  while (grid.rows * grid.cols < count) {
    ++grid.rows;
    if (grid.rows * grid.cols < count) ++grid.cols;
  }
  return grid;
}

int foot_rows(term::Size size) { return size.rows >= kFewestRowsWithFoot ? 1 : 0; }

// Draws "── 2 implementer · writes the code ── waiting/permission 3m ────". Where room is short the
// role is left out first, then the state.
void draw_header(const Tile& tile, size_t number, bool selected, const Canvas::Area& area,
                 Canvas& canvas) {
  std::string rule;
  for (int col = 0; col < area.cols; ++col) rule += "─";
  canvas.put(area.row, area.col, rule, kDim, area.cols);
  const int end = area.col + area.cols;
  const std::string name = " " + std::to_string(number) + " " + tile.name + " ";
  std::string state = " " + std::string(mark_of(tile.need)) + " " + tile.state;
  if (!tile.age.empty()) state += " " + tile.age;
  state += " ";
  const std::string role = tile.role.empty() ? "" : "· " + tile.role + " ";
  const int room = area.cols - columns_of(name);
  const bool has_state = room > columns_of(mark_of(tile.need)) + 2;
  const int state_cols = has_state ? std::min(columns_of(state), room) : 0;
  // At least two columns of the rule stay between.
  const int role_cols = std::max(room - state_cols - 2, 0);
  int col = canvas.put(area.row, area.col, fitted(name, area.cols), kBold, area.cols);
  if (columns_of(role) <= role_cols) col = canvas.put(area.row, col, role, kPlain, end - col);
  if (has_state) {
    canvas.put(area.row, end - state_cols, fitted(state, state_cols), style_of(tile.need),
               state_cols);
  }
  if (selected) {
    canvas.mark({.row = area.row, .col = area.col, .rows = 1, .cols = area.cols}, term::kInverse);
  }
}

void draw_body(const Tile& tile, const Canvas::Area& body, Canvas& canvas) {
  if (body.rows <= 0 || body.cols <= 0) return;
  if (tile.screen == nullptr) {
    canvas.put(body.row, body.col, fitted(tile.text, body.cols), kDim, body.cols);
    return;
  }
  int first = first_row_shown(*tile.screen, body.rows);
  if (tile.screen->modes().cursor_visible) first = std::min(first, tile.screen->cursor_row());
  canvas.draw(*tile.screen, {.row = first, .col = 0, .rows = body.rows, .cols = body.cols},
              body.row, body.col);
}

}  // namespace

std::vector<Canvas::Area> tile_areas(size_t count, term::Size size) {
  std::vector<Canvas::Area> areas;
  const int total = static_cast<int>(count);
  const Grid grid = grid_of(total);
  const int rows = size.rows - foot_rows(size);
  for (int at = 0; at < total; ++at) {
    const int row = at / grid.cols, col = at % grid.cols;
    const int top = row * rows / grid.rows;
    const int left = col * (size.cols + 1) / grid.cols;
    const bool is_last = at + 1 == total;
    const int right = is_last ? size.cols : (col + 1) * (size.cols + 1) / grid.cols - 1;
    areas.push_back({.row = top,
                     .col = left,
                     .rows = (row + 1) * rows / grid.rows - top,
                     .cols = std::max(right - left, 0)});
  }
  return areas;
}

std::optional<size_t> tile_at(std::span<const Canvas::Area> areas, Canvas::Position position) {
  for (size_t i = 0; i < areas.size(); ++i) {
    const Canvas::Area& area = areas[i];
    const bool in_rows = position.row >= area.row && position.row < area.row + area.rows;
    const bool in_cols = position.col >= area.col && position.col <= area.col + area.cols;
    if (in_rows && in_cols) return i;
  }
  return std::nullopt;
}

size_t neighbour(std::span<const Canvas::Area> areas, size_t tile, Direction direction) {
  if (tile >= areas.size()) return 0;
  const Canvas::Area& area = areas[tile];
  const int middle = area.col + area.cols / 2;
  switch (direction) {
    case Direction::kLeft:
      return tile > 0 ? tile - 1 : tile;
    case Direction::kRight:
      return tile + 1 < areas.size() ? tile + 1 : tile;
    case Direction::kUp:
      return tile_at(areas, {area.row - 1, middle}).value_or(tile);
    case Direction::kDown:
      return tile_at(areas, {area.row + area.rows, middle}).value_or(tile);
  }
  return tile;
}

void draw_tiles(std::span<const Tile> tiles, size_t selected, const std::string& foot,
                Canvas& canvas) {
  const term::Size size = canvas.size();
  const std::vector<Canvas::Area> areas = tile_areas(tiles.size(), size);
  for (size_t i = 0; i < tiles.size(); ++i) {
    const Canvas::Area& area = areas[i];
    if (area.rows <= 0 || area.cols <= 0) continue;
    draw_header(tiles[i], i + 1, i == selected, area, canvas);
    draw_body(tiles[i],
              {.row = area.row + 1, .col = area.col, .rows = area.rows - 1, .cols = area.cols},
              canvas);
    for (int row = area.row; row < area.row + area.rows && area.col > 0; ++row) {
      canvas.put(row, area.col - 1, "│", kDim, 1);
    }
  }
  if (foot_rows(size) > 0) canvas.put(size.rows - 1, 0, fitted(foot, size.cols), kDim);
}

}  // namespace orch::ui
