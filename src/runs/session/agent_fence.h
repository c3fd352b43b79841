#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/fence_spec.h"
#include "base/result.h"
#include "fence/fence.h"
#include "session/config_watch.h"
#include "session/environment.h"
#include "store/run_dir.h"
#include "store/temporary_folder.h"

namespace orch::session {

// The exit code of `orch internal launch` when it has started nothing.
inline constexpr int kCannotLaunch = 126;

// Added to the name of the plan's file: the error of `orch internal launch` if it cannot raise the
// fence.
inline constexpr const char* kWhyNotRaised = ".txt";

// The fence that the user has asked for, by the options of the run.
struct FenceRequest {
  fence::Offer offer;  // the layers; none of them: no fence is wanted
  // Whether a snapshot of the work directory is taken before the agent starts.
  enum class Snapshot : uint8_t {
    kNone,
    kIfPossible,  // if it cannot be taken, or would take long, the agent starts without it
    kNeeded,      // if it cannot be taken, no agent starts
  };
  Snapshot snapshot = Snapshot::kNeeded;
  fence::Network network;
  uint16_t exit_port = 0;                  // fence::Plan::exit_port
  std::vector<std::string> write, read;    // --write, --read
  std::vector<std::string> verdicts = {};  // fence::Guarded
  std::string launcher;       // the path of this orch, which the agent's processes may need to read
  std::string socket_folder;  // the folder of the sockets of orch's sessions
};

// The paths of a fence's files. All of them lie in one folder that the agent cannot write: the
// folder of a run, or of another process with an id of its own.
class FenceFiles {
 public:
  FenceFiles(std::string id, std::string folder) : id_(std::move(id)), folder_(std::move(folder)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a run's folder is one of these
  FenceFiles(const store::RunDir& dir) : FenceFiles(dir.id(), dir.path()) {}

  const std::string& id() const { return id_; }
  const std::string& path() const { return folder_; }
  std::string fence_file() const { return folder_ + "/fence.json"; }
  std::string snapshot_folder() const { return folder_ + "/snapshot"; }
  std::string notices_pipe() const { return folder_ + "/notices"; }

 private:
  std::string id_, folder_;
};

// The agent that the fence is built around.
struct FencedAgent {
  std::string cwd;                       // its working directory
  std::string state_dir;                 // the folder of orch's state, with its list of work
                                         // folders
  std::vector<std::string> argv;         // the command line that starts it
  std::vector<std::string> environment;  // the agent's, K=V each
  // The agent's environment without the variables that the user did not choose. It alone decides
  // what the fence grants.
  std::vector<std::string> persons_environment;
};

// The fence around the agent of one run. It owns the plan, which is written into the run's folder,
// and the agent's folder for temporary files, which is removed with this object. It shuts nothing
// in itself: `orch internal launch` reads the plan and does that.
class AgentFence {
 public:
  // Makes the plan and its file, and creates the folders that the agent writes to.
  static base::Result<std::unique_ptr<AgentFence>> raise(const FenceRequest& wanted,
                                                         const adapters::FenceSpec& spec,
                                                         const FenceFiles& dir,
                                                         const FencedAgent& agent);
  AgentFence(const AgentFence&) = delete;
  AgentFence& operator=(const AgentFence&) = delete;

  // Changes the command line and the environment of one of the agent's processes so that `orch
  // launch` starts it inside the fence. `own` is the environment of the launcher itself.
  void enclose(std::vector<std::string>& argv, std::vector<std::string>& environment,
               const std::vector<std::string>& own = own_environment()) const;
  const fence::Plan& plan() const { return plan_; }
  // The watched files that the agent has changed although somebody's next start would run programs
  // that they name, outside of the fence.
  std::vector<std::string> changed() const { return watch_->changed(); }

  std::string snapshot() const;       // the snapshot's folder; "" when there is none
  std::string snapshot_note() const;  // the snapshot's omissions, or why there is none; otherwise
                                      // ""
  std::string why_not_raised()
      const;  // one line, if `orch internal launch` could not; otherwise ""
  // A snapshot was needed and could not be taken; then `orch internal launch` starts no agent.
  bool lacks_snapshot() const {
    return plan_.snapshot_needed && !plan_.snapshot.empty() && snapshot().empty();
  }

 private:
  AgentFence(std::string launcher, store::TemporaryFolder scratch)
      : launcher_(std::move(launcher)), scratch_(std::move(scratch)) {}

  // Gives git this configuration of the user's instead of the one in the home; "": it stays.
  base::Status replace_git_config(const std::string& text);

  std::string launcher_;
  store::TemporaryFolder scratch_;
  std::string plan_file_;
  fence::Plan plan_;
  std::optional<ConfigWatch> watch_;
};

}  // namespace orch::session
