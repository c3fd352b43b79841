#include "meta/chat_format.h"

#include <catch2/catch.hpp>

#include "base/json.h"

namespace orch::meta {
namespace {

std::string choice(const std::string& message, const std::string& reason = "stop") {
  return R"({"choices":[{"index":0,"message":)" + message + R"(,"finish_reason":")" + reason +
         R"("}],"usage":{"prompt_tokens":20,"completion_tokens":5,)" +
         R"("prompt_tokens_details":{"cached_tokens":8}}})";
}

std::string error_of(const std::string& body) {
  const base::Result<Answer> answer = read_chat_answer(body);
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().text.find('\n') == std::string::npos);
  return answer.error().text;
}

}  // namespace

TEST_CASE("a question becomes messages of the system and the user, as they are") {
  const std::string text = "a: \"b\"\n$(x) \x1b[0m \xff";
  const base::Json json = base::Json::parse(chat_request({"be brief", text}, "gpt-5.2", "medium"));
  CHECK(json["model"] == "gpt-5.2");
  CHECK(json["reasoning_effort"] == "medium");
  CHECK(json["messages"][0]["role"] == "system");
  CHECK(json["messages"][0]["content"] == "be brief");
  CHECK(json["messages"][1]["content"] == "a: \"b\"\n$(x) \x1b[0m \xef\xbf\xbd");
  CHECK_FALSE(base::Json::parse(chat_request({"", ""}, "m", "")).contains("reasoning_effort"));
}

TEST_CASE("an answer is told with what it took") {
  const Answer answer = read_chat_answer(choice(R"({"content":"type: plan\n"})")).value();
  CHECK(answer.text == "type: plan\n");
  CHECK(answer.usage.in == 20);
  CHECK(answer.usage.out == 5);
  CHECK(answer.usage.cached == 8);
  CHECK(answer.usage.source == "openai-chat");
  CHECK(read_chat_answer(
            choice(R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})"))
            ->text == "ab");
  CHECK(read_chat_answer(R"({"choices":[{"message":{"content":"x"}}]})")->usage.in == 0);
}

TEST_CASE("what is no whole answer is an error of one line") {
  CHECK(error_of(choice(R"({"content":"half"})", "length")).find("cut off") != std::string::npos);
  CHECK(
      error_of(choice(R"({"content":null,"refusal":"I can't\nhelp"})")).find("refused: I can't") !=
      std::string::npos);
  CHECK(error_of(choice(R"({"content":"x"})", "content_filter")).find("filter") !=
        std::string::npos);
  CHECK(error_of(choice(R"({"content":"  "})")).find("empty") != std::string::npos);
  CHECK(error_of(choice("[]")).find("no message") != std::string::npos);
  CHECK(error_of(R"({"choices":[]})").find("no choices") != std::string::npos);
  CHECK(error_of(R"({"error":{"message":"bad \u001b[31m model"}})").find("bad") !=
        std::string::npos);
  CHECK(error_of("<html>\nnonsense").find("<html>") != std::string::npos);
  CHECK(error_of(std::string(100'000, '[')).size() < 1'500);
}

TEST_CASE("the server's own words are short and cannot move a cursor") {
  const std::string said = chat_error_text(R"({"error":{"message":"no\u001b]0;x\u0007 )" +
                                           std::string(1'000, 'y') + "\"}}");
  CHECK(said.find('\x1b') == std::string::npos);
  CHECK(said.size() < 400);
  CHECK(chat_error_text("").empty());
  CHECK(is_quota_error(R"({"error":{"code":"insufficient_quota"}})"));
  CHECK_FALSE(is_quota_error(R"({"error":{"code":"rate_limit_exceeded"}})"));
}

}  // namespace orch::meta
