#pragma once

#include <sys/prctl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>

namespace orch {

// While it lives, this process, which is root's, acts as the user nobody.
class AsNobody {
 public:
  AsNobody() {
    constexpr uid_t kNobody = 65534;
    REQUIRE(::seteuid(kNobody) == 0);
  }
  // The change of user has closed /proc of this process and of its later children, even to itself
  // where it may not trace all processes (as in a container): prctl(2), PR_SET_DUMPABLE.
  ~AsNobody() {
    if (::seteuid(0) != 0 || ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) std::abort();
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
};

}  // namespace orch
