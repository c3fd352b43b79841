#include "base/uuid.h"

#include <catch2/catch.hpp>
#include <set>

namespace orch::base {

TEST_CASE("a random UUID has the form of one, its version and variant, and is another each time") {
  std::set<std::string> all;
  for (int i = 0; i < 200; ++i) {
    const std::string uuid = random_uuid();
    INFO(uuid);
    CHECK(is_uuid(uuid));
    CHECK(uuid[14] == '4');
    CHECK(std::string("89ab").find(uuid[19]) != std::string::npos);
    all.insert(uuid);
  }
  CHECK(all.size() == 200);
}

TEST_CASE("what could be an option, a path or a pattern is no UUID") {
  CHECK(is_uuid("01A207b3-34e3-7eb2-97ca-8fe0f9a4e97e"));
  for (const char* text :
       {"", "-x", "--dangerously-skip-permissions", "../../etc/passwd", "nonsense",
        "01a207b3-34e3-7eb2-97ca-8fe0f9a4e97", "01a207b3-34e3-7eb2-97ca-8fe0f9a4e97e0",
        "01a207b3 34e3-7eb2-97ca-8fe0f9a4e97e", "g1a207b3-34e3-7eb2-97ca-8fe0f9a4e97e",
        "-1a207b3-34e3-7eb2-97ca-8fe0f9a4e97e", "01a207b334e37eb297ca8fe0f9a4e97e"}) {
    INFO(text);
    CHECK_FALSE(is_uuid(text));
  }
}

}  // namespace orch::base
