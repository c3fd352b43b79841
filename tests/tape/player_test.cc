#include "tape/player.h"

#include <catch2/catch.hpp>

namespace orch::tape {
namespace {

using How = Player::Found::How;

Entry entry(int64_t n, const std::string& kind, const std::string& request,
            const std::string& protocol = "anthropic", const std::string& path = "/v1/messages") {
  return {.n = n,
          .kind = kind,
          .protocol = protocol,
          .method = "POST",
          .path = path,
          .request = request,
          .answer = {.status = 200}};
}

Player::Request asks(const std::string& kind, const std::string& body) {
  return {kind, "anthropic", "POST", "/v1/messages?beta=true", body};
}

int64_t number(const Player::Found& found) { return found.entry != nullptr ? found.entry->n : 0; }

TEST_CASE("an equal request gets its answer, wherever it is on the tape, and once") {
  Player player({{}, {entry(1, "turn", "1"), entry(2, "turn", "2"), entry(3, "turn", "2")}},
                Order::kExact);
  CHECK(number(player.find(asks("turn", "2"))) == 2);
  CHECK(number(player.find(asks("turn", "1"))) == 1);
  CHECK(number(player.find(asks("turn", "2"))) == 3);
  const Player::Found more = player.find(asks("turn", "2"));
  CHECK(more.how == How::kNot);
  CHECK(more.why ==
        "request 4 (turn, POST /v1/messages) is not on the tape, which holds no further one of "
        "this kind");
  CHECK(player.summary() ==
        "4 requests answered from the tape: 3 exactly, 0 by order; 0 on it not asked for");
}

TEST_CASE("parallel conversations get their own answers, in any order") {
  Player player(
      {{},
       {entry(1, "turn", "1"), entry(2, "subagent", "\"a1\""), entry(3, "subagent", "\"b1\""),
        entry(4, "subagent", "\"b2\""), entry(5, "subagent", "\"a2\"")}},
      Order::kExact);
  for (const auto& [body, n] : std::vector<std::pair<const char*, int64_t>>{
           {"\"b1\"", 3}, {"\"a1\"", 2}, {"\"a2\"", 5}, {"\"b2\"", 4}}) {
    CHECK(number(player.find(asks("subagent", body))) == n);
  }
}

TEST_CASE("a turn that is not on the tape is told with its difference from the next one") {
  Player player({{}, {entry(1, "turn", R"({"m":"old"})"), entry(2, "subagent", R"({"m":"x"})")}},
                Order::kExact);
  const Player::Found found = player.find(asks("turn", R"({"m":"new"})"));
  CHECK(found.how == How::kNot);
  CHECK(found.entry == nullptr);
  CHECK(found.why ==
        "request 1 (turn, POST /v1/messages) is not on the tape; request 1 there was next");
  CHECK(found.differences == std::vector<Difference>{{"/m", "old", "new"}});
}

TEST_CASE("loosely, the next request of its kind answers") {
  Player player({{}, {entry(1, "turn", "1"), entry(2, "subagent", "2"), entry(3, "turn", "3")}},
                Order::kLoose);
  CHECK(number(player.find(asks("turn", "3"))) == 3);
  const Player::Found found = player.find(asks("turn", "9"));
  CHECK(found.how == How::kByOrder);
  CHECK(number(found) == 1);
  CHECK(player.find(asks("turn", "9")).how == How::kNot);
}

TEST_CASE("requests beside the turns are answered in any case, by their kind") {
  Player player({{},
                 {entry(1, "title", "1"), entry(2, "title", "2"),
                  entry(3, "side", "\"\"", "", "/count"), entry(4, "side", "3", "anthropic")}},
                Order::kExact);
  CHECK(number(player.find(asks("title", "2"))) == 2);
  CHECK(number(player.find(asks("title", "9"))) == 1);
  CHECK(number(player.find(asks("title", "9"))) == 2);  // the last one again
  CHECK(number(player.find(asks("side", "7"))) == 4);
  Player::Request count = asks("side", "\"other\"");
  count.protocol = "";
  count.path = "/count?x";
  CHECK(number(player.find(count)) == 3);
  count.path = "/telemetry";
  const Player::Found none = player.find(count);
  CHECK(none.how == How::kAside);
  CHECK(none.entry == nullptr);
}

}  // namespace
}  // namespace orch::tape
