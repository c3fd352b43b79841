#include "session/keyboard.h"

#include <catch2/catch.hpp>
#include <optional>

#include "loop/loop.h"

namespace orch::session {
namespace {

TEST_CASE("keys that wait until orch has typed do not hold up what orch types") {
  loop::Loop loop;
  loop::Timer later(loop);
  bool orch_types = false;
  std::string typed;
  std::vector<bool> held;  // the values that were reported
  std::optional<Keyboard> keyboard;
  keyboard.emplace(loop, Keyboard::Agent{.orch_types = [&] { return orch_types; },
                                         .write =
                                             [&](const std::string& key) {
                                               typed += key;
                                               orch_types = typed == "a";  // a reset begins
                                             },
                                         .on_change = [&] { held.push_back(keyboard->held()); }});
  REQUIRE(keyboard->type({"a", "b", "c"}, term::CursorKeys::kNormal));
  CHECK(keyboard->held());
  bool waited = false;
  later.start(3 * term::kKeyGapMs, [&] {
    waited = keyboard->in_use() && !keyboard->held();
    orch_types = false;
  });
  loop.run();
  CHECK(waited);
  CHECK(typed == "abc");
  // Held is reported once, so that waiting code need not ask again.
  CHECK(held == std::vector{true, false, true, false});
  CHECK_FALSE(keyboard->in_use());
}

TEST_CASE("what a person holds is told when it changes, and keys that are stopped hold nothing") {
  loop::Loop loop;
  int changes = 0;
  Keyboard keyboard(loop, {.orch_types = [] { return false; },
                           .write = [](const std::string&) {},
                           .on_change = [&] { ++changes; }});
  keyboard.hold(false, true);
  CHECK(changes == 1);
  CHECK(keyboard.attended());
  CHECK_FALSE(keyboard.in_use());
  keyboard.hold(true, true);
  keyboard.hold(true, true);
  CHECK(changes == 2);
  CHECK(keyboard.held());
  REQUIRE(keyboard.type({"a", "b"}, term::CursorKeys::kNormal));
  keyboard.hold(false, false);
  CHECK(keyboard.held());  // held by the keys that are being typed
  CHECK(keyboard.attended());
  keyboard.stop();
  CHECK_FALSE(keyboard.held());
  CHECK_FALSE(keyboard.in_use());
  loop.run();  // returns, because no timer is left
}

TEST_CASE("of keys that cannot all be typed none is") {
  loop::Loop loop;
  std::string typed;
  Keyboard keyboard(loop, {.orch_types = [] { return false; },
                           .write = [&](const std::string& key) { typed += key; },
                           .on_change = [] {}});
  CHECK_FALSE(keyboard.type({"a", "NoKey"}, term::CursorKeys::kNormal));
  CHECK_FALSE(keyboard.type(std::vector<std::string>(101, "a"), term::CursorKeys::kNormal));
  loop.run();
  CHECK(typed.empty());
}

}  // namespace
}  // namespace orch::session
