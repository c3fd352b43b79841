#include "acp/blocks.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/json.h"

using namespace orch::acp;
using orch::base::Json;

namespace {

std::string text_of(const Json& blocks) {
  const auto prompt = prompt_of(orch::jsonrpc::Members(blocks), "/runs/1/prompts", "p");
  REQUIRE(prompt.ok());
  return prompt->text;
}

const Json kLink = {{"type", "resource_link"}, {"uri", "file:///shop/a.md"}, {"name", "a.md"}};
const Json kImage = {{"type", "image"}, {"mimeType", "image/png"}, {"data", "AAAA"}};
const Json kEmbedded = {{"type", "resource"},
                        {"resource", {{"uri", "file:///shop/a.md"}, {"text", "words"}}}};
const Json kWords = {{"type", "text"}, {"text", "fix this"}};

}  // namespace

TEST_CASE("a prompt that begins with a file is not taken for a command") {
  CHECK(text_of({kLink, kWords}) == "Look at this first:\n/shop/a.md\nfix this");
  CHECK(text_of({kImage, kWords}) == "Look at this first:\n/runs/1/prompts/p-1.png\nfix this");
  CHECK(text_of({kEmbedded, kWords}) == "Look at this first:\n/shop/a.md:\nwords\nfix this");
  CHECK(text_of({kWords, kLink}) == "fix this\n/shop/a.md");
}

TEST_CASE("a command that the user typed stays one, and is refused later") {
  CHECK(text_of({{{"type", "text"}, {"text", "/help"}}, kLink}) == "/help\n/shop/a.md");
}

TEST_CASE("the path of a file has its own bytes in place of a URI's escapes") {
  const auto place = [](const char* uri) {
    return text_of({kWords, {{"type", "resource_link"}, {"uri", uri}}}).substr(9);
  };
  CHECK(place("file:///shop/My%20%C3%BCber.md#L3") ==
        "/shop/My \xC3\xBC"
        "ber.md#L3");
  CHECK(place("file:///shop/100%.md") == "/shop/100%.md");
  CHECK(place("file:///shop/%zz%4") == "/shop/%zz%4");
  CHECK(place("https://a.example/b%20c") == "https://a.example/b%20c");
}
