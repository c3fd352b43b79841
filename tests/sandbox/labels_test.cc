#include <catch2/catch.hpp>

#include "pty/process_identity.h"

namespace orch::sandbox {
namespace {

TEST_CASE("an owner's identity comes back from its label as it was") {
  const pty::ProcessIdentity owner{42, 1234567, 4026531836, "0b5c-77", "host.example", "00ff"};
  CHECK(pty::identity_from(pty::identity_text(owner)) == owner);
  CHECK(pty::identity_from(pty::identity_text(pty::own_identity())) == pty::own_identity());
}

TEST_CASE("a label that somebody else wrote is no identity") {
  for (const char* text :
       {"", "1", "1:2:3:b:h", "x:2:3:b:h:m", "0:2:3:b:h:m", "-1:2:3:b:h:m", "1:2:3:b:h:m:more"}) {
    CAPTURE(text);
    CHECK_FALSE(pty::identity_from(text).has_value());
  }
}

}  // namespace
}  // namespace orch::sandbox
