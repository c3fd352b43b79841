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

// One agent: who it is and how it stands, in a row over as much of its screen as there is room for.
struct Tile {
  std::string name, role;
  Need need = Need::kDone;
  std::string state;  // "waiting/permission"
  std::string age;    // for how long, as age_text() has it; "" where that says nothing
  const term::Screen* screen = nullptr;  // not owned; nullptr: there is none, and `text` says why
  std::string text = {};
};

// Where the tiles are, in their order: rows and columns as tmux's layout "tiled" has them, the last
// row divided among those that are left. A column between neighbours, and in a terminal that is
// high enough the last row, are nobody's. In one that is too small tiles may be empty.
std::vector<Canvas::Area> tile_areas(size_t count, term::Size size);

// The tile at this place; the column right of a tile counts as its own.
std::optional<size_t> tile_at(std::span<const Canvas::Area> areas, Canvas::Position position);

enum class Direction : uint8_t { kUp, kDown, kLeft, kRight };
// The tile that one comes to; the same where there is none.
size_t neighbour(std::span<const Canvas::Area> areas, size_t tile, Direction direction);

// Draws them on a blank canvas, `foot` below. Of a screen that is larger than its tile its end is
// shown, and where the agent's cursor is.
void draw_tiles(std::span<const Tile> tiles, size_t selected, const std::string& foot,
                Canvas& canvas);

}  // namespace orch::ui
