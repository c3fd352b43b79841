#include "sandbox/labels.h"

#include <catch2/catch.hpp>

namespace orch::sandbox {
namespace {

TEST_CASE("an owner's identity comes back from its label as it was") {
  const pty::ProcessIdentity owner{42, 1234567, 4026531836, "0b5c-77", "host.example", "00ff"};
  CHECK(owner_from(owner_text(owner)) == owner);
  CHECK(owner_from(owner_text(pty::own_identity())) == pty::own_identity());
}

TEST_CASE("a label that somebody else wrote is no identity") {
  for (const char* text :
       {"", "1", "1:2:3:b:h", "x:2:3:b:h:m", "0:2:3:b:h:m", "-1:2:3:b:h:m", "1:2:3:b:h:m:more"}) {
    CAPTURE(text);
    CHECK_FALSE(owner_from(text).has_value());
  }
}

}  // namespace
}  // namespace orch::sandbox
