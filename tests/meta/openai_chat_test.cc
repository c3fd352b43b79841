#include "meta/openai_chat.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>

#include "meta/make_provider.h"
#include "test_server.h"

namespace orch::meta {
namespace {

constexpr const char* kKey = "k3y-of-the-test-Aa1";
constexpr const char* kGood =
    R"({"choices":[{"message":{"content":"fine"},"finish_reason":"stop"}]})";

struct Scene {
  explicit Scene(http::TestServer::OnRequest on_request) : server(loop, std::move(on_request)) {
    ::setenv("no_proxy", "*", 1);  // NOLINT(concurrency-mt-unsafe)
    deadline.start(20'000, [] { FAIL("no answer"); });
    config.base_url = server.url("/v1/");
    config.key = kKey;
    config.model = "m-1";
    config.backoff = {.attempts = 4, .first_ms = 2, .most_ms = 4, .total_ms = 10'000};
  }

  base::Result<Answer> ask() {
    OpenAiChat chat(loop, config);
    std::optional<base::Result<Answer>> result;
    chat.ask({"system", "user"}, [&](base::Result<Answer> answer) {
      result.emplace(std::move(answer));
      loop.stop();
    });
    CHECK_FALSE(result);
    loop.run();
    return *result;
  }
  std::string error() {
    const base::Result<Answer> answer = ask();
    REQUIRE_FALSE(answer.ok());
    const std::string& text = answer.error().text;
    INFO(text);
    CHECK(text.starts_with("openai-chat: "));
    CHECK(text.find('\n') == std::string::npos);
    CHECK(text.find(kKey) == std::string::npos);
    return text;
  }

  loop::Loop loop;
  http::TestServer server;
  loop::Timer deadline{loop};
  ChatConfig config;
};

bool holds(const std::string& text, const std::string& words) {
  INFO(text);
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a question is posted with its key, and answered") {
  std::string got;
  Scene scene([&](size_t, const http::TestServer::Exchange& exchange) {
    got = exchange.request;
    exchange.write(http::answer("200 OK", kGood));
  });
  CHECK(scene.ask().value().text == "fine");
  CHECK(got.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
  CHECK(holds(got, std::string("\r\nAuthorization: Bearer ") + kKey + "\r\n"));
  CHECK(holds(got, R"("model":"m-1")"));
  scene.config.key.clear();
  CHECK(scene.ask().ok());
  CHECK_FALSE(holds(got, "Authorization"));
}

TEST_CASE("a limit is waited for as the server asks, and then answered") {
  std::optional<int64_t> first, second;
  loop::Loop* loop = nullptr;
  Scene scene([&](size_t number, const http::TestServer::Exchange& exchange) {
    (number == 0 ? first : second) = loop->now_ms();
    exchange.write(number == 0 ? http::answer("429 Too Many", "{}", "Retry-After: 1\r\n")
                               : http::answer("200 OK", kGood));
  });
  loop = &scene.loop;
  CHECK(scene.ask().value().text == "fine");
  CHECK(scene.server.requests() == 2);
  CHECK(*second - *first >= 1'000);
}

TEST_CASE("a limit beyond the end is told at once") {
  Scene scene([](size_t, const http::TestServer::Exchange& exchange) {
    exchange.write(http::answer("429 Too Many", R"({"error":{"message":"slow down"}})",
                                "Retry-After: 3600\r\n"));
  });
  CHECK(holds(scene.error(), "429: slow down (attempt 1, to be repeated in 3600 s)"));
  CHECK(scene.server.requests() == 1);
}

TEST_CASE("an empty account is not asked again") {
  Scene scene([](size_t, const http::TestServer::Exchange& exchange) {
    exchange.write(
        http::answer("429 Too Many", R"({"error":{"message":"pay","code":"insufficient_quota"}})"));
  });
  CHECK(holds(scene.error(), "429: pay"));
  CHECK(scene.server.requests() == 1);
}

TEST_CASE("a server that fails for ever is asked as often as is allowed") {
  Scene scene([](size_t, const http::TestServer::Exchange& exchange) {
    exchange.write(http::answer("503 Busy", R"({"error":{"message":"over\u001b[2J loaded"}})"));
  });
  CHECK(holds(scene.error(), "503: over\xef\xbf\xbd[2J loaded (attempt 4)"));
  CHECK(scene.server.requests() == 4);
}

TEST_CASE("a connection that breaks is tried again; one that nobody takes, too") {
  Scene scene([](size_t number, const http::TestServer::Exchange& exchange) {
    if (number == 0) return exchange.close();
    exchange.write(http::answer("200 OK", kGood));
  });
  CHECK(scene.ask().value().text == "fine");
  {
    Scene gone([](size_t, const http::TestServer::Exchange&) {});
    scene.config.base_url = gone.server.url();
  }
  CHECK(holds(scene.error(), "(attempt 4)"));
}

TEST_CASE("a refused key is told once, without the key that the server repeats") {
  Scene scene([](size_t, const http::TestServer::Exchange& exchange) {
    exchange.write(http::answer(
        "401 No", std::string(R"({"error":{"message":"Incorrect API key: )") + kKey + "\"}}"));
  });
  CHECK(holds(scene.error(), "401: Incorrect API key: ***"));
  CHECK(scene.server.requests() == 1);
}

TEST_CASE("nonsense, a redirect, silence and 10 MB are errors of one line") {
  std::function<void(const http::TestServer::Exchange&)> reply;
  Scene scene([&](size_t, const http::TestServer::Exchange& exchange) { reply(exchange); });
  reply = [](const auto& exchange) { exchange.write(http::answer("200 OK", "<html>\x1b[2J no")); };
  CHECK(holds(scene.error(), "not the JSON"));
  reply = [](const auto& exchange) {
    exchange.write(http::answer("302 Found", "", "Location: https://other.example/\r\n"));
  };
  CHECK(holds(scene.error(), "302: it redirects to \"https://other.example/\""));
  reply = [](const auto& exchange) {
    exchange.write(http::answer("200 OK", std::string(10'000'000, 'x')));
  };
  CHECK(holds(scene.error(), "larger than"));
  CHECK(scene.server.requests() == 3);
  reply = [](const auto&) {};
  scene.config.backoff.total_ms = 60;
  CHECK(holds(scene.error(), " ms"));  // what is left of the 60 ms
}

TEST_CASE("a question is taken back with its provider: the connection is closed") {
  std::unique_ptr<OpenAiChat> chat;
  Scene scene([&](size_t, const http::TestServer::Exchange&) { chat.reset(); });
  chat = std::make_unique<OpenAiChat>(scene.loop, scene.config);
  chat->ask({}, [](const base::Result<Answer>&) { FAIL("it was taken back"); });
  loop::Timer look(scene.loop);
  const std::function<void()> until_closed = [&] {
    if (scene.server.connections() == 1 && scene.server.open() == 0) return scene.loop.stop();
    look.start(5, until_closed);
  };
  until_closed();
  scene.loop.run();
}

// Asks a provider that was made of these settings, and returns what the server got.
namespace {
std::string asked(const std::function<void(ProviderSetup&, std::map<std::string, std::string>&,
                                           const std::string& url)>& set,
                  std::string& note) {
  std::string got;
  Scene scene([&](size_t, const http::TestServer::Exchange& exchange) {
    got = exchange.request;
    exchange.write(http::answer("200 OK", kGood));
  });
  ProviderSetup setup;
  setup.provider.kind = "openai-chat";
  std::map<std::string, std::string> variables{{"OPENAI_API_KEY", kKey}};
  set(setup, variables, scene.server.url("/v1"));
  const MadeProvider made =
      make_provider(setup, adapters::Registry::load({}).value(), variables, scene.loop).value();
  note = made.note;
  made.provider->ask({"system", "user"}, [&](const base::Result<Answer>& answer) {
    CHECK(answer.ok());
    scene.loop.stop();
  });
  scene.loop.run();
  return got;
}
}  // namespace

TEST_CASE("a key goes to no server but its vendor's and those that the user has named") {
  using Variables = std::map<std::string, std::string>;
  const std::string bearer = std::string("Authorization: Bearer ") + kKey;
  std::string note;
  // A task file names the server.
  CHECK_FALSE(holds(
      asked([](ProviderSetup& setup, Variables&, const std::string& url) { setup.base_url = url; },
            note),
      bearer));
  CHECK(holds(note, "does not go to http://127.0.0.1:"));
  CHECK(holds(note, "--meta-url or OPENAI_BASE_URL"));
  // So do its variables.
  CHECK_FALSE(holds(asked(
                        [](ProviderSetup& setup, Variables&, const std::string& url) {
                          setup.provider.extra_env = {{"OPENAI_BASE_URL", url}};
                        },
                        note),
                    bearer));
  // The user does.
  CHECK(holds(asked([](ProviderSetup&, Variables& variables,
                       const std::string& url) { variables["OPENAI_BASE_URL"] = url; },
                    note),
              bearer));
  CHECK(note.empty());
  CHECK(holds(asked(
                  [](ProviderSetup& setup, Variables&, const std::string& url) {
                    setup.base_url = url;
                    setup.is_users_url = true;
                  },
                  note),
              bearer));
}

TEST_CASE("an address that only looks like the vendor's is another one") {
  loop::Loop loop;
  for (const char* url :
       {"https://api.openai.com.evil.example/v1", "https://api.openai.com:8443/v1",
        "http://api.openai.com/v1", "https://evil.example/api.openai.com"}) {
    ProviderSetup setup;
    setup.base_url = url;
    const MadeProvider made =
        make_provider(setup, adapters::Registry::load({}).value(), {{"OPENAI_API_KEY", kKey}}, loop)
            .value();
    CHECK(holds(made.note, "does not go to"));
  }
  for (const char* url : {"https://api.openai.com/v1", "https://api.openai.com"}) {
    ProviderSetup setup;
    setup.base_url = url;
    CHECK(
        make_provider(setup, adapters::Registry::load({}).value(), {{"OPENAI_API_KEY", kKey}}, loop)
            .value()
            .note.empty());
  }
}

}  // namespace orch::meta
