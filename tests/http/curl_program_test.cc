// The same requests as in request_test.cc, where libcurl cannot be loaded.
#include "http/curl_program.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>
#include <utility>

#include "loop/loop.h"
#include "loop/timer.h"
#include "test_server.h"

namespace orch::http {
namespace {

using ProgramOutcome = std::variant<Response, Failure>;

struct ProgramScene {
  explicit ProgramScene(TestServer::OnRequest on_request) : server(loop, std::move(on_request)) {
    ::setenv("no_proxy", "*", 1);  // NOLINT(concurrency-mt-unsafe)
    deadline.start(30'000, [] { FAIL("the request did not come to its end"); });
  }

  ProgramOutcome post(std::string body, const Limits& limits = {}) {
    RequestPlan plan;
    plan.method = "POST";
    plan.url = server.url("/v1/chat?key=hidden");
    plan.headers = {"Authorization: Bearer a\"b\\c", "Content-Type: application/json"};
    plan.body = std::move(body);
    plan.limits = limits;
    return run(std::move(plan));
  }

  ProgramOutcome run(RequestPlan plan) {
    std::optional<ProgramOutcome> outcome;
    auto program = CurlProgram::start(loop, std::move(plan), "POST here", [&](ProgramOutcome done) {
      outcome = std::move(done);
      loop.stop();
    });
    REQUIRE(program.ok());
    loop.run();
    REQUIRE(outcome);
    return *outcome;
  }

  loop::Loop loop;
  TestServer server;
  loop::Timer deadline{loop};
};

}  // namespace

TEST_CASE(
    "by the program curl a request arrives with its headers and body, and so does the response") {
  std::string got;
  ProgramScene scene([&](size_t, const TestServer::Exchange& exchange) {
    got = exchange.request;
    exchange.write("HTTP/1.1 100 Continue\r\n\r\n" + answer("429 Too Many Requests",
                                                            "{\"error\":1}\r\n\r\nHTTP/1.1",
                                                            "Retry-After: 7\r\n"));
  });
  const std::string body = "@" + std::string(300'000, 'x') + "\n\"\\\r\n";
  const Response response = std::get<Response>(scene.post(body));
  CHECK(response.status == 429);
  CHECK(response.header("retry-after") == "7");
  CHECK(response.body == "{\"error\":1}\r\n\r\nHTTP/1.1");
  CHECK(got.starts_with("POST /v1/chat?key=hidden HTTP/1.1\r\n"));
  CHECK(got.find("\r\nAuthorization: Bearer a\"b\\c\r\n") != std::string::npos);
  CHECK(got.find("Expect:") == std::string::npos);
  CHECK(got.ends_with("\r\n\r\n" + body));
}

TEST_CASE("by the program curl failures have their kinds") {
  using Kind = Failure::Kind;
  ProgramScene scene([&](size_t number, const TestServer::Exchange& exchange) {
    if (number == 0) exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\nhalf");
    if (number <= 1) exchange.close();
    if (number == 2) exchange.write(answer("200 OK", std::string(2'000'000, 'x')));
  });
  CHECK(std::get<Failure>(scene.post("{}")).kind == Kind::kCut);
  CHECK(std::get<Failure>(scene.post("{}")).kind == Kind::kCut);
  CHECK(std::get<Failure>(scene.post("{}", {.response_bytes = 1'000})).kind == Kind::kTooLarge);
  CHECK(std::get<Failure>(scene.post("{}", {.total_ms = 1'000})).kind == Kind::kTimeout);
  RequestPlan nobody;
  nobody.url = "http://127.0.0.1:1/";
  const Failure refused = std::get<Failure>(scene.run(nobody));
  CHECK(refused.kind == Kind::kConnect);
  CHECK(refused.text.starts_with("POST here: Failed to connect"));
}

}  // namespace orch::http
