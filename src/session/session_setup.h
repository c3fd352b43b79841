#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/launch.h"
#include "adapters/manifest.h"
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

// What a run leaves on disk beside its status: the recording and the agent's words.
struct RecordPlan {
  bool keep = true;  // false: neither, whatever else asks for them
  int64_t limit_bytes = store::kDefaultRecordLimit;
  std::optional<int64_t> keep_for_ms;  // after the run's end; absent: until orch gc is told to
};

struct SessionSetup;

// Makes the driver of one process of the agent, which begins at `now`.
using DriverFactory =
    std::function<std::unique_ptr<driver::Driver>(const SessionSetup& setup, base::TimeMs now)>;

// The agent on a terminal of orch's own, and its screen.
base::Result<std::unique_ptr<Source>> native_source(loop::Loop& loop, const pty::SpawnPlan& plan,
                                                    SourceObserver& observer);
std::unique_ptr<driver::Driver> screen_driver(const SessionSetup& setup, base::TimeMs now);
// The agent without a terminal, and its JSON lines.
base::Result<std::unique_ptr<Source>> headless_source(loop::Loop& loop, const pty::SpawnPlan& plan,
                                                      SourceObserver& observer);
std::unique_ptr<driver::Driver> stream_driver(const SessionSetup& setup, base::TimeMs now);

enum class Mode : uint8_t {
  kInteractive,  // on a terminal, for as long as the run
  kHeadless,     // a process for a turn, or for several
};

// What holds the session, beside its host, and why. For who asks; `source` is what acts.
struct ManagerPlan {
  std::string name = "native";  // native, tmux, zellij
  std::string reason = "a foreground run is its own session";
  std::string server;  // of tmux: the label of its socket; else ""
};

// Everything a session needs to know before it starts. Names were checked.
struct SessionSetup {
  std::string issue;
  std::string member = {};                       // the agent's name in its crew; "": it is of none
  const adapters::Manifest* manifest = nullptr;  // these two outlive the session
  const detect::RuleSet* rules = nullptr;
  std::shared_ptr<const driver::Speakers> speakers = {};  // the manifest's; null: of its own
  std::string agent_version = {};  // as its program says; "": not known, or not yet
  adapters::LaunchPlan launch;
  std::string cwd;         // absolute
  std::string repository;  // its root, else cwd
  term::Size size{120, 40};
  run::RunPlan plan;
  std::string state_dir;
  RecordPlan record;
  pty::Guardian* guardian = nullptr;  // ends the run should this process die; outlives the session
  std::string hook_program;           // the orch that the agent's hooks run; empty: no hooks
  std::string own_program = "/proc/self/exe";  // this orch, for its helpers
  std::string own_path = {};                   // what the file of this orch was called
  std::optional<FenceWish> fence;              // absent: the agent may do what its user may
  // Where the agent works, if not among this machine's own processes; `source` starts it there.
  std::shared_ptr<Enclosure> enclosure = {};
  // The worktree that it is to work in, made by the host when its turn comes: then `cwd` is there.
  std::optional<repo::WorktreeWish> worktree_wish = {};
  // In which `cwd` is; absent: it is the person's own folder.
  std::optional<repo::Worktree> worktree;
  std::optional<options::RunRequest> request;  // what was asked for, to be recorded
  std::optional<std::string> parent;           // the run that this one retries or continues
  // What no record, output or artifact of the run holds. What the agent gets and draws is never
  // changed by it.
  std::shared_ptr<const mask::Secrets> secrets = std::make_shared<const mask::Secrets>();
  bool trust_agent = false;  // its processes may act on sessions as a person may
  ManagerPlan manager;
  // After a failure the session stays so long, with the place where its agent ran, for somebody to
  // look at; absent: it does not.
  std::optional<int64_t> keep_errored_ms;
  Mode mode = Mode::kInteractive;  // source and driver are of that mode
  // Others of its host run: where the system has no room for it now (base::ErrorCode::kShortage) it
  // is tried again, and its failure to start is not kept.
  bool waits_for_room = false;
  // Called in Session::start() where the agent could not be started and the run's files say so,
  // with what they say.
  std::function<void(const store::RunResult&)> on_not_started = {};
  bool queued = false;  // it waits for its turn in a file (store/queued_session.h)
  SourceFactory source = native_source;
  DriverFactory driver = screen_driver;
};

}  // namespace orch::session
