#include "tape/tape.h"

#include <catch2/catch.hpp>

#include "base/text.h"

namespace orch::tape {
namespace {

Entry sample() {
  return {.n = 7,
          .ms = 12,
          .kind = "turn",
          .protocol = "anthropic",
          .method = "POST",
          .path = "/v1/messages?beta=true",
          .model = "m",
          .request = R"({"a":"ü\n"})",
          .answer = {.status = 429,
                     .headers = {{"retry-after", "3"}},
                     .body = {{0, "data: 1\n\n"}, {5, std::string("\xff\0\x7f", 3)}},
                     .end = Answer::End::kCut}};
}

std::string why_not(const std::string& text) {
  const base::Result<Tape> tape = parse("t", text);
  return tape ? "" : tape.error().text;
}

const std::string kHeader = line_of(Header{"claude", "p"});

TEST_CASE("a tape is read as it was written, by the numbers of its requests") {
  Entry other = sample();
  other.n = 2;
  other.answer = {.status = 200, .end = Answer::End::kLeft};
  const std::string text = kHeader + line_of(sample()) + line_of(other);
  const base::Result<Tape> tape = parse("t", text);
  REQUIRE(tape.ok());
  CHECK(tape->header == Header{"claude", "p"});
  REQUIRE(tape->entries.size() == 2);
  CHECK(tape->entries[0] == other);
  CHECK(tape->entries[1] == sample());
  CHECK(base::split_lines(text).size() == 3);
}

TEST_CASE("what is not a tape is an error that names the line") {
  const std::string line = line_of(sample());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = line;
    changed.replace(changed.find(from), from.size(), to);
    return why_not(kHeader + changed);
  };
  CHECK(why_not("") == "tape t, line 1: it does not begin as a tape");
  CHECK(why_not("{}\n") == "tape t, line 1: it does not begin as a tape");
  CHECK(why_not("{\"tape\":2,\"agent\":\"a\",\"provider\":\"\"}\n") ==
        "tape t, line 1: this orch does not know its format");
  CHECK(why_not(kHeader + line.substr(0, 50)) == "tape t, line 2: it breaks off");
  CHECK(why_not(kHeader + "[]\n") == "tape t, line 2: it is not a JSON object");
  CHECK(why_not(kHeader + "{\"n\":\n") == "tape t, line 2: it is not a JSON object");
  CHECK(why_not(kHeader + std::string(300, '[') + "\n") ==
        "tape t, line 2: it is not a JSON object");
  CHECK(with("\"n\":7", "\"n\":-7") == "tape t, line 2: n is not a number from 0 to 2147483647");
  CHECK(with("\"kind\":\"turn\"", "\"kind\":[]") == "tape t, line 2: kind is not a text");
  CHECK(with("\"status\":429", "\"status\":100") ==
        "tape t, line 2: status is not one of a final answer");
  CHECK(with("\"end\":\"cut\"", "\"end\":\"so\"") ==
        "tape t, line 2: end is none of whole, cut, left");
  CHECK(with("\"retry-after\"", "\"set-cookie\"") ==
        "tape t, line 2: header set-cookie is not one of an answer");
  CHECK(with("\"3\"", "\"3\\r\\nx: y\"") ==
        "tape t, line 2: header retry-after is not one of an answer");
  CHECK(with("[5,", "[-5,") == "tape t, line 2: a piece of body has no time and text");
  CHECK(with("[0,", "[9,") == "tape t, line 2: a piece of body has no time and text");
  CHECK(with("{\"bytes\":\"", "{\"bytes\":\"\\u0101") ==
        "tape t, line 2: a piece of body has no time and text");
  CHECK(with("\"request\":", "\"other\":") == "tape t, line 2: request is missing");
}

TEST_CASE("no header with a key is one that matters") {
  for (const char* name : {"content-type", "Retry-After", "anthropic-ratelimit-unified-reset"}) {
    CHECK(matters(name));
  }
  for (const char* name : {"authorization", "x-api-key", "set-cookie", "date", "request-id"}) {
    CHECK_FALSE(matters(name));
  }
}

TEST_CASE("an answer that is too long, and too many requests, are errors") {
  std::string line = kHeader;
  Entry huge = sample();
  huge.answer.body = {{0, std::string(2 * kMostAnswerBytes + 1, 'x')}};
  CHECK(why_not(kHeader + line_of(huge)) == "tape t, line 2: body is too long");
  std::string many = kHeader;
  Entry small = sample();
  small.answer.body.clear();
  for (size_t i = 0; i <= kMostEntries; ++i) many += line_of(small);
  CHECK(why_not(many) == "tape t, line 20002: too many requests");
}

}  // namespace
}  // namespace orch::tape
