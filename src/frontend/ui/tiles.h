#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "term/screen.h"
#include "ui/canvas.h"
#include "ui/top_model.h"

// Several agents' screens side by side, drawn at any size of the terminal. Pure.
namespace orch::ui {

// One agent: its name and state in a header row, and below it as much of its screen as fits.
struct Tile {
  std::string name, role;
  Need need = Need::kDone;
  std::string state;  // the status and its cause, "waiting/permission"
  std::string age;    // how long it has lasted, from age_text(); "" where that says nothing
  // not owned; nullptr: without a screen; `text` says why
  const term::Screen* screen = nullptr;
  std::string text = {};
};

// The areas of the tiles, in their order. Rows and columns are as in tmux's layout "tiled", except
// that the last tile takes the rest of its row. One column between neighbours and, if the terminal
// is high enough, the last row belong to no tile. On a terminal that is too small, tiles may be
// empty.
std::vector<Canvas::Area> tile_areas(size_t count, term::Size size);

// The tile at this place; the column right of a tile counts as its own.
std::optional<size_t> tile_at(std::span<const Canvas::Area> areas, Canvas::Position position);

enum class Direction : uint8_t { kUp, kDown, kLeft, kRight };
// The tile in that direction, or `tile` itself if there is none.
size_t neighbour(std::span<const Canvas::Area> areas, size_t tile, Direction direction);

// Draws the tiles on a blank canvas, and `foot` below them. If a screen is larger than its tile,
// its end is shown, or the part with the agent's cursor.
void draw_tiles(std::span<const Tile> tiles, size_t selected, const std::string& foot,
                Canvas& canvas);

}  // namespace orch::ui
