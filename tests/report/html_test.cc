#include "report/html.h"

#include <array>
#include <catch2/catch.hpp>

namespace orch::report {
namespace {

TEST_CASE("text of others stays text") {
  CHECK(escaped("</script><img src=x onerror='a'>\"&") ==
        "&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39;&gt;&quot;&amp;");
  CHECK(escaped("<!--") == "&lt;!--");
  CHECK(escaped("a\nb\tc") == "a\nb\tc");
  CHECK(escaped("\x1b[31mred\x07") == "\ufffd[31mred\ufffd");
  CHECK(escaped("\xff\xc0<") == "\ufffd\ufffd&lt;");
  CHECK(escaped("\u202eevil\u2028") == "\\u{202e}evil\\u{2028}");
}

TEST_CASE("long text is cut between characters") {
  CHECK(escaped("abcdef", 3) == "abc…");
  CHECK(escaped("aéé", 2) == "a…");
}

TEST_CASE("a text in a script neither ends it nor its line") {
  CHECK(script_string("</script><!--") == R"("\u003c/script>\u003c!--")");
  CHECK(script_string("\u2028\"\\") == R"("\u2028\"\\")");
  CHECK(script_string("\xff").find('\xff') == std::string::npos);
}

TEST_CASE("moments and numbers") {
  CHECK(clock_text(999) == "0:00");
  CHECK(clock_text(61'000) == "1:01");
  CHECK(clock_text(3'661'000) == "1:01:01");
  CHECK(seconds_text(12'300) == "12.300");
  CHECK(seconds_text(12'000) == "12");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1'234'567) == "1,234,567");
}

TEST_CASE("a policy names a source by its hash") {
  // printf '' | openssl dgst -sha256 -binary | base64
  CHECK(policy_hash("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
}

TEST_CASE("what fills a slot is not looked at again") {
  const std::array slots{Slot{"a", "{{b}}"}, Slot{"b", "x"}};
  CHECK(fill("1{{a}}2{{b}}3", slots) == "1{{b}}2x3");
}

}  // namespace
}  // namespace orch::report
