#include "session/pty_source.h"

#include <utility>

namespace orch::session {

base::Result<std::unique_ptr<Source>> PtySource::spawn(loop::Loop& loop, const pty::SpawnPlan& plan,
                                                       SourceObserver& observer) {
  std::unique_ptr<PtySource> source(new PtySource(observer));
  base::Result<std::unique_ptr<pty::Pty>> pty = pty::Pty::spawn(loop, plan, *source);
  if (!pty) return pty.error();
  source->pty_ = std::move(pty).value();
  return std::unique_ptr<Source>(std::move(source));
}

void PtySource::stop(StopOrder order) {
  pty_->stop(std::move(order.quit_bytes), order.quit_ms, order.term_ms);
}

}  // namespace orch::session
