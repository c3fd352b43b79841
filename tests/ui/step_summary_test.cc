#include "ui/step_summary.h"

#include <catch2/catch.hpp>

using namespace orch::ui;

namespace {

StepResult hostile(const std::string& text) {
  return {"orch-7", "needs_human", text, 10, 2, 1500, "run", text, text};
}

}  // namespace

TEST_CASE("nothing that an agent says is markup in a summary") {
  const std::string text = step_summary(
      {hostile("</pre><script>\n| x | [l](http://e) ![i](u) @all #1 `c` **b**\n\n# head\x1b[31m")});
  for (const char* markup :
       {"<script", "</pre><", "http:", "[l]", "@", "`", "**", "# head", "\x1b"}) {
    INFO(markup);
    CHECK(text.find(markup) == std::string::npos);
  }
  size_t ends = 0;
  for (size_t at = 0; (at = text.find("</pre>", at)) != std::string::npos; ++at) ++ends;
  CHECK(ends == 2);
}

TEST_CASE("a summary is never longer than it may be") {
  std::vector<StepResult> many(300, hostile(std::string(20'000, '|')));
  const std::string text = step_summary(many);
  CHECK(text.size() <= kMostSummaryBytes);
  CHECK(text.find("There is more than fits here") != std::string::npos);
  CHECK(step_summary(many, 5000).size() <= 5000);
}
