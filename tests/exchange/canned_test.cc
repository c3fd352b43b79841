#include "exchange/canned.h"

#include <catch2/catch.hpp>

#include "base/json.h"
#include "exchange/usage.h"

namespace {

using namespace orch::exchange;

TEST_CASE("a canned end of turn is JSON in every protocol, has the text, and used nothing") {
  for (const Protocol protocol :
       {Protocol::kAnthropic, Protocol::kResponses, Protocol::kChat, Protocol::kGemini}) {
    for (const bool streams : {false, true}) {
      const Asked asked{.protocol = protocol, .model = "m\"x", .streams = streams};
      const Canned end = canned_end(asked, "the \"budget\"", "7");
      CHECK(end.body.find(R"(the \"budget\")") != std::string::npos);
      CHECK(end.content_type == (streams ? "text/event-stream" : "application/json"));
      if (!streams) CHECK_FALSE(orch::base::parse_json(end.body).is_discarded());
      UsageReader reader(protocol, streams);
      reader.feed(end.body);
      reader.end();
      CHECK_FALSE(reader.counts().any());
    }
  }
}

TEST_CASE("the events of a canned end of turn are in the order of the protocol") {
  const Canned end = canned_end({.protocol = Protocol::kAnthropic, .streams = true}, "x", "7");
  size_t at = 0;
  for (const char* type : {"message_start", "content_block_start", "content_block_delta",
                           "content_block_stop", "message_delta", "message_stop"}) {
    at = end.body.find(std::string("event: ") + type, at);
    REQUIRE(at != std::string::npos);
  }
  CHECK(end.body.find("\"end_turn\"") != std::string::npos);
}

TEST_CASE("a Google login gets its answers wrapped") {
  const Asked asked{.protocol = Protocol::kGemini, .is_wrapped = true};
  CHECK(orch::base::parse_json(canned_end(asked, "x", "7").body).contains("response"));
}

}  // namespace
