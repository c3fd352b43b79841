#include "gateway/gateway.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "loop/loop.h"
#include "loop/stream.h"
#include "loop/timer.h"
#include "test_server.h"

namespace orch::gateway {
namespace {

using http::TestServer;

bool holds(const std::string& text, const std::string& words) {
  INFO(text);
  return text.find(words) != std::string::npos;
}

// A client that writes bytes as they are.
class Raw {
 public:
  Raw(loop::Loop& loop, uint16_t port) {
    base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::fcntl(socket.get(), F_SETFL, O_NONBLOCK) == 0);
    stream = std::make_unique<loop::Stream>(
        loop, std::move(socket),
        loop::Stream::Callbacks{.on_data = [this](std::string_view bytes) { got += bytes; },
                                .on_closed =
                                    [this] {
                                      closed = true;
                                      stream.reset();
                                    },
                                .on_drained = nullptr});
  }
  std::string got;
  bool closed = false;
  std::unique_ptr<loop::Stream> stream;
};

constexpr const char* kAnswer = R"({"model":"m","usage":{"input_tokens":50,"output_tokens":10}})";

// A gateway in front of a server of the test's, and its reports.
struct Scene {
  explicit Scene(
      TestServer::OnRequest on_request =
          [](size_t, const TestServer::Exchange& it) {
            it.write(http::answer("200 OK", kAnswer, "Content-Type: application/json\r\n"));
          },
      Limits limits = {}, std::optional<KeyHeader> key = {})
      : server(loop, std::move(on_request)) {
    ::setenv("no_proxy", "*", 1);  // NOLINT(concurrency-mt-unsafe)
    deadline.start(20'000, [] { FAIL("nothing came to its end"); });
    Plan plan;
    plan.spec.address = plan.address = server.url("/base");
    plan.spec.route.env = {{"URL", "{url}"}};
    plan.spec.own_provider = "orch";
    plan.secret = "s3cret";
    plan.key = std::move(key);
    plan.limits = limits;
    auto opened =
        Gateway::open(loop, std::move(plan),
                      {.on_usage = [this](const event::Usage& one) { event::add(usage, one); },
                       .on_used_up = [this](const std::string& why) { used_up = why; },
                       .on_note = [this](const std::string& note) { notes.push_back(note); },
                       .on_asking = [this](bool asks) { asked += asks ? "asks " : "rests "; }});
    REQUIRE(opened.ok());
    gateway = std::move(opened).value();
  }

  // Runs the loop until the condition holds.
  template <typename Condition>
  void until(const Condition& holds) {
    loop::Timer look(loop);
    std::function<void()> again = [&] {
      if (holds()) return loop.stop();
      look.start(1, again);
    };
    again();
    if (!holds()) loop.run();
  }

  // What the gateway answers to these bytes, up to `end`.
  std::string ask(const std::string& bytes, const std::string& end = "}") {
    Raw client(loop, gateway->port());
    client.stream->write(bytes);
    until([&] { return client.closed || client.got.ends_with(end); });
    return client.got;
  }
  static std::string post(const std::string& target, const std::string& headers = "") {
    return "POST " + target + " HTTP/1.1\r\nHost: x\r\n" + headers +
           "Content-Length: 14\r\n\r\n{\"stream\":true";
  }

  loop::Loop loop;
  TestServer server;
  loop::Timer deadline{loop};
  event::Usage usage;
  std::string used_up, asked;
  std::vector<std::string> notes;
  std::unique_ptr<Gateway> gateway;
};

TEST_CASE("a request goes on below the model's address, without the secret") {
  std::string got;
  Scene scene([&](size_t, const TestServer::Exchange& it) {
    got = it.request;
    it.write(http::answer("200 OK", kAnswer, "X-Other: 1\r\nContent-Type: application/json\r\n"));
  });
  const std::string answer = scene.ask(
      Scene::post("/s3cret/v1/messages?beta=true", "anthropic-beta: b\r\nAccept-Encoding: br\r\n"));
  CHECK(got.starts_with("POST /base/v1/messages?beta=true HTTP/1.1\r\n"));
  CHECK(holds(got, "anthropic-beta: b\r\n"));
  CHECK(holds(got, "Accept-Encoding: identity\r\n"));
  CHECK_FALSE(holds(got, "s3cret"));
  CHECK_FALSE(holds(got, "User-Agent"));
  CHECK(holds(answer, "HTTP/1.1 200 OK\r\n"));
  CHECK(holds(answer, "x-other: 1\r\n"));
  CHECK(answer.ends_with(kAnswer));
  CHECK(scene.usage.in == 50);
  CHECK(scene.usage.out == 10);
  CHECK(scene.gateway->words().env.at("URL").ends_with("/s3cret"));
}

TEST_CASE("an answer without usage is named once, with what it means for a budget") {
  Scene scene(
      [](size_t, const TestServer::Exchange& it) { it.write(http::answer("200 OK", "{}")); });
  scene.ask(Scene::post("/s3cret/v1/messages"));
  scene.ask(Scene::post("/s3cret/v1/messages"));
  CHECK(scene.notes ==
        std::vector<std::string>{"the model's answers do not say how many tokens they used: orch "
                                 "cannot count them"});
}

TEST_CASE("the secret may come as a header, which does not go on") {
  std::string got;
  Scene scene([&](size_t, const TestServer::Exchange& it) {
    got = it.request;
    it.write(http::answer("200 OK", "{}"));
  });
  CHECK(holds(scene.ask(Scene::post("/responses", "X-Orch-Gateway: s3cret\r\n")), " 200 "));
  CHECK_FALSE(holds(got, "rch-"));
}

TEST_CASE("nobody without the secret gets through, and none of these ways around it") {
  Scene scene;
  CHECK(holds(scene.ask(Scene::post("/v1/messages")), " 403 "));
  CHECK(holds(scene.ask(Scene::post("/s3creT/v1/messages")), " 403 "));
  CHECK(holds(scene.ask(Scene::post("/s3cretx/v1/messages")), " 403 "));
  CHECK(holds(scene.ask(Scene::post("/", "X-Orch-Gateway: s3cre\r\n")), " 403 "));
  CHECK(holds(scene.ask("POST /x HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"), " 403 "));
  CHECK(holds(scene.ask(Scene::post("http://example.com/s3cret/v1")), " 400 "));
  CHECK(holds(scene.ask("CONNECT example.com:443 HTTP/1.1\r\n\r\n"), " 405 "));
  CHECK(holds(scene.ask("TRACE /s3cret/v1/messages HTTP/1.1\r\n\r\n"), " 405 "));
  CHECK(holds(scene.ask("trace /s3cret/v1/messages HTTP/1.1\r\n\r\n"), " 405 "));
  CHECK(holds(scene.ask("POST /s3cret/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: "
                        "chunked\r\n\r\n"),
              " 400 "));
  CHECK(holds(scene.ask("GET /s3cret/v1 HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"), " 426 "));
  CHECK(scene.server.requests() == 0);
}

TEST_CASE("a target cannot change the host, nor climb out of the model's address") {
  std::string got;
  Scene scene([&](size_t, const TestServer::Exchange& it) {
    got = it.request;
    it.write(http::answer("200 OK", "{}"));
  });
  scene.ask(Scene::post("/s3cret/../@example.com/x"));
  CHECK(got.starts_with("POST /base/../@example.com/x HTTP/1.1\r\n"));
}

TEST_CASE("with a key of its own the gateway sends that, and none of the agent's") {
  std::string got;
  Scene scene(
      [&](size_t, const TestServer::Exchange& it) {
        got = it.request;
        it.write(http::answer("200 OK", "{}"));
      },
      {}, KeyHeader{"x-api-key", "real"});
  scene.ask(
      Scene::post("/s3cret/v1/messages", "Authorization: Bearer s3cret\r\nX-Api-Key: dummy\r\n"));
  CHECK(holds(got, "x-api-key: real\r\n"));
  CHECK_FALSE(holds(got, "s3cret"));
  CHECK_FALSE(holds(got, "dummy"));
}

TEST_CASE("once the budget is used up no request is sent, and the turn ends by orch") {
  Scene scene(
      [](size_t, const TestServer::Exchange& it) {
        it.write(http::answer("200 OK", kAnswer, "Content-Type: application/json\r\n"));
      },
      {.tokens = 60});
  scene.ask(Scene::post("/s3cret/v1/messages"));
  CHECK(scene.used_up.empty());
  const std::string end = scene.ask(Scene::post("/s3cret/v1/messages"), "\n\n");
  CHECK(holds(end, "[orch] This run's budget is used up (--max-tokens 60: 60 used)"));
  CHECK(holds(end, "HTTP/1.1 200 OK"));
  CHECK(scene.used_up == "--max-tokens 60: 60 used");
  CHECK(scene.server.requests() == 1);
  // What asks no model passes.
  CHECK(holds(scene.ask(Scene::post("/s3cret/v1/messages/count_tokens")), " 200 "));
  CHECK(scene.server.requests() == 2);
}

TEST_CASE("each piece of an answer goes on as it comes, and the connection stays") {
  std::function<void(std::string)> write;
  Scene scene([&](size_t, const TestServer::Exchange& it) { write = it.write; });
  Raw client(scene.loop, scene.gateway->port());
  client.stream->write(Scene::post("/s3cret/v1/messages"));
  scene.until([&] { return write != nullptr; });
  write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
  write("7\r\ndata: 1\r\n");
  scene.until([&] { return holds(client.got, "data: 1\r\n"); });
  CHECK_FALSE(holds(client.got, "data: 2"));
  write("7\r\ndata: 2\r\n0\r\n\r\n");
  scene.until([&] { return client.got.ends_with("7\r\ndata: 2\r\n0\r\n\r\n"); });
  client.got.clear();
  client.stream->write(Scene::post("/nothing"));
  scene.until([&] { return client.closed; });
  CHECK(holds(client.got, " 403 "));
}

TEST_CASE("a turn's request is told when it begins and ends, and a side request is not") {
  Scene scene;
  scene.ask(Scene::post("/s3cret/v1/messages"));
  CHECK(scene.asked.empty());
  scene.ask("POST /s3cret/v1/messages HTTP/1.1\r\nContent-Length: 14\r\n\r\n{\"tools\":[{}]}");
  CHECK(scene.asked == "asks rests ");
}

TEST_CASE("a client that hangs up ends its request at the model") {
  Scene scene([](size_t, const TestServer::Exchange&) {});  // silent
  {
    Raw client(scene.loop, scene.gateway->port());
    client.stream->write(Scene::post("/s3cret/v1/messages"));
    scene.until([&] { return scene.server.requests() == 1; });
    CHECK(scene.server.open() == 1);
  }
  scene.until([&] { return scene.server.open() == 0; });
}

TEST_CASE("an answer that breaks off breaks off for the client, and what it reported is counted") {
  std::function<void()> close;
  Scene scene([&](size_t, const TestServer::Exchange& it) {
    it.write(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        "34\r\ndata: {\"message\":{\"usage\":{\"input_tokens\":50}}}    \n\n\r\n");
    close = it.close;
  });
  Raw client(scene.loop, scene.gateway->port());
  client.stream->write(Scene::post("/s3cret/v1/messages"));
  scene.until([&] { return client.got.find("input_tokens") != std::string::npos; });
  close();
  scene.until([&] { return client.closed; });
  CHECK_FALSE(holds(client.got, "0\r\n\r\n"));
  CHECK(scene.usage.in == 50);
}

TEST_CASE("a model that cannot be reached is an error that names the gateway") {
  Scene scene([](size_t, const TestServer::Exchange& it) { it.close(); });
  const std::string got = scene.ask(Scene::post("/s3cret/v1/messages"));
  CHECK(holds(got, " 502 "));
  CHECK(holds(got, "orch's gateway: POST"));
}

TEST_CASE("an answer that another server splits in two stays one") {
  Scene scene([](size_t, const TestServer::Exchange& it) {
    it.write("HTTP/1.1 200 OK\r\nX-A: b\x01c\r\nContent-Length: 2\r\n\r\n{}");
  });
  const std::string got = scene.ask(Scene::post("/s3cret/v1/messages"));
  CHECK_FALSE(holds(got, "x-a"));
}

TEST_CASE("strangers who keep connections open do not keep the agent out") {
  Scene scene;
  std::vector<std::unique_ptr<Raw>> strangers;
  for (int i = 0; i < 300; ++i) {
    strangers.push_back(std::make_unique<Raw>(scene.loop, scene.gateway->port()));
    if (i % 50 == 0) scene.ask(Scene::post("/s3cret/v1/messages"));
  }
  CHECK(holds(scene.ask(Scene::post("/s3cret/v1/messages")), " 200 "));
}

}  // namespace
}  // namespace orch::gateway
