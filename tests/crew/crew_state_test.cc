#include "crew/crew_state.h"

#include <catch2/catch.hpp>

using namespace orch::crew;

namespace {

CrewState state() {
  CrewState state{.project = "shop", .manager = "tmux", .up = true, .members = {}, .flow = {}};
  state.members.push_back({.spec = {.name = "planner",
                                    .role = "plans",
                                    .cli = "claude",
                                    .model = "opus",
                                    .effort = "high",
                                    .prompt = "You plan.",
                                    .prompt_file = {},
                                    .cwd = "sub",
                                    .worktree = false},
                           .session = "orch-crew-shop-planner@0011aabb",
                           .run = "20261123T225100-crew-shop-planner-0a1b"});
  state.flow.rules.push_back({"planner", "READY", "planner", "go on"});
  return state;
}

}  // namespace

TEST_CASE("a crew's state is read as it was written") {
  const auto read = crew_state_from_json(to_json(state()), "state.json");
  REQUIRE(read);
  CHECK(*read == state());
  CHECK(find_member(*read, "planner") != nullptr);
  CHECK(find_member(*read, "nobody") == nullptr);
}

TEST_CASE("a crew's state that somebody tampered with names nothing else") {
  const auto error_of = [](const CrewState& state) {
    const auto read = crew_state_from_json(to_json(state), "state.json");
    return read ? std::string("no error") : read.error().text;
  };
  CrewState other = state();
  other.members[0].spec.name = "../../x";
  CHECK(error_of(other) == "state.json: agents[0].name: is not a name");
  other = state();
  other.members[0].session = "orch-42@0011aabb";
  CHECK(error_of(other) == "state.json: agents[0].session: is not the agent's");
  other = state();
  other.members[0].spec.cli = "/bin/sh";
  CHECK(error_of(other) == "state.json: agents[0].cli: is not a name");
  other = state();
  other.project = "a/b";
  CHECK(error_of(other) == "state.json: project: is not a name");
  CHECK_FALSE(crew_state_from_json("{\"project\":\"x\",\"agents\":[1]}", "state.json"));
  CHECK_FALSE(crew_state_from_json("[", "state.json"));
}
