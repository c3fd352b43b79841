#include "delivery_model.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "adapters/registry.h"

namespace orch::driver {
namespace {

uint64_t number_in(const char* variable, uint64_t otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

// For more, or other, schedules set ORCH_SCHEDULES=100000 and ORCH_SCHEDULES_SEED=1.
TEST_CASE("whatever is late, lost or in between, a message is in the agent once or refused") {
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  adapters::Manifest manifest = *registry.value().find("demo");
  base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest.rules);
  REQUIRE(rules.ok());
  adapters::Manifest by_keys = manifest;
  by_keys.input.keys = {.bytes = 700, .between = "End", .tab = "\t"};
  const uint64_t first = number_in("ORCH_SCHEDULES_SEED", 1);
  const uint64_t count = number_in("ORCH_SCHEDULES", 100);
  model::Outcome all;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const model::Outcome one = model::play(seed % 2 == 0 ? manifest : by_keys, rules.value(), seed);
    for (const std::string& wrong : one.wrong) {
      UNSCOPED_INFO("schedule " << seed << ": " << wrong);
      all.wrong.push_back(wrong);
    }
    all.accepted += one.accepted;
    all.unconfirmed += one.unconfirmed;
    all.refused += one.refused;
    all.exited += one.exited;
    all.dialogs += one.dialogs;
    all.repeats += one.repeats;
  }
  CHECK(all.wrong.empty());
  WARN(count << " schedules: " << all.accepted << " accepted, " << all.unconfirmed
             << " unconfirmed, " << all.refused << " refused, " << all.exited << " exited; "
             << all.dialogs << " dialogs, " << all.repeats << " Enters repeated");
  // The schedules must reach the situations that they are meant to test.
  CHECK(all.accepted > static_cast<int>(count / 2));
  CHECK(all.unconfirmed > static_cast<int>(count / 20));
  CHECK(all.dialogs > static_cast<int>(count / 4));
  CHECK(all.repeats > static_cast<int>(count / 100));
}

}  // namespace
}  // namespace orch::driver
