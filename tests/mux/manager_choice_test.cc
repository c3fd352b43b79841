#include "mux/manager_choice.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace orch::mux;

TEST_CASE("which manager holds a session") {
  const Circumstances both{.background = true, .tmux = true, .zellij = true};
  const auto with = [&](auto change) {
    Circumstances here = both;
    change(here);
    return here;
  };
  struct Row {
    const char* what;
    ManagerOption wanted;
    Circumstances here;
    ManagerKind kind;
    bool warns;
  };
  const std::vector<Row> rows{
      {"the foreground is always native", ManagerOption::kTmux,
       with([](auto& here) { here.background = false; }), ManagerKind::kNative, false},
      {"tmux comes first", ManagerOption::kAuto, both, ManagerKind::kTmux, false},
      {"then zellij", ManagerOption::kAuto, with([](auto& here) { here.tmux = false; }),
       ManagerKind::kZellij, false},
      {"then native", ManagerOption::kAuto, {.background = true}, ManagerKind::kNative, false},
      {"native in a container", ManagerOption::kAuto,
       with([](auto& here) { here.container = true; }), ManagerKind::kNative, false},
      {"native in CI", ManagerOption::kAuto, with([](auto& here) { here.ci = true; }),
       ManagerKind::kNative, false},
      {"native inside of another run", ManagerOption::kAuto,
       with([](auto& here) { here.run = true; }), ManagerKind::kNative, false},
      {"what is asked for holds in a container, too", ManagerOption::kTmux,
       with([](auto& here) { here.container = true; }), ManagerKind::kTmux, false},
      {"native asked for", ManagerOption::kNative, both, ManagerKind::kNative, false},
      {"zellij asked for", ManagerOption::kZellij, both, ManagerKind::kZellij, false},
      {"tmux asked for and missing", ManagerOption::kTmux,
       with([](auto& here) { here.tmux = false; }), ManagerKind::kNative, true},
      {"zellij asked for and missing", ManagerOption::kZellij,
       with([](auto& here) { here.zellij = false; }), ManagerKind::kNative, true},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const Choice choice = choose(row.wanted, row.here);
    CHECK(choice.kind == row.kind);
    CHECK(choice.warning.empty() != row.warns);
    CHECK(choice.warning.find('\n') == std::string::npos);
    CHECK_FALSE(choice.reason.empty());
  }
}

TEST_CASE("the words of managers") {
  for (const ManagerOption wanted : {ManagerOption::kAuto, ManagerOption::kNative,
                                     ManagerOption::kTmux, ManagerOption::kZellij}) {
    CHECK(option_named(name(wanted)) == wanted);
  }
  CHECK_FALSE(option_named("screen"));
  CHECK_FALSE(option_named(""));
}
