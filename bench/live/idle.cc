#include "live/idle.h"

#include <unistd.h>

#include <fstream>

#include "live/counters.h"
#include "live/orch_run.h"
#include "live/temporary_folder.h"

namespace orch::live {
namespace {

constexpr unsigned kRestS = 6;  // lets the work that follows the agents' start end

struct Rest {
  Memory memory;
  Counters host;      // used during the time of rest
  uint64_t children;  // wake-ups of all child processes in that time
};

base::Result<uint64_t> sleeps_of_children(pid_t host) {
  const std::string pid = std::to_string(host);
  std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
  uint64_t sleeps = 0;
  for (pid_t child = 0; children >> child;) {
    const base::Result<Counters> counters = counters_of(child);
    if (!counters) return counters.error();
    sleeps += counters->sleeps;
  }
  return sleeps;
}

base::Result<Rest> rest(const std::string& stream, int sessions, int seconds) {
  const TemporaryFolder folder;
  auto run = OrchRun::start(folder, {.agent = {"idle", stream},
                                     .sessions = sessions,
                                     .prompt = "",
                                     .options = {"--output", "json"}});
  if (!run) return run.error();
  if (base::Status idle = (*run)->await_idle(sessions); !idle) return idle.error();
  ::sleep(kRestS);
  const pid_t host = (*run)->pid();
  const auto before = counters_of(host);
  const auto children_before = sleeps_of_children(host);
  ::sleep(static_cast<unsigned>(seconds));
  const auto after = counters_of(host);
  const auto children_after = sleeps_of_children(host);
  const auto memory = memory_of(host);
  if (!before || !after) return (before ? after : before).error();
  if (!children_before || !children_after) {
    return (children_before ? children_after : children_before).error();
  }
  if (!memory) return memory.error();
  return Rest{*memory, *after - *before, *children_after - *children_before};
}

}  // namespace

base::Result<std::vector<Figure>> measure_idle(const IdlePlan& plan) {
  const auto one = rest(plan.stream, 1, 0);
  if (!one) return one.error();
  const auto all = rest(plan.stream, plan.sessions, plan.seconds);
  if (!all) return all.error();
  const auto n = static_cast<uint64_t>(plan.sessions);
  const auto seconds = static_cast<double>(plan.seconds);
  const auto each = [&](double Memory::*kb) {
    return (all->memory.*kb - one->memory.*kb) / static_cast<double>(std::max(n - 1, uint64_t{1}));
  };
  return std::vector<Figure>{
      {"idle.seconds", seconds, "s", n},
      {"idle.wakeups", static_cast<double>(all->host.sleeps), "wake-ups", n},
      {"idle.cpu", all->host.cpu_ms, "ms", n},
      {"idle.wakeups_of_children", static_cast<double>(all->children), "wake-ups", n},
      {"idle.memory_of_one", one->memory.proportional_kb, "KB", 1},
      {"idle.memory_per_session", each(&Memory::proportional_kb), "KB", n},
      {"idle.private_per_session", each(&Memory::private_kb), "KB", n}};
}

}  // namespace orch::live
