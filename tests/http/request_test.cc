#include "http/request.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>

#include "loop/loop.h"
#include "loop/timer.h"
#include "test_server.h"

namespace orch::http {
namespace {

using Outcome = std::variant<Response, Failure>;

struct Scene {
  explicit Scene(TestServer::OnRequest on_request) : server(loop, std::move(on_request)) {
    ::setenv("no_proxy", "*", 1);  // NOLINT(concurrency-mt-unsafe)
    deadline.start(20'000, [] { FAIL("the request did not come to its end"); });
  }

  RequestPlan post(const std::string& path) const {
    RequestPlan plan;
    plan.method = "POST";
    plan.url = server.url(path);
    plan.headers = {"Authorization: Bearer key", "Content-Type: application/json"};
    plan.body = "{}";
    return plan;
  }

  Outcome run(RequestPlan plan) {
    std::optional<Outcome> outcome;
    auto request = Request::start(loop, std::move(plan), [&](Outcome done) {
      outcome = std::move(done);
      loop.stop();
    });
    REQUIRE(request.ok());
    loop.run();
    REQUIRE(outcome);
    return *outcome;
  }
  Failure failure_of(RequestPlan plan) { return std::get<Failure>(run(std::move(plan))); }

  loop::Loop loop;
  TestServer server;
  loop::Timer deadline{loop};
};

bool holds(const std::string& text, const std::string& words) {
  INFO(text);
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a request arrives with its headers and body, and the response with its own") {
  std::string got;
  Scene scene([&](size_t, const TestServer::Exchange& exchange) {
    got = exchange.request;
    exchange.write(answer("429 Too Many Requests", "{\"error\":1}", "Retry-After: 7\r\n"));
  });
  RequestPlan plan = scene.post("/v1/chat?key=hidden");
  plan.body = std::string(2'000'000, 'x');
  const Response response = std::get<Response>(scene.run(plan));
  CHECK(response.status == 429);
  CHECK(response.header("retry-after") == "7");
  CHECK(response.header("missing").empty());
  CHECK(response.body == "{\"error\":1}");
  CHECK(got.starts_with("POST /v1/chat?key=hidden HTTP/1.1\r\n"));
  CHECK(holds(got.substr(0, 400), "\r\nAuthorization: Bearer key\r\n"));
  CHECK_FALSE(holds(got.substr(0, 400), "Expect:"));
  CHECK(got.ends_with("\r\n\r\n" + plan.body));
}

TEST_CASE("a response that comes in chunks and slowly is whole") {
  loop::Loop* loop = nullptr;
  std::optional<loop::Timer> slow;
  Scene scene([&](size_t, const TestServer::Exchange& exchange) {
    exchange.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
    slow.emplace(*loop);
    slow->start(50, [write = exchange.write] { write("3\r\ntwo\r\n0\r\n\r\n"); });
  });
  loop = &scene.loop;
  CHECK(std::get<Response>(scene.run(scene.post("/"))).body == "onetwo");
  slow.reset();
}

TEST_CASE("a connection that breaks in the middle is a failure of its own") {
  Scene scene([](size_t number, const TestServer::Exchange& exchange) {
    if (number == 0) exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    if (number == 0) exchange.write("of it");
    exchange.close();
  });
  CHECK(scene.failure_of(scene.post("/")).kind == Failure::Kind::kCut);
  CHECK(scene.failure_of(scene.post("/")).kind == Failure::Kind::kCut);
}

TEST_CASE("a response that is too large is refused before it is read") {
  const std::string much(100'000, 'x');
  bool chunked = false;
  Scene scene([&](size_t, const TestServer::Exchange& exchange) {
    if (!chunked) return exchange.write(answer("200 OK", much));
    exchange.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 100; ++i) exchange.write("186a0\r\n" + much + "\r\n");
  });
  for (const bool in_chunks : {false, true}) {
    INFO(in_chunks);
    chunked = in_chunks;
    RequestPlan plan = scene.post("/");
    plan.limits.response_bytes = 50'000;
    const Failure failure = scene.failure_of(plan);
    CHECK(failure.kind == Failure::Kind::kTooLarge);
    CHECK(holds(failure.text, "larger than 50000 bytes"));
  }
  RequestPlan plan = scene.post("/");
  chunked = false;
  plan.limits.response_bytes = much.size();
  CHECK(std::get<Response>(scene.run(plan)).body == much);
}

TEST_CASE("silence and the whole have limits") {
  Scene scene([](size_t, const TestServer::Exchange&) {});
  RequestPlan plan = scene.post("/?q=hidden");
  plan.limits.silence_ms = 50;
  const Failure silent = scene.failure_of(plan);
  CHECK(silent.kind == Failure::Kind::kTimeout);
  CHECK(silent.text == "POST " + scene.server.url("/") + ": no byte for 50 ms");
  plan.limits = {.total_ms = 60};
  const Failure late = scene.failure_of(plan);
  CHECK(late.kind == Failure::Kind::kTimeout);
  CHECK(holds(late.text, "no answer within 60 ms"));
}

TEST_CASE("what nobody answers is told in one line without the query") {
  std::string url;
  {
    Scene gone([](size_t, const TestServer::Exchange&) {});
    url = gone.server.url("/v1?q=hidden");
  }
  Scene scene([](size_t, const TestServer::Exchange&) {});
  RequestPlan plan = scene.post("");
  plan.url = url;
  const Failure failure = scene.failure_of(plan);
  CHECK(failure.kind == Failure::Kind::kConnect);
  CHECK(failure.text.starts_with("POST http://127.0.0.1:"));
  CHECK(holds(failure.text, "/v1: "));
  CHECK_FALSE(holds(failure.text, "hidden"));
}

TEST_CASE("a redirect is a response, and the other host hears nothing") {
  Scene other([](size_t, const TestServer::Exchange& exchange) {
    exchange.write(answer("200 OK", "stolen"));
  });
  Scene scene([&](size_t, const TestServer::Exchange& exchange) {
    exchange.write(answer("302 Found", "", "Location: " + other.server.url("/") + "\r\n"));
  });
  CHECK(std::get<Response>(scene.run(scene.post("/"))).status == 302);
  CHECK(other.server.connections() == 0);
}

TEST_CASE("a request that is destroyed is cancelled and its connection closed") {
  std::unique_ptr<Request> request;
  Scene scene([&](size_t, const TestServer::Exchange& exchange) {
    exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    request.reset();
  });
  loop::Timer look(scene.loop);
  const std::function<void()> until_closed = [&] {
    if (!request && scene.server.connections() == 1 && scene.server.open() == 0) {
      return scene.loop.stop();
    }
    look.start(5, until_closed);
  };
  until_closed();
  request = Request::start(scene.loop, scene.post("/"), [](const Outcome&) {
              FAIL("it was cancelled");
            }).value();
  scene.loop.run();
}

TEST_CASE("a proxy of the environment is asked instead of the host") {
  std::string got;
  Scene scene([&](size_t, const TestServer::Exchange& exchange) {
    got = exchange.request;
    exchange.write(answer("200 OK", "by proxy"));
  });
  ::unsetenv("no_proxy");                                 // NOLINT(concurrency-mt-unsafe)
  ::setenv("http_proxy", scene.server.url().c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  RequestPlan plan = scene.post("");
  plan.url = "http://model.invalid/v1";
  CHECK(std::get<Response>(scene.run(plan)).body == "by proxy");
  ::unsetenv("http_proxy");  // NOLINT(concurrency-mt-unsafe)
  CHECK(got.starts_with("POST http://model.invalid/v1 HTTP/1.1\r\n"));
}

TEST_CASE("what is not an address of HTTP, or forges a header, is refused") {
  loop::Loop loop;
  const auto error_of = [&](const std::string& url, const std::string& header) {
    RequestPlan plan;
    plan.url = url;
    plan.headers = {header};
    auto request = Request::start(loop, std::move(plan), nullptr);
    REQUIRE_FALSE(request.ok());
    CHECK(request.error().code == base::ErrorCode::kUsage);
    return request.error().text;
  };
  CHECK(holds(error_of("file:///etc/passwd", "A: b"), "not an address"));
  CHECK(holds(error_of("model.example/v1", "A: b"), "not an address"));
  CHECK(holds(error_of("https:///v1", "A: b"), "not an address"));
  const std::string password = error_of("https://me:secret@model.example/", "A: b");
  CHECK(holds(password, "password"));
  CHECK_FALSE(holds(password, "secret"));
  CHECK(holds(error_of("https://model.example/", "A: b\r\nC: d"), "end of line"));
}

}  // namespace orch::http
