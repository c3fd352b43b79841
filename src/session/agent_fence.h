#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/fence_spec.h"
#include "base/result.h"
#include "fence/fence.h"
#include "session/config_watch.h"
#include "store/run_dir.h"

namespace orch::session {

// What `orch launch` ends with when it starts nothing.
inline constexpr int kCannotLaunch = 126;

// How a run's agent is to be fenced, as its user said it.
struct FenceWish {
  fence::Offer offer;    // without a layer: there is to be no fence
  bool snapshot = true;  // the work directory is saved before the agent starts
  fence::Network network;
  std::vector<std::string> write, read;  // --write, --read
  std::string launcher;       // this orch's path, which what the agent starts may need to read
  std::string socket_folder;  // of orch's sessions
};

// The fence around the agent of one run: its plan, written into the run's folder, and the folder
// for temporary files, which goes with this. The agent itself is shut in by `orch launch`, which
// reads the plan.
class AgentFence {
 public:
  // `environment` is the agent's, K=V each; `argv` starts it. Makes the folders that it writes to.
  static base::Result<std::unique_ptr<AgentFence>> raise(
      const FenceWish& wish, const adapters::FenceSpec& spec, const store::RunDir& dir,
      const std::string& cwd, const std::vector<std::string>& argv,
      const std::vector<std::string>& environment);
  ~AgentFence();
  AgentFence(const AgentFence&) = delete;
  AgentFence& operator=(const AgentFence&) = delete;

  // What to start in place of `argv`.
  std::vector<std::string> around(const std::vector<std::string>& argv) const;
  const fence::Plan& plan() const { return plan_; }
  // What the agent changed that somebody's next start runs, outside of the fence.
  std::vector<std::string> changed() const { return watch_->changed(); }

  std::string snapshot() const;       // its folder; "" when there is none
  std::string snapshot_note() const;  // what it lacks, or why there is none; ""
  // There was to be one, and nothing is started without.
  bool lacks_snapshot() const { return !plan_.snapshot.empty() && snapshot().empty(); }

 private:
  AgentFence(std::string launcher, std::string scratch)
      : launcher_(std::move(launcher)), scratch_(std::move(scratch)) {}

  std::string launcher_;
  std::string scratch_;
  std::string plan_file_;
  fence::Plan plan_;
  std::optional<ConfigWatch> watch_;
};

}  // namespace orch::session
