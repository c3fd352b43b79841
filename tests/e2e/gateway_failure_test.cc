// What a run says when something fails between its agent and the model.
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "gateway_scene.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

// How a run ended whose model behaves as the word says.
struct Failed {
  Failed(GatewayScene& scene, const std::string& word, std::vector<std::string> env = {},
         const Words& more = {}) {
    env.push_back("OWN_WORD=" + word);
    env.emplace_back("OWN_ROUNDS=1");
    Words words{"--sandbox", "none", "--gateway", scene.url(), "--record-wire", tape(scene)};
    words.insert(words.end(), more.begin(), more.end());
    outcome = scene.run(words, env);
  }
  static std::string tape(const GatewayScene& scene) { return scene.workspace.file("run.tape"); }
  // How the last answer on the tape ended, and its status.
  static std::string last(const GatewayScene& scene) {
    const Json shown = Json::parse(
        Program(scene.workspace.orch({"tape", "show", tape(scene), "--json"})).finish().out);
    const Json& request = shown.at("requests").back();
    return request.at("end").get<std::string>() + " " +
           std::to_string(request.at("status").get<int>());
  }
  Outcome outcome;
};

// Waits until the model has had so many requests, or has noted that a client left.
void wait_for_requests(const GatewayScene& scene, size_t count) {
  const auto until = Clock::now() + kPatience;
  while (scene.requests().size() < count && Clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  REQUIRE(scene.requests().size() >= count);
}

}  // namespace

TEST_CASE("a model that is silent has the agent's own patience, and is left when that ends") {
  GatewayScene scene;
  const Failed failed(scene, "silent", {"OWN_PATIENCE=1"});
  INFO(failed.outcome.out << failed.outcome.err);
  check_ending(scene.workspace, failed.outcome, "agent_failed", 1);
  CHECK(holds(failed.outcome.out, "failed: TimeoutError"));
  wait_for_requests(scene, 2);
  CHECK(scene.requests().back().at("path") == "left");
  CHECK(Failed::last(scene) == "left 0");
}

TEST_CASE("a model that is silent longer than --timeout ends the run with 124") {
  GatewayScene scene;
  const Failed failed(scene, "silent", {}, {"--timeout", "3s"});
  INFO(failed.outcome.out << failed.outcome.err);
  check_ending(scene.workspace, failed.outcome, "timeout", 124);
  wait_for_requests(scene, 2);
  CHECK(scene.requests().back().at("path") == "left");
  CHECK(Failed::last(scene) == "left 0");
}

TEST_CASE("an answer that comes byte by byte is whole") {
  GatewayScene scene;
  const Failed slow(scene, "slow");
  INFO(slow.outcome.out << slow.outcome.err);
  const RunFolder folder = check_ending(scene.workspace, slow.outcome, "complete", 0);
  CHECK(folder.result.at("usage").at("in") == 100);
  CHECK(Failed::last(scene) == "whole 200");
}

TEST_CASE("an answer that breaks off in the middle is never whole for the agent") {
  GatewayScene scene;
  const Failed failed(scene, "cut");
  INFO(failed.outcome.out << failed.outcome.err);
  check_ending(scene.workspace, failed.outcome, "agent_failed", 1);
  CHECK(holds(failed.outcome.out, "failed: IncompleteRead"));
  CHECK(Failed::last(scene) == "cut 200");
}

TEST_CASE("an answer that is not HTTP, or a model that is not there, is an error of the gateway") {
  GatewayScene scene;
  const Failed failed(scene, "garbage");
  INFO(failed.outcome.out << failed.outcome.err);
  check_ending(scene.workspace, failed.outcome, "agent_failed", 1);
  CHECK(holds(failed.outcome.out, "HTTP 502 orch's gateway: POST http://127.0.0.1:"));
  CHECK(Failed::last(scene) == "cut 0");
  const Outcome nobody = scene.run({"--gateway", "http://127.0.0.1:1", "--sandbox", "none"});
  CHECK(nobody.code == 1);
  CHECK(holds(nobody.out, "HTTP 502 orch's gateway: POST http://127.0.0.1:1/v1/messages: "));
}

TEST_CASE("a head of 63 KB passes, and a longer one is an answer that says so") {
  GatewayScene scene;
  const Failed passes(scene, "", {"OWN_HEAD=63000"});
  INFO(passes.outcome.out << passes.outcome.err);
  check_ending(scene.workspace, passes.outcome, "complete", 0);
  CHECK(scene.requests().back().at("headers").at("X-Head").get<std::string>().size() == 63'000);
  const Outcome refused =
      scene.run({"--gateway", scene.url(), "--sandbox", "none"}, {"OWN_HEAD=70000"});
  CHECK(refused.code == 1);
  CHECK(holds(refused.out, "HTTP 431 orch's gateway: "));
  CHECK(scene.requests().size() == 1);
}

TEST_CASE("a request of 100 MB passes, and a longer one than 128 MB is an answer that says so") {
  GatewayScene scene;
  const Failed passes(scene, "", {"OWN_PAD=50000000"});
  INFO(passes.outcome.out << passes.outcome.err);
  check_ending(scene.workspace, passes.outcome, "complete", 0);
  CHECK(holds(content_of(Failed::tape(scene)), R"("request":{"left out":100)"));
  const Outcome refused = scene.run({"--gateway", scene.url(), "--sandbox", "none"},
                                    {"OWN_PAD=70000000", "OWN_ROUNDS=1"});
  INFO(refused.out << refused.err);
  CHECK(refused.code == 1);
  CHECK(scene.requests().size() == 1);
}

TEST_CASE("a host that is killed leaves its model, ends its agent, and the run has failed") {
  GatewayScene scene;
  Program host(scene.launch(
      {"--sandbox", "none", "--gateway", scene.url(), "--record-wire", Failed::tape(scene)},
      {"OWN_WORD=silent"}));
  wait_for_requests(scene, 1);
  host.signal(SIGKILL);
  CHECK(host.finish().code == 128 + SIGKILL);
  wait_for_requests(scene, 2);
  CHECK(scene.requests().back().at("path") == "left");
  const Outcome runs = Program(scene.workspace.orch({"runs", "--json"})).finish();
  CHECK(Json::parse(runs.out).at(0).at("state") == "failed");
  CHECK(content_of(Failed::tape(scene)).ends_with("}\n"));
}
