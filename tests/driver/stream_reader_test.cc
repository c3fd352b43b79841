#include "driver/stream_reader.h"

#include <catch2/catch.hpp>

namespace orch::driver {
namespace {

using adapters::HeadlessSpec;
using Kind = StreamItem::Kind;

HeadlessSpec spec() {
  HeadlessSpec spec;
  HeadlessSpec::Rule words;
  words.kind = Kind::kWords;
  words.when = {{"/type", "say"}};
  words.each = "/parts";
  words.part = {{"/type", "text"}};
  words.text = "/text";
  HeadlessSpec::Rule end;
  end.kind = Kind::kEnd;
  end.when = {{"/type", "end"}};
  end.usage.in = {"/usage/fresh", "/usage/cached"};
  end.usage.out = {"/usage/out"};
  end.usage.cost = "/usd";
  spec.rules = {words, end};
  return spec;
}

constexpr std::string_view kTalk =
    "{\"type\":\"say\",\"parts\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"thought\"},"
    "{\"type\":\"text\",\"text\":\"\\u00e9\\n\"}]}\r\n"
    "\n"
    "{\"type\":\"other\"}\n"
    "npm notice: nothing of JSON\n"
    "{\"type\":\"end\",\"usage\":{\"fresh\":2,\"cached\":3,\"out\":4},\"usd\":0.5}\n";

std::string shown(const std::vector<StreamItem>& items) {
  std::string all;
  for (const StreamItem& item : items) {
    all += std::to_string(static_cast<int>(item.kind)) + ":" + item.text + ";";
    if (item.usage) all += std::to_string(item.usage->in) + "+" + std::to_string(item.usage->out);
  }
  return all;
}

}  // namespace

TEST_CASE("The parts of a line are told by themselves, and broken lines are notices") {
  const HeadlessSpec headless = spec();
  StreamReader reader(headless);
  const std::vector<StreamItem> items = reader.read(kTalk);
  REQUIRE(items.size() == 4);
  CHECK(items[0].kind == Kind::kWords);
  CHECK(items[0].text == "one");
  CHECK(items[1].text == "é\n");
  CHECK(items[2].kind == Kind::kNotice);
  CHECK(items[2].text == "no JSON object: npm notice: nothing of JSON");
  CHECK(items[3].kind == Kind::kEnd);
  REQUIRE(items[3].usage);
  CHECK(items[3].usage->in == 5);
  CHECK(items[3].usage->out == 4);
  CHECK(items[3].usage->cost_usd == 0.5);
}

TEST_CASE("Wherever the pieces of a stream begin and end, it says the same") {
  const HeadlessSpec headless = spec();
  StreamReader whole(headless);
  const std::string expected = shown(whole.read(kTalk));
  for (size_t at = 0; at <= kTalk.size(); ++at) {
    StreamReader reader(headless);
    std::vector<StreamItem> items = reader.read(kTalk.substr(0, at));
    for (StreamItem& item : reader.read(kTalk.substr(at))) items.push_back(std::move(item));
    INFO("cut at " << at);
    CHECK(shown(items) == expected);
  }
}

TEST_CASE("A last line needs no line feed once nothing follows") {
  const HeadlessSpec headless = spec();
  StreamReader reader(headless);
  CHECK(reader.read(R"({"type":"end"})").empty());
  const std::vector<StreamItem> items = reader.finish();
  REQUIRE(items.size() == 1);
  CHECK(items[0].kind == Kind::kEnd);
  CHECK(reader.finish().empty());
}

TEST_CASE("What is nested without end, or never ends, costs no more than its line") {
  const HeadlessSpec headless = spec();
  StreamReader reader(headless);
  const std::string deep = R"({"type":"end","a":)" + std::string(100'000, '[') + "\n";
  std::vector<StreamItem> items = reader.read(deep);
  REQUIRE(items.size() == 1);
  CHECK(items[0].text.starts_with("JSON is nested too deep: {"));

  const std::string piece(1 << 20, 'x');
  items.clear();
  for (size_t read = 0; read < 2 * StreamReader::kMaxLineBytes; read += piece.size()) {
    for (StreamItem& item : reader.read(piece)) items.push_back(std::move(item));
  }
  REQUIRE(items.size() == 1);
  CHECK(items[0].text.starts_with("a line is too long: xxx"));
  items = reader.read("the rest\n{\"type\":\"end\"}\n");
  REQUIRE(items.size() == 1);
  CHECK(items[0].kind == Kind::kEnd);
}

TEST_CASE("Numbers that no turn can have taken count for nothing") {
  const HeadlessSpec headless = spec();
  StreamReader reader(headless);
  const std::vector<StreamItem> items = reader.read(
      "{\"type\":\"end\",\"usage\":{\"fresh\":-5,\"cached\":1e300,\"out\":\"7\"},\"usd\":-1}\n");
  REQUIRE(items.size() == 1);
  CHECK(items[0].usage->in == 0);
  CHECK(items[0].usage->out == 0);
  CHECK_FALSE(items[0].usage->cost_usd);
}

}  // namespace orch::driver
