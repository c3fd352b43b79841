#include "attach/arbiter.h"

#include <catch2/catch.hpp>

using namespace orch::attach;
using orch::term::Size;

TEST_CASE(
    "the smallest window of those who may type is the screen's size, else it is the run's own") {
  Arbiter arbiter({120, 40});
  CHECK(arbiter.size() == Size{120, 40});
  const ViewerId looks = arbiter.join(std::nullopt);
  CHECK(arbiter.size() == Size{120, 40});
  const ViewerId wide = arbiter.join(Size{200, 30});
  CHECK(arbiter.size() == Size{200, 30});
  const ViewerId tall = arbiter.join(Size{100, 60});
  CHECK(arbiter.size() == Size{100, 30});
  arbiter.on_window(wide, {90, 70});
  CHECK(arbiter.size() == Size{90, 60});
  arbiter.on_window(looks, {50, 20});
  CHECK(arbiter.size() == Size{90, 60});
  arbiter.leave(wide);
  arbiter.leave(tall);
  CHECK(arbiter.size() == Size{120, 40});
  arbiter.on_own_size({80, 24});
  CHECK(arbiter.size() == Size{80, 24});
  CHECK(arbiter.viewers() == 1);
}

TEST_CASE("nobody's window makes the screen unreadable, or larger than can be") {
  Arbiter arbiter({80, 24});
  const ViewerId viewer = arbiter.join(Size{1, 1});
  CHECK(arbiter.size() == kLeastSize);
  arbiter.on_window(viewer, {0, -5});
  CHECK(arbiter.size() == kLeastSize);
  arbiter.on_window(viewer, {1'000'000, 1'000'000});
  CHECK(arbiter.size() == Size{orch::term::kMaxCols, orch::term::kMaxRows});
}

TEST_CASE("only who has a window types, and nobody who has left") {
  Arbiter arbiter({80, 24});
  const ViewerId looks = arbiter.join(std::nullopt);
  CHECK_FALSE(arbiter.may_type());
  CHECK_FALSE(arbiter.on_keys(0, looks, "x"));
  CHECK_FALSE(arbiter.on_keys(0, 99, "x"));
  const ViewerId types = arbiter.join(Size{80, 24});
  CHECK(arbiter.may_type());
  CHECK(arbiter.on_keys(0, types, "x"));
  arbiter.leave(types);
  CHECK_FALSE(arbiter.on_keys(0, types, "x"));
  CHECK(arbiter.take_keys(0, false) == "x");  // keys that it typed before it left
  CHECK(arbiter.join(Size{80, 24}) != types);
}

TEST_CASE("orch waits while somebody types, and longer while a text is begun") {
  Arbiter arbiter({80, 24});
  const ViewerId viewer = arbiter.join(Size{80, 24});
  CHECK_FALSE(arbiter.is_held(0));
  CHECK(arbiter.on_keys(1'000, viewer, "\x1b[A"));
  CHECK(arbiter.take_keys(1'000, false) == "\x1b[A");
  CHECK(arbiter.is_held(1'000 + kTypingMs - 1));
  CHECK_FALSE(arbiter.is_held(1'000 + kTypingMs));
  CHECK(arbiter.next_change(1'000) == 1'000 + kTypingMs);

  CHECK(arbiter.on_keys(10'000, viewer, "half a sen"));
  arbiter.take_keys(10'000, false);
  CHECK(arbiter.is_held(10'000 + kDraftMs - 1));
  // A viewer that has gone away does not hold up orch for ever.
  CHECK_FALSE(arbiter.is_held(10'000 + kDraftMs));
  CHECK(arbiter.on_keys(20'000, viewer, "tence\r"));
  arbiter.take_keys(20'000, false);
  CHECK_FALSE(arbiter.is_held(20'000 + kTypingMs));
  CHECK(arbiter.next_change(20'000 + kTypingMs) == std::nullopt);

  CHECK(arbiter.on_keys(30'000, viewer, "left"));
  arbiter.take_keys(30'000, false);
  arbiter.leave(viewer);
  CHECK_FALSE(arbiter.is_held(30'001));
}

TEST_CASE("keys wait while orch types a message, in order, but not for long") {
  Arbiter arbiter({80, 24});
  const ViewerId one = arbiter.join(Size{80, 24});
  const ViewerId other = arbiter.join(Size{80, 24});
  CHECK(arbiter.on_keys(100, one, "a"));
  CHECK(arbiter.take_keys(100, true).empty());
  CHECK(arbiter.on_keys(200, other, "b"));
  CHECK(arbiter.waiting_bytes() == 2);
  CHECK(arbiter.is_held(200));
  CHECK(arbiter.take_keys(300, false) == "ab");
  CHECK(arbiter.waiting_bytes() == 0);

  CHECK(arbiter.on_keys(1'000, one, "c"));
  CHECK(arbiter.next_change(1'000) == 1'000 + kMostWaitMs);
  CHECK(arbiter.take_keys(1'000 + kMostWaitMs - 1, true).empty());
  CHECK(arbiter.take_keys(1'000 + kMostWaitMs, true) == "c");
}
