#pragma once

#include <string>
#include <utility>
#include <vector>

#include "loop/loop.h"
#include "loop/timer.h"
#include "task_run/place.h"

namespace orch::task_run {

// This machine, with or without a sandbox around each run.
class HostPlace final : public Place {
 public:
  HostPlace(loop::Loop& loop, std::vector<std::string> run_words)
      : soon_(loop), run_words_(std::move(run_words)) {}
  void open(Told told) override {
    soon_.start(0, [on_open = std::move(told.on_open)] { on_open(base::Ok{}); });
  }
  std::vector<std::string> run_words() const override { return run_words_; }
  void close(std::function<void()> on_closed) override { soon_.start(0, std::move(on_closed)); }

 private:
  loop::Timer soon_;
  std::vector<std::string> run_words_;
};

}  // namespace orch::task_run
