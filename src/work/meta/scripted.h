#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "meta/provider.h"

namespace orch::meta {

// One answer of a script: a text or a failure, after a delay.
struct ScriptedAnswer {
  std::string text;
  std::string failure;  // if not "", this comes instead of the text
  int64_t delay_ms = 0;
  std::optional<int64_t> limit_ms;  // the failure is a limit that ends this long after it
};

// Reads an answer from a task file: the text itself. YAML comments at its beginning may say more:
// "# delay: 500" (milliseconds); "# fail: why"; "# limit: 500", a failure at a limit that ends in
// that many milliseconds.
base::Result<ScriptedAnswer> read_scripted(const std::string& text);

// Gives the answers of a list, one after the other, whatever the questions are. After the last one
// every question fails.
class Scripted final : public Provider {
 public:
  Scripted(loop::Loop& loop, std::vector<ScriptedAnswer> answers);
  void ask(const Question& question, OnAnswer on_answer) override;
  std::optional<int64_t> limit_ms() const override { return limit_ms_; }

 private:
  std::vector<ScriptedAnswer> answers_;
  size_t next_ = 0;
  std::optional<int64_t> limit_ms_;
  loop::Timer timer_;
};

}  // namespace orch::meta
