#include "exchange/usage.h"

#include <catch2/catch.hpp>

namespace {

using namespace orch::exchange;

Counts read(Protocol protocol, bool events, std::string_view body, size_t step = 1 << 20) {
  UsageReader reader(protocol, events);
  while (!body.empty()) {
    reader.feed(body.substr(0, step));
    body.remove_prefix(std::min(step, body.size()));
  }
  reader.end();
  return reader.counts();
}

constexpr std::string_view kMessages =
    "event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"claude-x\","
    "\"usage\":{\"input_tokens\":10,\"cache_creation_input_tokens\":20,"
    "\"cache_read_input_tokens\":300,\"output_tokens\":1}}}\r\n\r\n"
    "data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"\\\"usage\\\"\"}}\n\n"
    "data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":42}}\n\n";

TEST_CASE("Anthropic reports the input first and the output last") {
  const Counts expected{330, 300, 20, 42, "claude-x"};
  for (const size_t step : {1, 5, 64, 100000}) {
    CHECK(read(Protocol::kAnthropic, true, kMessages, step) == expected);
  }
}

TEST_CASE("at a break the input of Anthropic is known") {
  const Counts counts = read(Protocol::kAnthropic, true, kMessages.substr(0, 250));
  CHECK(counts.in == 330);
  CHECK(counts.out == 1);
}

TEST_CASE("OpenAI and Gemini report cached input inside of the input") {
  CHECK(read(Protocol::kResponses, true,
             "data: {\"type\":\"response.completed\",\"response\":{\"model\":\"gpt\",\"usage\":{"
             "\"input_tokens\":100,\"input_tokens_details\":{\"cached_tokens\":60},"
             "\"output_tokens\":7}}}\n\n") == Counts{100, 60, 0, 7, "gpt"});
  CHECK(read(Protocol::kChat, true,
             "data: {\"choices\":[],\"usage\":null}\n\ndata: {\"model\":\"m\",\"usage\":{"
             "\"prompt_tokens\":9,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n") ==
        Counts{9, 0, 0, 2, "m"});
  CHECK(
      read(Protocol::kGemini, true,
           "data: {\"response\":{\"modelVersion\":\"g\",\"usageMetadata\":{\"promptTokenCount\":8,"
           "\"cachedContentTokenCount\":4,\"candidatesTokenCount\":2,\"thoughtsTokenCount\":3}}}"
           "\n\n") == Counts{8, 4, 0, 5, "g"});
}

TEST_CASE("an answer in one piece is read, and a list of Gemini's events") {
  CHECK(read(Protocol::kAnthropic, false,
             R"({"model":"m","usage":{"input_tokens":3,"output_tokens":4}})") ==
        Counts{3, 0, 0, 4, "m"});
  CHECK(read(Protocol::kGemini, false,
             R"([{"usageMetadata":{"promptTokenCount":1}},
                 {"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":6}}])")
            .out == 6);
}

TEST_CASE("what is not a report counts as nothing, and no count is negative") {
  CHECK_FALSE(read(Protocol::kAnthropic, true, "data: {\"usage\":[]}\ndata: \"usage\n").any());
  CHECK_FALSE(read(Protocol::kAnthropic, false, "<html>").any());
  CHECK_FALSE(
      read(Protocol::kChat, false, R"({"usage":{"prompt_tokens":-5,"completion_tokens":"x"}})")
          .any());
  CHECK(read(Protocol::kChat, false, R"({"usage":{"prompt_tokens":1e300}})").in > 0);
}

}  // namespace
