#include "tape/normal.h"

#include <catch2/catch.hpp>
#include <memory>

namespace orch::tape {
namespace {

std::shared_ptr<const mask::Secrets> no_secrets() { return std::make_shared<mask::Secrets>(); }

Normaliser at(const std::string& folder, const std::string& home) {
  return {{.folder = {folder}, .home = {home}}, no_secrets()};
}

TEST_CASE("the folder and the home directory are replaced in each of their forms") {
  const Normaliser normal = at("/home/ann/my.app", "/home/ann");
  CHECK(normal.text("in /home/ann/my.app/x and /home/ann/.y") ==
        "in {orch:folder}/x and {orch:home}/.y");
  CHECK(normal.text("/tmp/-home-ann-my-app/x") == "/tmp/{orch:folder:dashed}/x");
  CHECK(normal.text(R"(\/home\/ann\/my.app\/x)") == R"({orch:folder:escaped}\/x)");
  CHECK(normal.text("file:%2Fhome%2Fann%2Fmy.app") == "file:{orch:folder:encoded}");
}

TEST_CASE("a longer path, or another name, is not the folder") {
  const Normaliser normal = at("/w/app", "/root");
  for (const char* other : {"/w/app2", "/w/app-old", "/w/app_1", "x/w/app", "/data/root"}) {
    CHECK(normal.text(other) == other);
  }
  CHECK(normal.text("(/w/app).") == "({orch:folder}).");
  CHECK(at("/", "").text("a / b") == "a / b");
}

TEST_CASE("members that name the session are left out of requests, and no others") {
  const Normaliser normal = at("/w/app", "/root");
  CHECK(normal.request(R"({"z":1,"metadata":{"user_id":"u","k":2},"prompt_cache_key":"p",
        "system":[{"cache_control":{"type":"e"},"text":"t"}],"client_metadata":{"a":"b"}})") ==
        R"({"metadata":{"k":2},"system":[{"text":"t"}],"z":1})");
  CHECK(normal.request(R"({"input":[{"id":"i","call_id":"c"}],"id":"stays"})") ==
        R"({"id":"stays","input":[{"call_id":"c"}]})");
  CHECK(normal.request(R"({"request":{"session_id":"s","k":1},"user_prompt_id":"u"})") ==
        R"({"request":{"k":1}})");
  CHECK(normal.request(R"({"contents":[{"functionCall":{"id":"i","name":"n"}}]})") ==
        R"({"contents":[{"functionCall":{"name":"n"}}]})");
  CHECK(normal.request(R"({"messages":[{"metadata":{"user_id":"stays"}}]})") ==
        R"({"messages":[{"metadata":{"user_id":"stays"}}]})");
}

TEST_CASE("requests of two places are equal once they are normalised") {
  const char* form = R"({"system":"cwd %1, today %2","messages":[{"content":"ok"}]})";
  const auto request = [&](const std::string& folder, const std::string& day) {
    std::string text = form;
    text.replace(text.find("%1"), 2, folder);
    text.replace(text.find("%2"), 2, day);
    return text;
  };
  CHECK(at("/w/a", "/h/a").request(request("/w/a", "2026-11-30")) ==
        at("/x/bb", "/h/bb").request(request("/x/bb", "2026-12-01")));
}

TEST_CASE("a request that is not JSON is a text, and one that is no text is bytes") {
  const Normaliser normal = at("/w/app", "/root");
  CHECK(normal.request("at /w/app: {") == R"("at {orch:folder}: {")");
  CHECK(normal.request("\xff\x01") == "{\"bytes\":\"\xc3\xbf\\u0001\"}");
  CHECK(normal.request(std::string(kMostRequestBytes + 1, 'x')) == R"({"left out":16777217})");
  CHECK(normal.request("") == R"("")");
  CHECK(normal.request(std::string(200, '[')) == "\"" + std::string(200, '[') + "\"");
}

TEST_CASE("secrets are masked in requests and answers, also where events cut them") {
  const auto secrets =
      std::make_shared<mask::Secrets>(std::vector<std::string>{"hunter2-and-more"});
  const Normaliser normal({.folder = {"/w/app"}, .home = {}}, secrets);
  CHECK(normal.request(R"({"a":"my hunter2-and-more!"})") == R"({"a":"my ***!"})");
  Answer answer{.status = 200, .headers = {{"Content-Type", "text/event-stream"}}};
  answer.body = {{1, "data: {\"delta\":\"my hunter2\"}\n\nda"},
                 {2, "ta: {\"delta\":\"-and-more!\"}\n\n"}};
  normal.answer(answer);
  REQUIRE(answer.body.size() == 2);
  CHECK(answer.body[0] == Piece{1, "data: {\"delta\":\"my ***\"}\n\n"});
  CHECK(answer.body[1] == Piece{2, "data: {\"delta\":\"!\"}\n\n"});
}

TEST_CASE("a key in the query of a path is left out") {
  const Normaliser normal = at("/w/app", "/root");
  CHECK(normal.path("/v1/m:generate?alt=sse&key=AIzaX") == "/v1/m:generate?alt=sse");
  CHECK(normal.path("/v1?key=x") == "/v1");
}

TEST_CASE("an answer gets the places of the run that it is played in") {
  const Normaliser here = at("/w/app", "/root"), there = at("/x/it \"is\"", "/home/u");
  Answer answer{.status = 200, .headers = {{"content-type", "text/event-stream"}, {"date", "d"}}};
  const auto arguments = [](const std::string& part) {
    return "event: d\ndata: {\"index\":1,\"partial_json\":\"" + part + "\"}\n\n";
  };
  answer.body = {{5, arguments(R"({\"file\":\"/w)")},
                 {6, arguments(R"(/app/x\"})")},
                 {7, "data: {\"text\":\"in /w/app of /root\"}\n\n"},
                 {8, "data: [DONE]\n\n"}};
  here.answer(answer);
  CHECK(answer.headers.size() == 1);
  CHECK(answer.body[0].bytes == arguments(R"({\"file\":\"{orch:folder})"));
  const std::vector<Piece> played = there.played(answer);
  REQUIRE(played.size() == 4);
  CHECK(played[0] == Piece{5, arguments(R"({\"file\":\"/x/it \\\"is\\\")")});
  CHECK(played[1] == Piece{6, arguments(R"(/x\"})")});
  CHECK(played[2].bytes == "data: {\"text\":\"in /x/it \\\"is\\\" of /home/u\"}\n\n");
  CHECK(played[3].bytes == "data: [DONE]\n\n");
  CHECK(here.played(answer)[0].bytes == arguments(R"({\"file\":\"/w/app)"));
}

}  // namespace
}  // namespace orch::tape
