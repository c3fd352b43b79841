#include "loop/loop.h"

#include <uv.h>

#include <csignal>

#include "base/check.h"

namespace orch::loop {

void Loop::Close::operator()(uv_loop_t* loop) const noexcept {
  // The close callbacks of what was destroyed since the last turn; a stop() since then costs a
  // turn.
  if (uv_run(loop, UV_RUN_NOWAIT) != 0) uv_run(loop, UV_RUN_NOWAIT);
  ORCH_CHECK(uv_loop_close(loop) == 0);
  delete loop;
}

Loop::Loop() {
  ORCH_CHECK(std::signal(SIGPIPE, SIG_IGN) != SIG_ERR);
  ORCH_CHECK(std::signal(SIGCHLD, SIG_DFL) != SIG_ERR);
  auto loop = std::make_unique<uv_loop_t>();
  ORCH_CHECK(uv_loop_init(loop.get()) == 0);
  uv_.reset(loop.release());
}

Loop::~Loop() = default;

void Loop::run() { uv_run(uv_.get(), UV_RUN_DEFAULT); }

void Loop::stop() { uv_stop(uv_.get()); }

int64_t Loop::now_ms() const { return static_cast<int64_t>(uv_hrtime() / 1'000'000); }

}  // namespace orch::loop
