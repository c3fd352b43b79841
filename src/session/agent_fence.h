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
#include "store/temporary_folder.h"

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

// Whom the fence is for.
struct FencedAgent {
  std::string cwd;                       // where it works
  std::string state_dir;                 // where orch keeps what it remembers of places
  std::vector<std::string> argv;         // that start it
  std::vector<std::string> environment;  // the agent's, K=V each
  // The same without what no person chose: by it, and by it alone, is decided what is granted.
  std::vector<std::string> persons_environment;
};

// The fence around the agent of one run: its plan, written into the run's folder, and the folder
// for temporary files, which goes with this. The agent itself is shut in by `orch launch`, which
// reads the plan.
class AgentFence {
 public:
  // Makes the folders that the agent writes to.
  static base::Result<std::unique_ptr<AgentFence>> raise(const FenceWish& wish,
                                                         const adapters::FenceSpec& spec,
                                                         const store::RunDir& dir,
                                                         const FencedAgent& agent);
  AgentFence(const AgentFence&) = delete;
  AgentFence& operator=(const AgentFence&) = delete;

  // Makes of the words and the environment that start a process of the agent's those that start it
  // inside.
  void enclose(std::vector<std::string>& argv, std::vector<std::string>& environment) const;
  const fence::Plan& plan() const { return plan_; }
  // What the agent changed that somebody's next start runs, outside of the fence.
  std::vector<std::string> changed() const { return watch_->changed(); }

  std::string snapshot() const;       // its folder; "" when there is none
  std::string snapshot_note() const;  // what it lacks, or why there is none; ""
  // There was to be one, and nothing is started without.
  bool lacks_snapshot() const { return !plan_.snapshot.empty() && snapshot().empty(); }

 private:
  AgentFence(std::string launcher, store::TemporaryFolder scratch)
      : launcher_(std::move(launcher)), scratch_(std::move(scratch)) {}

  std::string launcher_;
  store::TemporaryFolder scratch_;
  std::string plan_file_;
  fence::Plan plan_;
  std::optional<ConfigWatch> watch_;
};

}  // namespace orch::session
