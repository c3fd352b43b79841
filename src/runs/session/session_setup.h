#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/launch.h"
#include "adapters/manifest.h"
#include "agent/model_gateway.h"
#include "detect/rules.h"
#include "driver/driver.h"
#include "driver/speakers.h"
#include "mask/secrets.h"
#include "options/run_request.h"
#include "pty/guardian.h"
#include "repo/worktree.h"
#include "run/machine.h"
#include "session/agent_fence.h"
#include "session/enclosure.h"
#include "session/source.h"
#include "store/cast_writer.h"
#include "store/run_record.h"
#include "term/screen.h"

namespace orch::session {

// The files that a run keeps in addition to its status: the recording and the agent's words.
struct RecordPlan {
  bool keep = true;  // false: no recording and no words, whatever the other options say
  int64_t limit_bytes = store::kDefaultRecordLimit;
  std::optional<int64_t> keep_for_ms;  // after the run's end; absent: until orch gc removes it
};

struct SessionSetup;

// Makes the driver for one process of the agent, which begins at `now`.
using DriverFactory =
    std::function<std::unique_ptr<driver::Driver>(const SessionSetup& setup, base::TimeMs now)>;

// The source and the driver of an agent on a pty of orch's own, which is watched by its screen.
base::Result<std::unique_ptr<Source>> native_source(loop::Loop& loop, const pty::SpawnPlan& plan,
                                                    SourceObserver& observer);
std::unique_ptr<driver::Driver> screen_driver(const SessionSetup& setup, base::TimeMs now);
// The source and the driver of an agent without a terminal, which is watched by its JSON lines.
base::Result<std::unique_ptr<Source>> headless_source(loop::Loop& loop, const pty::SpawnPlan& plan,
                                                      SourceObserver& observer);
std::unique_ptr<driver::Driver> stream_driver(const SessionSetup& setup, base::TimeMs now);
// The driver of an agent of the Agent Client Protocol, which needs the same source.
std::unique_ptr<driver::Driver> acp_driver(const SessionSetup& setup, base::TimeMs now);

enum class Mode : uint8_t {
  kInteractive,  // the agent is on a terminal and lives as long as the run
  kHeadless,     // the agent has no terminal, and a process for one turn or several
};

// The manager that holds the session in addition to its host, and why. Only descriptive: `source`
// does the work.
struct ManagerPlan {
  std::string name = "native";  // native, tmux, zellij
  std::string reason = "a foreground run is its own session";
  std::string server;  // tmux: the label of its socket; otherwise ""
};

// Everything a session needs to know before it starts. All names in it have been checked.
struct SessionSetup {
  // The agent's command line as it is recorded and shown.
  std::vector<std::string> told_argv() const { return adapters::told_argv(launch); }

  std::string issue;
  std::string member = {};                       // the agent's name in its crew; "": it is in none
  const adapters::Manifest* manifest = nullptr;  // these two outlive the session
  const detect::RuleSet* rules = nullptr;
  // Made from the manifest; null: the driver makes its own.
  std::shared_ptr<const driver::Speakers> speakers = {};
  std::string agent_version = {};  // as the agent's program says it; "": not known, or not yet
  adapters::LaunchPlan launch;
  std::string cwd;         // absolute
  std::string repository;  // the root of the repository, or cwd if there is none
  term::Size size{120, 40};
  run::RunPlan plan;
  std::string gate_lock = {};  // the path of the file that gates lock; "": none
  std::string state_dir;
  RecordPlan record;
  pty::Guardian* guardian = nullptr;  // ends the run if this process dies; outlives the session
  std::string hook_program;           // the orch that the agent's hooks run; empty: no hooks
  // The session's socket, where the hooks report the agent's calls (run::RunPlan::check_calls).
  std::string check_socket = {};
  std::string own_program = "/proc/self/exe";  // this orch, for its helpers
  std::string own_path = {};                   // the path that this orch was started from
  std::optional<FenceRequest> fence;           // absent: the agent may do what its user may
  // The agent's container; null: it runs among this machine's own processes. `source` starts it
  // there.
  std::shared_ptr<Enclosure> enclosure = {};
  // Makes the gateway in front of the model; null: the agent asks its model itself.
  agent::GatewayFactory gateway = {};
  std::string agent_settings = {};  // JSON text: settings for the agent, with those of its hooks
  std::vector<adapters::McpServer> mcp_servers = {};  // that the agent starts
  std::set<std::string> outside = {};  // variables of orch's own that the agent does not get
  // The worktree that the agent is to work in. The host makes it when the session's turn comes;
  // then `cwd` is in it.
  std::optional<repo::WorktreeRequest> worktree_request = {};
  // The worktree around `cwd`; absent: `cwd` is the user's own folder.
  std::optional<repo::Worktree> worktree;
  std::optional<store::RunBase> base = {};     // of that worktree
  std::optional<options::RunRequest> request;  // the user's request, to be recorded
  std::optional<std::string> parent;           // the run that this one retries or continues
  // No record, output or artifact of the run contains these. They do not change the agent's input
  // or drawing.
  std::shared_ptr<const mask::Secrets> secrets = std::make_shared<const mask::Secrets>();
  bool trust_agent = false;  // the agent's processes may act on sessions as a user may
  ManagerPlan manager;
  // How long the session stays after a failure, with the place where its agent ran, for somebody to
  // look at; absent: it does not stay.
  std::optional<int64_t> keep_errored_ms;
  Mode mode = Mode::kInteractive;  // `source` and `driver` have to match it
  // The host runs other sessions: if the system has no room for this one now
  // (base::ErrorCode::kShortage), it will be tried again, so the failed start is not recorded.
  bool waits_for_room = false;
  // Called in Session::start() if the agent could not be started and the run's files say so; gets
  // the result that they contain.
  std::function<void(const store::RunResult&)> on_not_started = {};
  bool queued = false;  // it waits for its turn, with its file (store/queued_session.h)
  SourceFactory source = native_source;
  DriverFactory driver = screen_driver;
};

}  // namespace orch::session
