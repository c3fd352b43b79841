#include "manager/choice.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace orch::manager;

TEST_CASE("which manager holds a session") {
  const Circumstances both{.background = true, .tmux = true, .zellij = true};
  const auto with = [&](auto change) {
    Circumstances here = both;
    change(here);
    return here;
  };
  struct Row {
    const char* what;
    Wish wish;
    Circumstances here;
    Kind kind;
    bool warns;
  };
  const std::vector<Row> rows{
      {"the foreground is always native", Wish::kTmux,
       with([](auto& here) { here.background = false; }), Kind::kNative, false},
      {"tmux comes first", Wish::kAuto, both, Kind::kTmux, false},
      {"then zellij", Wish::kAuto, with([](auto& here) { here.tmux = false; }), Kind::kZellij,
       false},
      {"then native", Wish::kAuto, {.background = true}, Kind::kNative, false},
      {"native in a container", Wish::kAuto, with([](auto& here) { here.container = true; }),
       Kind::kNative, false},
      {"native in CI", Wish::kAuto, with([](auto& here) { here.ci = true; }), Kind::kNative, false},
      {"native inside of another run", Wish::kAuto, with([](auto& here) { here.run = true; }),
       Kind::kNative, false},
      {"what is asked for holds in a container, too", Wish::kTmux,
       with([](auto& here) { here.container = true; }), Kind::kTmux, false},
      {"native asked for", Wish::kNative, both, Kind::kNative, false},
      {"zellij asked for", Wish::kZellij, both, Kind::kZellij, false},
      {"tmux asked for and missing", Wish::kTmux, with([](auto& here) { here.tmux = false; }),
       Kind::kNative, true},
      {"zellij asked for and missing", Wish::kZellij, with([](auto& here) { here.zellij = false; }),
       Kind::kNative, true},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const Choice choice = choose(row.wish, row.here);
    CHECK(choice.kind == row.kind);
    CHECK(choice.warning.empty() != row.warns);
    CHECK(choice.warning.find('\n') == std::string::npos);
    CHECK_FALSE(choice.reason.empty());
  }
}

TEST_CASE("the words of managers") {
  for (const Wish wish : {Wish::kAuto, Wish::kNative, Wish::kTmux, Wish::kZellij}) {
    CHECK(wish_named(name(wish)) == wish);
  }
  CHECK_FALSE(wish_named("screen"));
  CHECK_FALSE(wish_named(""));
}
