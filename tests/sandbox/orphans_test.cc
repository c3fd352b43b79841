#include "sandbox/orphans.h"

#include <catch2/catch.hpp>

#include "sandbox/labels.h"

namespace orch::sandbox {
namespace {

std::string row(const std::string& name, const std::string& user, const std::string& owner) {
  return name + "\t" + user + "\torch-7\t" + owner + "\n";
}

TEST_CASE("only a container of ours whose orch is proven to be gone is an orphan") {
  const pty::ProcessIdentity living = pty::own_identity();
  pty::ProcessIdentity dead = living;
  dead.start += 1;  // the pid belongs to another process now
  pty::ProcessIdentity elsewhere = dead;
  elsewhere.boot_id = "another";
  elsewhere.hostname = "another";
  pty::ProcessIdentity unclear = dead;
  unclear.start = 0;
  const std::string listing =
      row("a", "1000", pty::identity_text(living)) + row("b", "1000", pty::identity_text(dead)) +
      row("c", "1001", pty::identity_text(dead)) + row("d", "1000", pty::identity_text(elsewhere)) +
      row("e", "1000", pty::identity_text(unclear)) + row("f", "1000", "no owner") +
      row("--all", "1000", pty::identity_text(dead));
  const std::vector<Orphan> orphans = orphans_in(listing, 1000);
  REQUIRE(orphans.size() == 1);
  CHECK(orphans.front().name == "b");
  CHECK(orphans.front().session == "orch-7");
}

}  // namespace
}  // namespace orch::sandbox
