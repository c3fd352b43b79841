#include "demo/command_line.h"

#include <catch2/catch.hpp>
#include <map>

using namespace orch::demo;

namespace {

orch::base::Result<CommandLine> parse(std::vector<std::string> args,
                                      std::map<std::string, std::string> variables = {}) {
  return parse_command_line(args, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

}  // namespace

TEST_CASE("without arguments it is the default scenario at its own pace") {
  const auto line = parse({});
  REQUIRE(line);
  CHECK(line.value().scenario->name == "default");
  CHECK(line.value().pace.speed == 1.0);
  CHECK(line.value().log.empty());
}

TEST_CASE("arguments come before the environment") {
  const auto line = parse({"--scenario", "long", "--lines", "7"}, {{"ORCH_DEMO_SCENARIO", "trick"},
                                                                   {"ORCH_DEMO_LINES", "9"},
                                                                   {"ORCH_DEMO_SPEED", "0.25"},
                                                                   {"ORCH_DEMO_SEED", "5"},
                                                                   {"ORCH_DEMO_LAG", "3000"},
                                                                   {"ORCH_DEMO_LOG", "x.log"}});
  REQUIRE(line);
  CHECK(line.value().scenario->name == "long");
  CHECK(line.value().pace.lines == 7);
  CHECK(line.value().pace.speed == 0.25);
  CHECK(line.value().pace.seed == 5);
  CHECK(line.value().lag_ms == 3'000);
  CHECK(line.value().log == "x.log");
}

TEST_CASE("what it does not understand is one clear error") {
  CHECK(parse({"--scenario", "nope"}).error().text ==
        "demo-agent: no scenario 'nope' (see --help)");
  CHECK(parse({"--speed", "-1"}).error().text == "demo-agent: no speed '-1' (see --help)");
  CHECK(parse({"--speed", "nan"}).error().text == "demo-agent: no speed 'nan' (see --help)");
  CHECK(parse({"--lines", "3x"}).error().text == "demo-agent: no lines '3x' (see --help)");
  CHECK(parse({"--lag", "60001"}).error().text == "demo-agent: no lag '60001' (see --help)");
  CHECK(parse({"--seed"}).error().text == "demo-agent: --seed needs a value");
  CHECK(parse({"hello"}).error().text == "demo-agent: unknown argument 'hello'");
  CHECK(parse({}, {{"ORCH_DEMO_SEED", "x"}}).error().code == orch::base::ErrorCode::kUsage);
}

TEST_CASE("the help names every scenario") {
  REQUIRE(parse({"--help"}).value().scenario == nullptr);
  for (const Scenario& scenario : scenarios()) {
    CHECK(help_text().find("\n  " + std::string(scenario.name) + " ") != std::string::npos);
  }
}
