#include "tape/answer_texts.h"

#include <catch2/catch.hpp>

namespace orch::tape {
namespace {

// Replaces each "SECRET".
std::vector<Edit> stars(std::string_view text, bool /*in_json*/) {
  std::vector<Edit> edits;
  constexpr std::string_view kWord = "SECRET";
  for (size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at + 1)) {
    edits.push_back({at, at + kWord.size(), "*"});
  }
  return edits;
}

std::vector<std::string> edited(std::vector<std::string> data) {
  std::vector<Piece> events;
  for (std::string& one : data) events.push_back({0, "data: " + one + "\n\n"});
  edit_texts(events, true, stars);
  std::vector<std::string> out;
  for (const Piece& event : events) out.push_back(data_of(event.bytes));
  return out;
}

TEST_CASE("pieces are joined into events, each with the time of its end") {
  const std::vector<Piece> pieces{
      {1, "data: a\n"}, {2, "\ndata: b\r\n\r\nda"}, {3, "ta: c\n\ndata: d"}};
  CHECK(events_of(pieces, true) ==
        std::vector<Piece>{
            {2, "data: a\n\n"}, {2, "data: b\r\n\r\n"}, {3, "data: c\n\n"}, {3, "data: d"}});
  CHECK(events_of(pieces, false) ==
        std::vector<Piece>{{3, "data: a\n\ndata: b\r\n\r\ndata: c\n\ndata: d"}});
  CHECK(events_of({}, true).empty());
}

TEST_CASE("a text over several events is edited as one") {
  CHECK(edited({R"({"t":"xSE"})", R"({"t":"CR"})", R"({"t":"ETy"})"}) ==
        std::vector<std::string>{R"({"t":"x*"})", R"({"t":""})", R"({"t":"y"})"});
  CHECK(edited({R"({"t":"SECRETSEC"})", R"({"t":"RET"})"}) ==
        std::vector<std::string>{R"({"t":"**"})", R"({"t":""})"});
}

TEST_CASE("texts of different blocks and calls do not run into each other") {
  const std::vector<std::string> apart{R"({"index":0,"t":"SEC"})", R"({"index":1,"t":"RET"})"};
  CHECK(edited(apart) == apart);
  CHECK(
      edited({R"({"index":0,"t":"SEC"})", R"({"index":1,"t":"x"})", R"({"index":0,"t":"RET"})"}) ==
      std::vector<std::string>{R"({"index":0,"t":"*"})", R"({"index":1,"t":"x"})",
                               R"({"index":0,"t":""})"});
}

TEST_CASE("an event without edits keeps its bytes, and one that is not JSON is a text") {
  CHECK(edited({R"({ "t" : "x" })", "[DONE]", "a SECRET {"}) ==
        std::vector<std::string>{R"({ "t" : "x" })", "[DONE]", "a * {"});
  std::vector<Piece> whole{{4, R"({"a":["SECRET"]})"}};
  edit_texts(whole, false, stars);
  CHECK(whole == std::vector<Piece>{{4, R"({"a":["*"]})"}});
}

}  // namespace
}  // namespace orch::tape
