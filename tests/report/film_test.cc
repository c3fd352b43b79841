#include "report/film.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace orch::report {
namespace {

using nlohmann::json;
using Why = Film::Why;

// The texts of a frame's rows, read as the page's script reads them.
std::vector<std::string> rows_of(const json& data, size_t frame) {
  std::vector<size_t> rows;
  for (size_t n = 0; n <= frame; ++n) {
    size_t count = 0;
    for (const json& size : data.at("sizes")) {
      if (size.at(0) <= n) count = size.at(2);
    }
    rows.resize(count);
    const json& changes = data.at("frames").at(n);
    rows.erase(rows.begin(), rows.begin() + changes.at(2).get<std::ptrdiff_t>());
    rows.resize(count);
    for (size_t i = 3; i < changes.size(); i += 3) {
      for (size_t k = 0; k < changes.at(i + 2); ++k) {
        rows.at(changes.at(i).get<size_t>() + k) = changes.at(i + 1).get<size_t>() + k;
      }
    }
  }
  std::vector<std::string> texts;
  for (const size_t row : rows) {
    std::string text;
    const json& runs = data.at("rows").at(row);
    for (size_t i = 2; i < runs.size(); i += 3) text += runs.at(i);
    texts.push_back(text);
  }
  return texts;
}

json cut(const Film& film, size_t max_bytes = 1'000'000) {
  const Film::Cut made = film.cut(max_bytes);
  CHECK(made.json.size() <= max_bytes);
  json data = json::parse("{" + made.json + "}");
  CHECK(data.at("frames").size() == made.frames);
  return data;
}

using Rows = std::vector<std::string>;

TEST_CASE("each screen comes back as it was, through scrolling and resizes") {
  term::Screen screen({20, 6});
  Film film;
  std::vector<Rows> seen;
  for (int i = 0; i < 30; ++i) {
    screen.feed("line " + std::to_string(i) + (i % 3 == 0 ? "\r\n\r\n" : "\r\n"));
    if (i == 20) screen.resize({30, 9});
    film.look(i * 1000, i * 1000 + 1000, screen, Why::kChanged);
    Rows rows;
    for (int row = 0; row < screen.size().rows; ++row)
      screen.append_row_text(row, rows.emplace_back());
    seen.push_back(rows);
  }
  const json data = cut(film);
  REQUIRE(data.at("frames").size() == seen.size());
  for (size_t i = 0; i < seen.size(); ++i) CHECK(rows_of(data, i) == seen[i]);
}

TEST_CASE("a screen that did not change is no frame, one that changed for a moment neither") {
  term::Screen screen({20, 2});
  Film film;
  film.look(0, 500, screen, Why::kChanged);
  film.look(500, 1000, screen, Why::kChanged);
  CHECK(film.frames() == 1);
  screen.feed("a");
  film.look(1000, 1010, screen, Why::kChanged);
  screen.feed("b");
  film.look(1010, 1020, screen, Why::kChanged);  // 10 ms after the frame before
  CHECK(film.frames() == 2);
  film.look(1020, 1030, screen, Why::kNeeded);
  CHECK(film.frames() == 3);
}

TEST_CASE("where there is little room, the last frame and those that are needed stay") {
  term::Screen screen({40, 5});
  Film film;
  constexpr int kFrames = 2000, kNeeded = 777;
  for (int i = 0; i < kFrames; ++i) {
    screen.feed("\033[H" + std::to_string(i) + " of many");
    film.look(i * 100, i * 100 + 100, screen, i == kNeeded ? Why::kNeeded : Why::kChanged);
  }
  const json all = cut(film);
  CHECK(all.at("frames").size() == kFrames);
  const json few = cut(film, 4000);
  CHECK(few.at("frames").size() < 200);
  CHECK(few.at("frames").size() > 20);
  CHECK(rows_of(few, few.at("frames").size() - 1).front() == "1999 of many");
  bool has_needed = false;
  for (size_t i = 0; i < few.at("frames").size(); ++i) {
    has_needed = has_needed || rows_of(few, i).front() == "777 of many";
  }
  CHECK(has_needed);
  CHECK(cut(film, 140).at("frames").size() == 1);
  CHECK(cut(film, 60).at("frames").empty());
}

TEST_CASE("a screen of another text and colour each time keeps it bounded") {
  term::Screen screen({300, 100});
  Film film;
  uint32_t number = 1;
  for (int i = 0; i < 400; ++i) {
    std::string bytes = "\033[H";
    for (int row = 0; row < 100; ++row) {
      number = number * 1664525 + 1013904223;
      bytes += "\033[38;2;" + std::to_string(number >> 24) + ";1;2m" + std::to_string(number) +
               std::string(280, '<') + (row == 99 ? "" : "\r\n");
    }
    screen.feed(bytes);
    film.look(i * 1000, i * 1000 + 1000, screen, Why::kNeeded);
  }
  CHECK(film.frames() < 400);
  const json data = cut(film, 900'000);
  const std::vector<std::string> last = rows_of(data, data.at("frames").size() - 1);
  std::string row;
  screen.append_row_text(0, row);
  CHECK(last.front() == row);
}

}  // namespace
}  // namespace orch::report
