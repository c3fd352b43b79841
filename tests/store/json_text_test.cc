#include "store/json_text.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>

#include "base/text.h"

using namespace orch::store;
using namespace std::string_view_literals;

namespace {

std::string escaped(std::string_view bytes) {
  std::string out;
  append_json_text(out, bytes);
  return out;
}

}  // namespace

TEST_CASE("quotes, backslashes and controls are escaped, other text is not") {
  CHECK(escaped("plain text / 世界 😀") == "plain text / 世界 😀");
  CHECK(escaped("\"\\\n\r\t") == R"(\"\\\n\r\t)");
  CHECK(escaped("\x1b[0m\0\x7f\x1f"sv) == R"(\u001b[0m\u0000\u007f\u001f)");
  CHECK(escaped("") == "");
}

TEST_CASE("malformed bytes become U+FFFD and are counted") {
  std::string out = "<";
  CHECK(append_json_text(out, "a\xFFz\xE2\x82\"\xF0\x9F\x98"sv) == 6);
  CHECK(out == "<a�z�\\\"�");
  CHECK(append_json_text(out, "�") == 0);  // U+FFFD itself is a valid character
}

TEST_CASE("any bytes read back as their valid UTF-8") {
  std::minstd_rand random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (size_t i = random() % 40; i > 0; --i) bytes.push_back(static_cast<char>(random() % 256));
    const auto json = nlohmann::json::parse("\"" + escaped(bytes) + "\"", nullptr, false);
    REQUIRE(json.is_string());
    REQUIRE(json.get<std::string>() == orch::base::to_valid_utf8(bytes));
  }
}
