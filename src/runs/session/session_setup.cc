#include "session/session_setup.h"

#include "driver/acp_dialect.h"
#include "driver/screen_driver.h"
#include "driver/stream_driver.h"
#include "session/pty_source.h"
#include "session/stream_source.h"

namespace orch::session {

base::Result<std::unique_ptr<Source>> native_source(loop::Loop& loop, const pty::SpawnPlan& plan,
                                                    SourceObserver& observer) {
  return PtySource::spawn(loop, plan, observer);
}

std::unique_ptr<driver::Driver> screen_driver(const SessionSetup& setup, base::TimeMs now) {
  const auto conversation =
      setup.launch.resume.empty() ? driver::Conversation::kNew : driver::Conversation::kResumed;
  return std::make_unique<driver::ScreenDriver>(*setup.manifest, *setup.rules, setup.size, now,
                                                setup.speakers, conversation);
}

base::Result<std::unique_ptr<Source>> headless_source(loop::Loop& loop, const pty::SpawnPlan& plan,
                                                      SourceObserver& observer) {
  return StreamSource::spawn(loop, plan, observer);
}

std::unique_ptr<driver::Driver> stream_driver(const SessionSetup& setup, base::TimeMs now) {
  return std::make_unique<driver::StreamDriver>(*setup.manifest, setup.launch.resume, now,
                                                setup.launch.asks);
}

std::unique_ptr<driver::Driver> acp_driver(const SessionSetup& setup, base::TimeMs now) {
  auto dialect = std::make_unique<driver::AcpDialect>(setup.manifest->acp, setup.cwd);
  return std::make_unique<driver::StreamDriver>(*setup.manifest, std::move(dialect),
                                                setup.launch.resume, now);
}

}  // namespace orch::session
