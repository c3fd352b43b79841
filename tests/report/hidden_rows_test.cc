#include "report/hidden_rows.h"

#include <catch2/catch.hpp>

#include "report/film.h"

using namespace orch;

namespace {

const std::string kHidden = "pl4nted-s3cret-0123456789";

std::shared_ptr<const mask::Secrets> hidden_secrets() {
  return std::make_shared<const mask::Secrets>(std::vector{kHidden});
}

std::unique_ptr<term::Screen> drawn(std::string_view bytes) {
  auto screen = std::make_unique<term::Screen>(term::Size{30, 6});
  screen->feed(bytes);
  return screen;
}

}  // namespace

TEST_CASE("a secret on a screen is covered where it is whole, broken, framed and coloured") {
  const std::vector<std::string> drawings{
      "\x1b[2;3H" + kHidden,
      "\x1b[2;20H" + kHidden,  // the terminal wraps it
      "\x1b[2;1H│ say pl4nted-s3 │\x1b[3;1H│ cret-0123456789 │",
      "\x1b[3;1H│ cret-0123456789  │\x1b[2;1H│ \x1b[7mpl4n\x1b[27mted-s3  │",
      "pl4n\x1b[31mted-s3cret-01\x1b[0m23456789",
  };
  for (const std::string& bytes : drawings) {
    INFO(bytes);
    const std::string svg = report::masked_svg(*drawn(bytes), hidden_secrets());
    for (const char* part : {"pl4n", "ted-s3", "cret", "3456789"}) {
      CHECK(svg.find(part) == std::string::npos);
    }
    report::Film film(hidden_secrets());
    film.look(0, 1000, *drawn(bytes), report::Film::Why::kNeeded);
    const std::string json = film.cut(1 << 20).json;
    for (const char* part : {"pl4n", "ted-s3", "cret", "3456789"}) {
      CHECK(json.find(part) == std::string::npos);
    }
  }
}

TEST_CASE("a screen without secrets is painted as it is") {
  const auto screen = drawn("\x1b[1mnothing\x1b[0m to hide");
  CHECK(report::hidden_rows(*screen, hidden_secrets()).empty());
}
