#include "pty/family.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

using namespace orch::pty;

namespace {

constexpr pid_t kSelf = 100;

struct Invented {
  pid_t pid, parent, session;
  uint64_t start = 50;
  Mark mark = Mark::kNone;
};

Family family_of(const std::vector<Invented>& processes, const Known& known = {}) {
  std::vector<Sighted> all;
  for (const Invented& p : processes) {
    ProcessEntry entry;
    entry.pid = p.pid;
    entry.parent = p.parent;
    entry.session = p.session;
    entry.start = p.start;
    all.push_back({entry, p.mark});
  }
  return family_in(all, known, kSelf);
}

std::vector<pid_t> pids(const Family& family) {
  std::vector<pid_t> result;
  for (const ProcessEntry& member : family.members) result.push_back(member.pid);
  std::sort(result.begin(), result.end());
  return result;
}

using Pids = std::vector<pid_t>;

}  // namespace

TEST_CASE(
    "the marked and all who descend from them are a family, in whatever order they are seen") {
  std::vector<Invented> all{{4, 3, 4},    {3, 2, 3},     {2, kSelf, 2, 50, Mark::kOfRun},
                            {5, 1, 5},    {6, kSelf, 6}, {7, 5, 5},
                            {kSelf, 1, 1}};
  CHECK(pids(family_of(all)) == Pids{2, 3, 4});
  std::reverse(all.begin(), all.end());
  CHECK(pids(family_of(all)) == Pids{2, 3, 4});
}

TEST_CASE("who is in a session that a member leads belongs to it though its parents are gone") {
  CHECK(pids(family_of({{2, kSelf, 2, 50, Mark::kOfRun}, {3, 1, 2}, {4, 1, 4}})) == Pids{2, 3});
}

TEST_CASE("who is in the session of a leader that is gone belongs to it") {
  CHECK(pids(family_of({{3, kSelf, 2, 60}, {4, 3, 4, 70}}, {{2, 50}})) == Pids{3, 4});
}

TEST_CASE("a session older than the leader we knew, or that another leads, is a stranger's") {
  CHECK(family_of({{3, 1, 2, 40}}, {{2, 50}}).members.empty());
  CHECK(family_of({{2, 1, 2, 90}, {3, 2, 2, 95}}, {{2, 50}}).members.empty());
}

TEST_CASE("a known pid with another start is another process") {
  CHECK(pids(family_of({{2, 1, 2, 50}, {3, 1, 3, 51}}, {{2, 50}, {3, 50}})) == Pids{2});
}

TEST_CASE("this process does not belong to a family, nor do its other children") {
  const Family family =
      family_of({{kSelf, 2, 2, 50, Mark::kOfRun}, {2, 1, 2, 50, Mark::kOfRun}, {3, kSelf, 3}});
  CHECK(pids(family) == Pids{2});
}

TEST_CASE("one that cannot be told makes the look unclear, unless its family tells") {
  CHECK(family_of({{2, 1, 2, 50, Mark::kUnclear}}).unclear);
  const Family told = family_of({{2, 1, 2, 50, Mark::kOfRun}, {3, 2, 3, 50, Mark::kUnclear}});
  CHECK(pids(told) == Pids{2, 3});
  CHECK_FALSE(told.unclear);
}
