#include "term/animated_svg.h"

#include <catch2/catch.hpp>
#include <string>

namespace orch::term {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a row that stays is drawn once, one that changes once for each text") {
  Screen screen({20, 5});
  AnimatedSvg film({20, 5});
  screen.feed("\x1b[?25lstays\r\nfirst");
  film.add(0, screen);
  screen.feed("\x1b[2;1H\x1b[Ksecond");
  film.add(1000, screen);
  screen.feed("\x1b[2;1H\x1b[Kthird");
  film.add(2500, screen);
  const std::string svg = film.finish(4000);
  CHECK(count(svg, ">stays<") == 1);
  for (const char* word : {">first<", ">second<", ">third<"}) CHECK(count(svg, word) == 1);
  CHECK(svg.find("animation:4000ms step-end infinite") != std::string::npos);
  CHECK(svg.find("@keyframes t0{0.00%{opacity:1}25.00%{opacity:0}}") != std::string::npos);
  CHECK(svg.find("@keyframes t1{0%{opacity:0}25.00%{opacity:1}62.50%{opacity:0}}") !=
        std::string::npos);
  // A viewer without animations sees the last screen.
  CHECK(svg.find(".t2{opacity:1;") != std::string::npos);
  CHECK(svg.find(".t0{opacity:0;") != std::string::npos);
}

TEST_CASE("text of the screen cannot become markup, and bright colours are darker on white") {
  Screen screen({40, 2});
  AnimatedSvg film({40, 2});
  screen.feed("\x1b[38;2;255;255;0m<script>&\x1b[0m plain");
  film.add(0, screen);
  const std::string svg = film.finish(10);
  CHECK(svg.find("<script>") == std::string::npos);
  CHECK(svg.find("&lt;script&gt;&amp;") != std::string::npos);
  CHECK(svg.find(".c0{fill:#ffff00}") != std::string::npos);
  const size_t light = svg.find("prefers-color-scheme:light");
  REQUIRE(light != std::string::npos);
  CHECK(svg.find(".c0{fill:#ffff00}", light) == std::string::npos);
}

TEST_CASE("what stands between blanks is placed by itself") {
  Screen screen({40, 2});
  AnimatedSvg film({40, 2});
  screen.feed("\x1b[?25lone two    three");
  film.add(0, screen);
  const std::string svg = film.finish(10);
  CHECK(svg.find("x=\"8.0\" y=\"21\" textLength=\"58.8\">one two<") != std::string::npos);
  CHECK(svg.find("x=\"100.4\" y=\"21\" textLength=\"42.0\">three<") != std::string::npos);
}

TEST_CASE("nothing shown is a picture, too") {
  AnimatedSvg film({20, 5});
  CHECK(film.finish(0).starts_with("<svg "));
}

}  // namespace orch::term
