#include "base/shared_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "temporary_folder.h"

using orch::base::Fd;
using orch::base::share_folder;

namespace {

Fd opened(const std::string& path) { return Fd(::open(path.c_str(), O_PATH | O_CLOEXEC)); }

}  // namespace

TEST_CASE("who holds one folder shares a descriptor, by whatever path, and nobody else does") {
  const TemporaryFolder one, other;
  const auto first = share_folder(opened(one.path()));
  CHECK(share_folder(opened(one.path() + "/."))->get() == first->get());
  CHECK(share_folder(opened(other.path()))->get() != first->get());
  CHECK_FALSE(share_folder(Fd())->valid());
}

TEST_CASE("a shared descriptor is closed with the last who holds it") {
  const TemporaryFolder folder;
  auto first = share_folder(opened(folder.path()));
  auto second = share_folder(opened(folder.path()));
  const int fd = first->get();
  first.reset();
  CHECK(::fcntl(fd, F_GETFD) >= 0);
  second.reset();
  CHECK(::fcntl(fd, F_GETFD) < 0);
  CHECK(share_folder(opened(folder.path()))->valid());
}
