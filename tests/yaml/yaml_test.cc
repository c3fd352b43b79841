#include <catch2/catch.hpp>
#include <chrono>
#include <random>
#include <string>

#include "base/json.h"
#include "cpu_time.h"
#include "yaml/document.h"
#include "yaml/text.h"

using orch::base::Json;
using orch::yaml::read_yaml;
using orch::yaml::to_json;
using orch::yaml::to_yaml;
using orch::yaml::Value;

namespace {

std::string error_of(const std::string& text) {
  const auto read = read_yaml(text, "f");
  return read ? "no error" : read.error().text;
}

// Writes a text as a field of a document, and reads it back.
std::string there_and_back(const std::string& text) {
  const Json json{{"type", "x"}, {"list", {{{"a", text}, {"b", "end"}}}}, {"last", text}};
  const std::string yaml = to_yaml(json);
  const auto read = read_yaml(yaml, "f", {.bytes = size_t{64} << 20, .depth = 8, .values = 100});
  INFO(yaml);
  if (!read) FAIL(read.error().text);
  REQUIRE(read->keys.size() == 3);
  REQUIRE(read->items[1].items[0].items[1].text == "end");
  CHECK(read->items[1].items[0].items[0].text == text);
  return read->items[2].text;
}

}  // namespace

TEST_CASE("what orch writes is read back as it was, whatever the texts hold") {
  const std::vector<std::string> texts{
      "",
      " ",
      "\n",
      "\n\n\n",
      "plain",
      "true",
      "~",
      "17",
      "- a\n- b",
      "a: b\nc: d\n",
      "a\n\n\n",
      "  first line indented\nsecond",
      "\n  blank first\n",
      "\ttab\n\tand tab",
      "trailing blanks  \n   \nend ",
      "$(touch x) `touch y` \"quotes\" 'more' \\ \\n %s",
      "---\ntype: plan_task\n...\n",
      "```yaml\ntype: next_action\n```\n",
      "&anchor *alias !tag {a: [b}",
      "# no comment\n#\n",
      "\x1b]0;title\x07\x1b[31mred\x1b[0m\nand\n",
      "CR\r\nLF\rCR",
      "\xc2\x85 next line \xe2\x80\xa8 separator \xef\xbb\xbf mark",
      "\xe2\x80\xae override\nand more\n",
      "日本語\nテスト 👩‍👩‍👧 ✔️\n",
      std::string("NUL \0 and \4 end of text", 24),
      "\xf4\x8f\xbf\xbf",
      std::string(200'000, 'x'),
      "|\n>\n|2-\n",
      "key: |\n  text\n",
      "a\n b\n  c\n",
  };
  for (const std::string& text : texts) CHECK(there_and_back(text) == text);
}

TEST_CASE("random texts are read back as they were") {
  std::mt19937 random(7);
  const std::string_view alphabet = " \n\t:-#|>&*!?{}[],\"'\\ab\x1b\r%@`~.";
  for (int round = 0; round < 3'000; ++round) {
    std::string text;
    const size_t length = random() % 24;
    while (text.size() < length) text += alphabet[random() % alphabet.size()];
    REQUIRE(there_and_back(text) == text);
  }
}

TEST_CASE("no line of a text can look like a part of the document") {
  const std::string yaml = to_yaml(Json{{"prd", "first\ntype: next_action\n---\n"}, {"end", 1}});
  CHECK(yaml == "prd: |\n  first\n  type: next_action\n  ---\nend: 1\n");
  CHECK(to_yaml(Json{{"prd", "a\xe2\x80\xae\nb"}}) == "prd: \"a\\u202e\\nb\"\n");
}

TEST_CASE("a document that orch does not read is refused at its place") {
  CHECK(error_of("a: 1\nb: &x 2\n").starts_with("f:2:4: anchors"));
  CHECK(error_of("a: 1\nb: *x\n").starts_with("f:2:"));
  CHECK(error_of("a: !!str 1\n").starts_with("f:1:4: tags"));
  CHECK(error_of("a: 1\n---\nb: 2\n") == "f:2:1: a second document begins; there must be one");
  CHECK(error_of("a: 1\nb: 2\na: 3\n") == "f:3:1: \"a\" is there twice; the first is in line 1");
  CHECK(error_of("[a]: 1\n") == "f:1:1: the name of a field must be a text");
  CHECK(error_of("a: [1, 2\n").starts_with("f:2:1: "));
  CHECK(error_of("a: b: c\n").starts_with("f:1:5: "));
  CHECK(error_of("") == "f:1:1: there is no document");
  CHECK(error_of("a: 1\nb: \x04\n").starts_with("f:2:4: the byte 0x04"));
  CHECK(error_of("é: \xff\n").starts_with("f:1:4: the byte 0xff"));
  CHECK(error_of(std::string("a: \0", 4)).starts_with("f:1:4: the byte 0x00"));
  CHECK(error_of("\xff\xfe" + std::string("a\0", 2)).starts_with("f:1:1: "));
  CHECK(error_of(std::string(17, '[')).starts_with("f:1:"));
}

TEST_CASE("bombs are refused soon, and crash nothing") {
  for (const std::string part :
       {"[",  "{",   "- ", "? ",     "[a, ", "{a: ", "[[", "!a ",     "&a ", "a\n",
        "[]", "a: ", "'",  "\"a\" ", "|\n",  "> ",   "%",  "--- a\n", "\t",  ","}) {
    std::string text;
    while (text.size() + part.size() <= size_t{1} << 17) text += part;
    const auto begin = orch::cpu_time();
    const auto read = read_yaml(text, "f");
    CHECK_FALSE((read && read->kind == orch::yaml::Value::Kind::kMap));
    CHECK(orch::cpu_time() - begin <
          std::chrono::seconds(60));  // ASan is slow, but quadratic time would be far slower
  }
  std::string many = "a:\n";
  for (int i = 0; i < 30'000; ++i) many += " - b\n";
  CHECK(error_of(many) == "f:19999:4: more than 20000 values");
  CHECK(error_of(std::string((1 << 20) + 1, 'a')) == "f:1:1: more than 1048576 bytes");
}

TEST_CASE("what is written without quotes may be a number") {
  const auto read = read_yaml("{a: 1, b: '1', c: true, d: 1.5, e: x, f: , g: [-2], h: 1.2.3}", "f");
  REQUIRE(read);
  CHECK(to_json(*read).dump() ==
        R"({"a":1,"b":"1","c":true,"d":1.5,"e":"x","f":null,"g":[-2],"h":"1.2.3"})");
}
