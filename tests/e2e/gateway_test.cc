// An agent whose requests go through orch to its model: a small server of the test's.
#include <catch2/catch.hpp>
#include <string>

#include "gateway_scene.h"
#include "workspace.h"

using namespace orch::e2e;

TEST_CASE("a budget ends a turn before the next request, and the run with 124") {
  GatewayScene scene;
  const Outcome outcome =
      scene.run({"--sandbox", "none", "--gateway", scene.url(), "--max-tokens", "300"},
                {"OWN_KEY=own-key-7"});
  INFO(outcome.out << outcome.err);
  const RunFolder folder = check_ending(scene.workspace, outcome, "tokens", 124);
  CHECK(scene.requests().size() == 3);  // 330 tokens
  CHECK(scene.requests().front().at("path") == "/v1/messages");
  CHECK(folder.result.at("usage").at("in") == 300);
  CHECK(folder.result.at("usage").at("source") == "gateway");
  CHECK(holds(outcome.out, "[orch] This run's budget is used up (--max-tokens 300: 330 used)"));
  CHECK(holds(outcome.err, "gateway: turn 3 requests of m, 300 tokens in"));
}

TEST_CASE("without a limit all requests pass") {
  GatewayScene scene;
  const Outcome outcome = scene.run({"--sandbox", "none", "--gateway", scene.url()});
  check_ending(scene.workspace, outcome, "complete", 0);
  CHECK(scene.requests().size() == 8);
}

TEST_CASE("a key outside is in the requests, and nowhere in the agent or the records") {
  GatewayScene scene;
  const Outcome outcome =
      scene.run({"--sandbox", "landlock", "--gateway", scene.url(), "--keys", "outside"},
                {"OWN_KEY=real-key-1234567"});
  INFO(outcome.out << outcome.err);
  if (holds(outcome.err, "has no fence") || holds(outcome.err, "Landlock")) return;
  const RunFolder folder = check_ending(scene.workspace, outcome, "complete", 0);
  CHECK(holds(outcome.out, "key ***"));  // the dummy is the run's secret
  CHECK_FALSE(holds(outcome.out, "holds it"));
  REQUIRE(scene.requests().size() == 8);
  CHECK(scene.requests().front().at("headers").at("x-api-key") == "real-key-1234567");
  CHECK(shell_output(scene.workspace, "grep -rl real-key-1234567 '" + folder.path + "' || true")
            .empty());
}

TEST_CASE("a fence whose network is the model has no other way out") {
  GatewayScene scene;
  const std::string port = scene.url().substr(scene.url().rfind(':') + 1);
  const Outcome outcome = scene.run(
      {"--net", "model,named.localhost:" + port, "--gateway", scene.url()}, {"OWN_PROBE=" + port});
  INFO(outcome.out << outcome.err);
  if (holds(outcome.err, "cannot be held on this machine")) return;
  if (holds(outcome.err, "has no fence")) return;
  check_ending(scene.workspace, outcome, "complete", 0);
  CHECK(scene.requests().size() == 8);
  CHECK_FALSE(holds(outcome.out, " open"));
  for (const char* way : {"loopback", "datagrams", "tcp", "another host", "this machine"}) {
    CHECK(holds(outcome.out, way + std::string(" closed")));
  }
  CHECK(holds(outcome.err, "the agent was refused example.com:443"));
}

TEST_CASE("a gateway that would be blind, or a key that would not be outside, is refused") {
  GatewayScene scene;
  const auto refused = [&scene](Words words, std::vector<std::string> env, const std::string& why) {
    const Outcome outcome = scene.run(std::move(words), std::move(env));
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, why));
  };
  const Words outside{"--sandbox", "landlock", "--gateway", scene.url(), "--keys", "outside"};
  refused({"--gateway", "auto"}, {"OWN_BLIND=1"}, "it sees nothing");
  refused({"--gateway", "ftp://x"}, {}, "not an address of http");
  refused({"--keys", "inside"}, {}, "write agent, outside");
  refused({"--sandbox", "none", "--gateway", scene.url(), "--keys", "outside"}, {"OWN_KEY=k"},
          "without a fence that has Landlock");
  if (!holds(scene.run(outside).err, "OWN_KEY has to hold the key")) return;  // no Landlock here
  scene.workspace.write("home/.own-login", "token");
  refused(outside, {"OWN_KEY=real-key-1234567"}, "is logged in by");
  CHECK(scene.requests().empty());
}
