#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fence/plan.h"

namespace orch::fence {

// What this machine has to fence a process with.
struct Offer {
  int landlock = 0;  // landlock_version()
  bool seccomp = false;
  std::string bubblewrap;     // the program; "" when there are to be no namespaces
  std::string no_namespaces;  // why not
  bool refused = false;       // ... because bubblewrap lies where agents may write
  bool root = false;          // we are
  bool any() const { return landlock > 0 || !bubblewrap.empty(); }
};
Offer find_offer();
// In a few words for a person: "Landlock 7, seccomp, namespaces", "no Landlock, ...".
std::string to_text(const Offer& offer);

// The value of a variable, "" where there is none.
using Variables = std::function<std::string(std::string_view)>;

// What a run asks of its fence. Paths are absolute; those of what is granted or opened are without
// links, as they were when that was decided.
struct Request {
  std::string work_dir;
  std::vector<std::string> git;  // what git keeps elsewhere: fence/git_folders.h
  Guarded guarded;
  Variables variables;                // of orch's own environment, never the agent's
  std::vector<std::string> homes;     // whose keys are closed, beside those of the user
  std::string scratch;                // an empty folder of the run's own
  std::vector<std::string> write;     // beside the work directory; those that exist
  std::vector<std::string> readable;  // secrets that this run may read
  std::vector<std::string> needed;    // files and folders that must be seen wherever they are
  std::vector<std::string> answered;  // sockets that may be connected to
  Network network;
  std::string snapshot;
};

// Decides what holds and what is granted, with the layers on offer; none on offer, nothing is held.
// An error: what is asked for cannot be held here ("--net"), or must not be granted (grant.h).
base::Result<Plan> make_plan(const Offer& offer, const Request& request);

// Is this process's working directory the one that the plan was made for? An error where it is
// another by now.
base::Status check_place(const Plan& plan);

// Shuts this process in, by all layers but namespaces, which it must be in already. For ever. An
// error where a folder that was granted is another by now.
base::Status enter(const Plan& plan);

}  // namespace orch::fence
