#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fence/plan.h"

namespace orch::fence {

// This machine's means to fence a process.
struct Offer {
  int landlock = 0;  // the result of landlock_version()
  bool seccomp = false;
  std::string bubblewrap;     // the path of the program; "": namespaces are not available
  std::string no_namespaces;  // why namespaces are not available
  bool refused = false;       // ... namely because agents may write to bubblewrap's place
  bool root = false;          // this process is root
  bool any() const { return landlock > 0 || !bubblewrap.empty(); }
};
Offer find_offer();
// A summary for the user: "Landlock 7, seccomp, namespaces", "no Landlock, ...".
std::string to_text(const Offer& offer);

// Returns the value of a variable, "" if there is none.
using Variables = std::function<std::string(std::string_view)>;

// A run's wishes for its fence. Paths are absolute; those to be granted or opened are without
// links, as they were at the decision.
struct Request {
  std::string work_dir;
  std::vector<std::string> git;  // folders that git keeps elsewhere: fence/git_folders.h
  Guarded guarded;
  Variables variables;                // of orch's own environment, never the agent's
  std::vector<std::string> homes;     // homes whose secrets are closed, in addition to the user's
  std::string scratch;                // an empty folder of the run's own
  std::vector<std::string> write;     // granted in addition to the work directory, if they exist
  std::vector<std::string> readable;  // secrets that this run may read
  std::vector<std::string> needed;    // files and folders that must be visible wherever they are
  // Whether homes are emptied, and which parts of them stay visible in addition to `readable`,
  // `write` and the files that tools need (home.h).
  bool empties_homes = false;
  std::vector<std::string> programs, shown, followed;
  std::vector<std::string> persons;   // homes of the user's choice, in addition to the user's own
  Variables persons_variables;        // PATH and the like; also of the user's choice
  std::vector<std::string> answered;  // sockets that may be connected to
  Network network;
  std::string snapshot;         // where the work directory is saved before; "": it is not
  bool snapshot_needed = true;  // without it nothing is started
  std::string door;             // Plan::door
  uint16_t exit_port = 0;       // Plan::exit_port
};

// Decides which layers hold and which paths are granted, with the layers on offer; with none on
// offer nothing is held. An error: a wish cannot be held here ("--net"), or a path must not be
// granted (grant.h).
base::Result<Plan> make_plan(const Offer& offer, const Request& request);

// Checks that this process's working directory is the one that the plan was made for; an error if
// it has been replaced since.
base::Status check_place(const Plan& plan);

// Shuts this process in for ever, by all layers except namespaces, which it must be in already. An
// error if a folder that was granted has been replaced since.
base::Status enter(const Plan& plan);

}  // namespace orch::fence
