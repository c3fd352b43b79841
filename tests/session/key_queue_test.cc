#include "session/key_queue.h"

#include <catch2/catch.hpp>

#include "loop/loop.h"

namespace orch::session {
namespace {

TEST_CASE("keys that wait for a keyboard in use do not hold up who uses it") {
  loop::Loop loop;
  loop::Timer later(loop);
  bool in_use = false;
  std::string typed;
  KeyQueue keys(loop, {.is_free = [&] { return !in_use; },
                       .write =
                           [&](const std::string& key) {
                             typed += key;
                             in_use = typed == "a";  // a reset begins between two keys
                           },
                       .on_done = [&] { loop.stop(); }});
  REQUIRE(keys.type({"a", "b", "c"}, term::CursorKeys::kNormal));
  CHECK(keys.is_typing());
  bool waited = false;
  later.start(3 * term::kKeyGapMs, [&] {
    waited = keys.busy() && !keys.is_typing();
    in_use = false;  // as it would stay while it waits for keys that are being typed
  });
  loop.run();
  CHECK(waited);
  CHECK(typed == "abc");
  CHECK_FALSE(keys.busy());
}

}  // namespace
}  // namespace orch::session
