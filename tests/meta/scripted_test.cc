#include "meta/scripted.h"

#include <catch2/catch.hpp>

namespace orch::meta {

TEST_CASE("a script answers in order, fails where it says so, and then has no more") {
  loop::Loop loop;
  Scripted scripted(loop, {read_scripted("one: 1\n").value(),
                           read_scripted("# fail: the model is ill\n").value()});
  std::vector<std::string> got;
  for (int i = 0; i < 3; ++i) {
    bool inside = true;
    scripted.ask({}, [&](const base::Result<Answer>& answer) {
      CHECK_FALSE(inside);
      got.push_back(answer ? answer.value().text : answer.error().text);
    });
    inside = false;
    loop.run();
  }
  CHECK(got == std::vector<std::string>{"one: 1\n", "scripted: the model is ill",
                                        "scripted: the script has no more answers than 2"});
}

TEST_CASE("an answer that is late is taken back with its provider") {
  loop::Loop loop;
  const ScriptedAnswer late = read_scripted("# delay: 30000\n# of the model\nx: 1\n").value();
  CHECK(late.delay_ms == 30'000);
  auto scripted = std::make_unique<Scripted>(loop, std::vector<ScriptedAnswer>{late});
  scripted->ask({}, [](const base::Result<Answer>&) { FAIL("it was taken back"); });
  scripted.reset();
  loop.run();
  CHECK_FALSE(read_scripted("# delay: soon\n").ok());
}

TEST_CASE("a limit of a script's is told with its end, and only of the question that met it") {
  loop::Loop loop;
  Scripted scripted(loop,
                    {read_scripted("# limit: 1500\n").value(), read_scripted("one: 1\n").value()});
  for (const bool at_limit : {true, false}) {
    scripted.ask({}, [&](const base::Result<Answer>& answer) {
      CHECK(answer.ok() != at_limit);
      CHECK(scripted.limit_ms() == (at_limit ? std::optional<int64_t>(1'500) : std::nullopt));
    });
    loop.run();
  }
  CHECK_FALSE(read_scripted("# limit: never\n").ok());
}

}  // namespace orch::meta
