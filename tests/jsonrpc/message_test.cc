#include "jsonrpc/message.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

using namespace orch::jsonrpc;
using orch::base::Json;

namespace {

// The code of the error with which a line is answered at once.
int refused_with(std::string_view line, const Json& id = nullptr) {
  const Message message = read_message(line);
  const auto* malformed = std::get_if<Malformed>(&message);
  if (malformed == nullptr) return 0;
  CHECK(malformed->answer.ends_with('\n'));
  const Json answer = Json::parse(malformed->answer);
  CHECK(answer.at("jsonrpc") == "2.0");
  CHECK(answer.at("id") == id);
  return answer.at("error").at("code");
}

template <typename Kind>
bool is(std::string_view line) {
  return std::holds_alternative<Kind>(read_message(line));
}

}  // namespace

TEST_CASE("a request has an id that is a string or a number") {
  const Message message =
      read_message(R"({"jsonrpc":"2.0","id":"a","method":"m","params":{"x":[1]}})");
  REQUIRE(std::holds_alternative<Request>(message));
  const auto& request = std::get<Request>(message);
  CHECK(request.id == "a");
  CHECK(request.method == "m");
  CHECK(request.params.at("x").at(0) == 1);
  for (const char* id : {"0", "-1", "7", "1.5", "\"\"", "\"7\""}) {
    INFO(id);
    CHECK(is<Request>(R"({"jsonrpc":"2.0","method":"m","id":)" + std::string(id) + "}"));
  }
  for (const char* id : {"null", "true", "[]", "{}"}) {
    INFO(id);
    CHECK(refused_with(R"({"jsonrpc":"2.0","method":"m","id":)" + std::string(id) + "}") == -32600);
  }
}

TEST_CASE("without an id it is a notification, which is never answered") {
  CHECK(is<Notification>(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
  CHECK(is<Notification>(R"({"jsonrpc":"2.0","method":"m","params":null})"));
  CHECK(is<Ignored>(R"({"jsonrpc":"2.0","method":"m","params":[1]})"));
}

TEST_CASE("a response names the request that it answers; without an id it is ignored") {
  const Message done = read_message(R"({"jsonrpc":"2.0","id":1,"result":{"x":2}})");
  REQUIRE(std::holds_alternative<Response>(done));
  CHECK(std::get<Response>(done).id == 1);
  CHECK(std::get<Response>(done).result.at("x") == 2);
  CHECK_FALSE(std::get<Response>(done).is_error);
  const Message failed =
      read_message(R"({"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"x"}})");
  REQUIRE(std::holds_alternative<Response>(failed));
  CHECK(std::get<Response>(failed).is_error);
  CHECK(std::get<Response>(failed).result.is_null());
  CHECK(is<Ignored>(R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}})"));
}

TEST_CASE("what is no JSON, no request or no object of parameters has the protocol's errors") {
  for (const char* line : {"garbage", "{", "{\"jsonrpc\":\"2.0\",}", "\xff", "{}{}"}) {
    INFO(line);
    CHECK(refused_with(line) == -32700);
  }
  for (const char* line :
       {"1", "\"x\"", "null", "[]", R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", "{}",
        R"({"jsonrpc":"2.0"})"}) {
    INFO(line);
    CHECK(refused_with(line) == -32600);
  }
  CHECK(refused_with(R"({"id":1,"method":"m"})", 1) == -32600);
  CHECK(refused_with(R"({"jsonrpc":"1.0","id":1,"method":"m"})", 1) == -32600);
  CHECK(refused_with(R"({"jsonrpc":"2.0","id":1,"method":2})", 1) == -32600);
  CHECK(refused_with(R"({"jsonrpc":"2.0","id":1,"method":"m","params":[]})", 1) == -32602);
}

TEST_CASE("what is nested too deep is refused, however deep it is") {
  const std::string start = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"x":)";
  for (const size_t depth : {size_t{65}, size_t{1000}, size_t{1} << 17}) {
    CHECK(refused_with(start + std::string(depth, '[') + std::string(depth, ']') + "}}") == -32700);
    CHECK(refused_with(std::string(depth, '[')) == -32700);
  }
  CHECK(is<Request>(start + "[[[[[[[[]]]]]]]]}}"));
}

TEST_CASE("many members cost no more than their number") {
  std::string params = "{";
  for (int i = 0; i < 50'000; ++i) params += "\"k" + std::to_string(i) + "\":1,";
  params += "\"last\":1}";
  const std::string line = R"({"jsonrpc":"2.0","id":1,"method":"m","params":)" + params + "}";
  CHECK(is<Request>(line));  // a search along all of them would take minutes
}

TEST_CASE("answers are one line of visible text") {
  const std::string line = result_line("\n\u202e", Json{{"text", "a\nb\u202e"}});
  CHECK(line.find('\n') == line.size() - 1);
  CHECK(line.find("\u202e") == std::string::npos);
  const Json read = Json::parse(line);
  CHECK(read.at("id") == "\n\u202e");
  CHECK(read.at("result").at("text") == "a\nb\u202e");
  const Json error = Json::parse(error_line(3, ErrorCode::kNoSuchMethod, "no \x1b method"));
  CHECK(error.at("error").at("message") == "no \uFFFD method");
}

TEST_CASE("no bytes are more than a message or an answer") {
  std::mt19937 random(5);
  const std::string request = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"b"}})";
  for (int round = 0; round < 6'000; ++round) {
    std::string line = round % 2 == 0 ? request : std::string(random() % 40, ' ');
    for (auto changes = random() % 4; changes > 0 && !line.empty(); --changes) {
      line[random() % line.size()] = static_cast<char>(random());
    }
    const Message message = read_message(line);
    if (const auto* malformed = std::get_if<Malformed>(&message)) {
      REQUIRE(Json::accept(malformed->answer));
      REQUIRE(malformed->answer.find('\n') == malformed->answer.size() - 1);
    }
  }
}

TEST_CASE("requests, notifications and errors with data are one line of valid JSON each") {
  const Json asked = Json::parse(request_line(7, "m", Json{{"text", "\xff\n\x1b"}}));
  CHECK(asked.at("id") == 7);
  CHECK(asked.at("params").at("text") == "\xef\xbf\xbd\n\x1b");
  const std::string told = notification_line("n", Json::object());
  CHECK(told == "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}\n");
  const Json failed =
      Json::parse(error_line(1, ErrorCode::kInternal, "x", Json{{"kind", "timeout"}}));
  CHECK(failed.at("error").at("data").at("kind") == "timeout");
  CHECK_FALSE(Json::parse(error_line(1, ErrorCode::kInternal, "x")).at("error").contains("data"));
  CHECK(Json::parse(long_line_error()).at("error").at("code") == -32700);
}
