#include "live/frames.h"

#include <unistd.h>

#include "live/counters.h"
#include "live/orch_run.h"
#include "live/temporary_folder.h"

namespace orch::live {
namespace {

constexpr int kFramesPerSecond = 4;
constexpr unsigned kStartS = 3;  // until the agent draws nothing but its frames

}  // namespace

base::Result<std::vector<Figure>> measure_frames(const FramesPlan& plan) {
  const TemporaryFolder folder;
  auto run =
      OrchRun::start(folder, {.agent = {"steady", plan.stream, std::to_string(kFramesPerSecond)},
                              .sessions = 1,
                              .prompt = "",
                              .options = {"--output", "json"}});
  if (!run) return run.error();
  ::sleep(kStartS);
  const auto before = counters_of((*run)->pid());
  ::sleep(static_cast<unsigned>(plan.seconds));
  const auto after = counters_of((*run)->pid());
  if (!before || !after) return (before ? after : before).error();
  const Counters used = *after - *before;
  const auto frames = static_cast<uint64_t>(plan.seconds) * kFramesPerSecond;
  const auto each = [frames](double all) { return all / static_cast<double>(frames); };
  return std::vector<Figure>{
      {"frames.wakeups", each(static_cast<double>(used.sleeps)), "wake-ups/frame", frames},
      {"frames.writes", each(static_cast<double>(used.writes)), "writes/frame", frames},
      {"frames.cpu", each(used.cpu_ms * 1000), "us/frame", frames}};
}

}  // namespace orch::live
