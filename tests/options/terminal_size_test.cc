#include "options/terminal_size.h"

#include <catch2/catch.hpp>
#include <string>

using orch::options::parse_terminal_size;

TEST_CASE("sizes are COLSxROWS within reason") {
  CHECK(*parse_terminal_size("80x24") == orch::options::TerminalSize{80, 24});
  CHECK(*parse_terminal_size("20x5") == orch::options::TerminalSize{20, 5});
  for (const std::string text :
       {"", "80", "x", "80x", "x24", "80x24x", "80X24", "80 x24", "-80x24", "+80x24", "19x5",
        "20x4", "0x0", "0x24", "80x0", "99999x24", "80x99999", "99999999999x24"}) {
    INFO(text);
    const auto size = parse_terminal_size(text);
    REQUIRE_FALSE(size);
    CHECK(size.error().code == orch::base::ErrorCode::kUsage);
    CHECK(size.error().text.starts_with("write "));
  }
}
