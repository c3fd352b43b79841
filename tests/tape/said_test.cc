#include "tape/said.h"

#include <catch2/catch.hpp>

namespace orch::tape {
namespace {

Entry answered(const std::string& protocol, const std::vector<std::string>& events) {
  Entry entry;
  entry.protocol = protocol;
  entry.answer.status = 200;
  entry.answer.headers = {{"content-type", "text/event-stream"}};
  for (std::string event : events) {
    std::erase(event, '\n');
    entry.answer.body.push_back({0, "data: " + event + "\n\n"});
  }
  return entry;
}

TEST_CASE("the words and calls of an answer are put together in each protocol") {
  const Said wanted{"Hi there", {R"(Read {"f":1})"}};
  CHECK(said(answered("anthropic",
                      {R"({"type":"content_block_delta","index":0,"delta":{"text":"Hi "}})",
                       R"({"type":"content_block_delta","index":0,"delta":{"text":"there"}})",
                       R"({"type":"content_block_start","index":1,"content_block":
                           {"type":"tool_use","name":"Read"}})",
                       R"({"index":1,"delta":{"partial_json":"{\"f\":"}})",
                       R"({"index":1,"delta":{"partial_json":"1}"}})"})) == wanted);
  CHECK(said(answered("responses", {R"({"type":"response.output_text.delta","delta":"Hi"})",
                                    R"({"type":"response.output_item.done","item":
                           {"type":"message","content":[{"text":"Hi there"}]}})",
                                    R"({"type":"response.output_item.done","item":
                           {"type":"function_call","name":"Read","arguments":"{\"f\":1}"}})"})) ==
        wanted);
  CHECK(said(answered("chat", {R"({"choices":[{"delta":{"content":"Hi "}}]})",
                               R"({"choices":[{"delta":{"content":"there","tool_calls":[{"index":0,
                           "function":{"name":"Read","arguments":"{\"f\":"}}]}}]})",
                               R"({"choices":[{"delta":{"tool_calls":[{"index":0,
                           "function":{"arguments":"1}"}}]}}]})",
                               "[DONE]"})) == wanted);
  CHECK(
      said(answered("gemini", {R"({"candidates":[{"content":{"parts":[{"text":"Hm","thought":true},
                           {"text":"Hi "}]}}]})",
                               R"({"response":{"candidates":[{"content":{"parts":[{"text":"there"},
                           {"functionCall":{"name":"Read","args":{"f":1}}}]}}]}})"})) == wanted);
}

TEST_CASE("of an error the message is said, whatever else an answer holds") {
  Entry entry;
  entry.protocol = "anthropic";
  entry.answer.body = {{0, R"({"type":"error","error":{"message":"Overloaded"}})"}};
  CHECK(said(entry).text == "Overloaded");
  for (const char* odd : {"", "null", "[1,{}]", R"({"content":"x","delta":[],"choices":{"a":1}})",
                          R"({"candidates":[{"content":{"parts":[7,null]}}],"output":[[]]})"}) {
    for (const char* protocol : {"anthropic", "responses", "chat", "gemini", ""}) {
      entry.protocol = protocol;
      entry.answer.body = {{0, odd}};
      CHECK(said(entry).text.empty());
    }
  }
}

}  // namespace
}  // namespace orch::tape
