#include "exchange/protocol.h"

#include <catch2/catch.hpp>

namespace {

using namespace orch::exchange;

Asked ask(std::string target, std::string body, std::string method = "POST") {
  Request request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.body = std::move(body);
  return asked(request);
}

TEST_CASE("the path names the protocol, and the body the model") {
  const Asked messages =
      ask("/v1/messages?beta=true", R"({"model":"claude-x","stream":true,"tools":[{}]})");
  CHECK(messages.protocol == Protocol::kAnthropic);
  CHECK(messages.model == "claude-x");
  CHECK(messages.streams);
  CHECK(messages.has_tools);
  CHECK(ask("/responses", R"({"model":"gpt"})").protocol == Protocol::kResponses);
  CHECK(ask("/v1/chat/completions", "{}").protocol == Protocol::kChat);
}

TEST_CASE("Gemini has the model in the path, or in the body of a Google login") {
  const Asked key = ask("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "{}");
  CHECK(key.protocol == Protocol::kGemini);
  CHECK(key.model == "gemini-2.5-pro");
  CHECK(key.streams);
  const Asked login =
      ask("/v1internal:generateContent", R"({"model":"gemini-x","request":{"tools":[{"a":1}]}})");
  CHECK(login.model == "gemini-x");
  CHECK(login.is_wrapped);
  CHECK(login.has_tools);
  CHECK_FALSE(login.streams);
}

TEST_CASE("what asks no model is not counted") {
  CHECK(ask("/v1/messages", "", "GET").protocol == Protocol::kNone);
  CHECK(ask("/v1/messages/count_tokens", "{}").protocol == Protocol::kNone);
  CHECK(ask("/", "", "HEAD").protocol == Protocol::kNone);
}

}  // namespace
