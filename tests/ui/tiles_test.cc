#include "ui/tiles.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace orch;
using namespace orch::ui;

namespace {

using Area = Canvas::Area;

// A screen that is filled with one character.
std::unique_ptr<term::Screen> full_of(const std::string& character, term::Size size) {
  auto screen = std::make_unique<term::Screen>(size);
  for (int row = 0; row < size.rows; ++row) {
    std::string line = "\033[" + std::to_string(row + 1) + ";1H";
    for (int col = 0; col < size.cols; ++col) line += character;
    screen->feed(line);
  }
  return screen;
}

Tile tile_of(std::string name, const term::Screen* screen) {
  Tile tile{.name = std::move(name), .role = "writes the code", .state = "", .age = "3m"};
  tile.need = Need::kWaiting;
  tile.state = "waiting/permission";
  tile.screen = screen;
  return tile;
}

std::string text_in(const Canvas& canvas, int row, int from, int to) {
  std::string text;
  for (int col = from; col < to; ++col) text += canvas.cell(row, col).glyph.text;
  return text;
}
std::string whole_row(const Canvas& canvas, int row) {
  return text_in(canvas, row, 0, canvas.size().cols);
}

bool holds(const Area& area, int row, int col) {
  return row >= area.row && row < area.row + area.rows && col >= area.col &&
         col < area.col + area.cols;
}

// Whether a tile has only blanks and this character, unbroken, below its header.
bool has_only(const Canvas& canvas, const Area& area, const std::string& character) {
  for (int row = area.row + 1; row < area.row + area.rows; ++row) {
    for (int col = area.col; col < area.col + area.cols; ++col) {
      const Glyph& glyph = canvas.cell(row, col).glyph;
      if (glyph.text != " " && !glyph.text.empty() && glyph.text != character) return false;
      if (glyph.width == 2 && !holds(area, row, col + 1)) return false;
    }
  }
  return true;
}

bool has_whole_characters(const Canvas& canvas) {
  for (int row = 0; row < canvas.size().rows; ++row) {
    for (int col = 0; col < canvas.size().cols; ++col) {
      if (canvas.cell(row, col).glyph.width != 2) continue;
      if (col + 1 == canvas.size().cols || canvas.cell(row, col + 1).glyph.width != 0) return false;
    }
  }
  return true;
}

std::vector<std::pair<int, int>> corners(const std::vector<Area>& areas) {
  std::vector<std::pair<int, int>> all;
  for (const Area& area : areas) all.emplace_back(area.row, area.col);
  return all;
}

}  // namespace

TEST_CASE("tiles are laid out as tmux does it") {
  const auto three = tile_areas(3, {81, 25});
  REQUIRE(three.size() == 3);
  CHECK(corners(three) == std::vector<std::pair<int, int>>{{0, 0}, {0, 41}, {12, 0}});
  CHECK(three[0].cols == 40);
  CHECK(three[1].cols == 40);
  CHECK(three[2].cols == 81);  // the last one has the whole width
  CHECK(three[0].rows + three[2].rows == 24);
  CHECK(corners(tile_areas(2, {80, 25})) ==
        std::vector<std::pair<int, int>>{{0, 0}, {12, 0}});  // one below the other
  CHECK(tile_areas(1, {80, 25})[0].rows == 24);
  const auto seven = tile_areas(7, {90, 31});
  CHECK(seven[6].cols == 90);
  CHECK(seven[3].row == 10);
  CHECK(tile_areas(0, {80, 25}).empty());
}

TEST_CASE("at any size tiles lie side by side within it, above the foot") {
  for (int cols = 1; cols <= 130; cols += cols < 30 ? 1 : 7) {
    for (int rows = 1; rows <= 50; rows += rows < 14 ? 1 : 5) {
      for (size_t count = 1; count <= 9; ++count) {
        const auto areas = tile_areas(count, {cols, rows});
        REQUIRE(areas.size() == count);
        std::vector<int> covered(static_cast<size_t>(cols * rows), 0);
        for (const Area& area : areas) {
          const bool inside = area.row >= 0 && area.col >= 0 && area.rows >= 0 && area.cols >= 0 &&
                              area.row + area.rows <= rows - (rows >= 4 ? 1 : 0) &&
                              area.col + area.cols <= cols;
          REQUIRE(inside);
          for (int row = area.row; row < area.row + area.rows; ++row) {
            for (int col = area.col; col < area.col + area.cols; ++col) {
              ++covered[static_cast<size_t>(row * cols + col)];
            }
          }
        }
        REQUIRE(std::all_of(covered.begin(), covered.end(), [](int times) { return times <= 1; }));
      }
    }
  }
}

TEST_CASE("what an agent draws stays in its tile, at any size") {
  const std::vector<std::string> characters{"a", "好", "c", "ｗ", "e\u0301", "字", "g", "漢", "i"};
  for (const term::Size screen_size : {term::Size{7, 3}, term::Size{80, 24}, term::Size{121, 40}}) {
    for (int cols = 20; cols <= 110; cols += 15) {
      for (int rows = 5; rows <= 45; rows += 10) {
        for (size_t count = 1; count <= 9; ++count) {
          std::vector<std::unique_ptr<term::Screen>> screens;
          std::vector<Tile> tiles;
          for (size_t i = 0; i < count; ++i) {
            screens.push_back(full_of(characters[i], screen_size));
            tiles.push_back(tile_of("agent-" + std::to_string(i), screens.back().get()));
          }
          Canvas canvas({cols, rows});
          draw_tiles(tiles, count - 1, "the foot", canvas);
          INFO(cols << "x" << rows << " with " << count);
          const auto areas = tile_areas(count, {cols, rows});
          for (size_t i = 0; i < count; ++i) {
            REQUIRE(has_only(canvas, areas[i], characters[i]));
            const bool has_room = areas[i].rows > 1 && areas[i].cols > 2;
            REQUIRE((!has_room ||
                     canvas.cell(areas[i].row + 1, areas[i].col).glyph.text == characters[i]));
          }
          REQUIRE(has_whole_characters(canvas));
        }
      }
    }
  }
}

TEST_CASE("a header tells who it is and how it stands, what matters most in little room") {
  const Tile tile = tile_of("implementer", nullptr);
  const auto header = [&](int cols) {
    Canvas canvas({cols, 6});
    draw_tiles({&tile, 1}, 1, "", canvas);
    return whole_row(canvas, 0);
  };
  CHECK(header(60) == " 1 implementer · writes the code ── ? waiting/permission 3m ");
  CHECK(header(58) == " 1 implementer ────────────────── ? waiting/permission 3m ");
  CHECK(header(40) == " 1 implementer  ? waiting/permission 3m ");
  CHECK(header(24) == " 1 implementer  ? waiti…");
  CHECK(header(16) == " 1 implementer ─");
  CHECK(header(8) == " 1 impl…");
}

TEST_CASE("the selected tile is told from others without colours") {
  const std::vector<Tile> tiles{tile_of("a", nullptr), tile_of("b", nullptr)};
  Canvas canvas({30, 9});
  draw_tiles(tiles, 1, "", canvas);
  const auto areas = tile_areas(2, {30, 9});
  for (int col = 0; col < 30; ++col) {
    CHECK((canvas.cell(areas[0].row, col).style.attributes & term::kInverse) == 0);
    CHECK((canvas.cell(areas[1].row, col).style.attributes & term::kInverse) != 0);
  }
}

TEST_CASE("of a screen that is larger than its tile the end is shown, and the cursor's row") {
  term::Screen screen({40, 20});
  for (int row = 1; row <= 20; ++row)
    screen.feed("\033[" + std::to_string(row) + ";1Hrow " + std::to_string(row));
  const Tile tile = tile_of("a", &screen);
  const auto shown = [&] {
    Canvas canvas({30, 7});  // a header, five rows and the foot
    draw_tiles({&tile, 1}, 0, "the foot", canvas);
    CHECK(whole_row(canvas, 6).starts_with("the foot"));
    return text_in(canvas, 1, 0, 6) + "," + text_in(canvas, 5, 0, 6);
  };
  CHECK(shown() == "row 16,row 20");
  screen.feed("\033[8;1H");  // the cursor, where somebody types, is further up
  CHECK(shown() == "row 8 ,row 12");
  screen.feed("\033[?25l");  // a hidden cursor does not count
  CHECK(shown() == "row 16,row 20");
  screen.feed("\033[11;1H\033[J");  // nothing is below row 10
  CHECK(shown() == "row 7 ,      ");
  screen.feed("\033[10;1H");
  CHECK(shown() == "row 6 ,row 10");
}

TEST_CASE("a tile without a screen says why; nothing of a text can leave its tile") {
  std::vector<Tile> tiles(4);
  for (Tile& tile : tiles) {
    tile.name = "na\033[2Jme\u202e好好好好好好好好";
    tile.role = "\033]2;x\007";
    tile.state = "not\trunning";
    tile.text = "gone \033[31m好好好好好好好好好好好好好好好好好好好好\n";
  }
  for (int cols = 20; cols < 60; ++cols) {
    Canvas canvas({cols, 9});
    draw_tiles(tiles, 0, "\033[2J", canvas);
    const auto areas = tile_areas(4, {cols, 9});
    for (int row = 0; row < 8; ++row) {
      CHECK(canvas.cell(row, areas[1].col - 1).glyph.text == "│");
      for (int col = 0; col < cols; ++col) {
        CHECK(canvas.cell(row, col).glyph.text.find('\033') == std::string::npos);
      }
    }
    CHECK(text_in(canvas, 1, 0, 5) == "gone ");
  }
}

TEST_CASE("arrows and clicks find tiles") {
  const auto areas = tile_areas(5, {80, 31});  // 2, 2 and 1 over the whole width
  CHECK(neighbour(areas, 0, Direction::kRight) == 1);
  CHECK(neighbour(areas, 0, Direction::kLeft) == 0);
  CHECK(neighbour(areas, 0, Direction::kUp) == 0);
  CHECK(neighbour(areas, 1, Direction::kDown) == 3);
  CHECK(neighbour(areas, 3, Direction::kDown) == 4);
  CHECK(neighbour(areas, 4, Direction::kDown) == 4);
  CHECK(neighbour(areas, 4, Direction::kUp) <= 3);
  CHECK(neighbour(areas, 4, Direction::kRight) == 4);
  CHECK(neighbour({}, 0, Direction::kDown) == 0);
  CHECK(tile_at(areas, {0, 0}) == 0);
  CHECK(tile_at(areas, {0, 79}) == 1);
  CHECK(tile_at(areas, {29, 40}) == 4);
  CHECK_FALSE(tile_at(areas, {30, 40}));  // the foot
}
