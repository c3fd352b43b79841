#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text.h"
#include "described.h"
#include "term/screen.h"

// The screens of xterm 379 for the same bytes, which xterm_screens.py, beside this file, has
// recorded.

namespace orch::term {
namespace {

std::string rows_of(const nlohmann::json& rows) {
  std::string out;
  for (const auto& row : rows) out += row.get<std::string>() + '|';
  out.resize(out.find_last_not_of('|') + 1);
  return out;
}

// The cursor as xterm reports it: from 1, and in origin mode relative to the margins.
std::string cursor_of(Screen& screen) {
  screen.take_replies();
  screen.feed("\033[?6n");
  const std::string reply = screen.take_replies();
  return reply.substr(3, reply.size() - 4);
}

TEST_CASE("programs by chance look as xterm showed them") {
  const std::filesystem::path file =
      std::filesystem::path(ORCH_SOURCE_DIR) / "tests" / "term" / "xterm_screens.jsonl";
  std::ifstream in(file);
  int programs = 0;
  for (std::string line; std::getline(in, line); ++programs) {
    const nlohmann::json shown = nlohmann::json::parse(line);
    const std::string program = shown["program"];
    INFO(base::printable(program));
    Screen screen({10, 5});
    screen.feed(program);
    CHECK(rows_text(screen) == rows_of(shown["rows"]));
    CHECK(cursor_of(screen) == shown["cursor"]);
  }
  CHECK(programs >= 800);
}

}  // namespace
}  // namespace orch::term
