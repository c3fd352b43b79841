#pragma once

#include <map>
#include <string>
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
  bool root = false;          // we are
  bool any() const { return landlock > 0 || !bubblewrap.empty(); }
};
Offer find_offer(const std::string& path);  // as $PATH
// In a few words for a person: "Landlock 7, seccomp, namespaces", "no Landlock, ...".
std::string to_text(const Offer& offer);

// What a run asks of its fence. Paths are absolute.
struct Request {
  std::string work_dir;
  std::string home;
  std::string scratch;                // an empty folder of the run's own
  std::vector<std::string> write;     // beside the work directory; those that exist
  std::vector<std::string> readable;  // secrets that this run may read
  std::vector<std::string> needed;    // files and folders that must be seen wherever they are
  std::vector<std::string> answered;  // sockets that may be connected to
  Network network;
  std::string snapshot;
};

// Why a fence around `work_dir` would hold nothing; "" when it would: it must not be, or hold, the
// home, or the folder where orch keeps its runs.
std::string unfenceable(const std::string& work_dir, const std::string& home,
                        const std::string& state_dir);

// Decides what holds and what is granted, with the layers on offer. An error: what is asked for
// cannot be held here ("--net").
base::Result<Plan> make_plan(const Offer& offer, const Request& request);

// Shuts this process in, by all layers but namespaces, which it must be in already. For ever.
base::Status enter(const Plan& plan);

}  // namespace orch::fence
