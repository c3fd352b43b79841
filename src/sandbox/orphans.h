#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/engine.h"

namespace orch::sandbox {

// A container of this user's orch that has lost it, and stands although its leash is gone: it was
// paused, or its daemon was away.
struct Orphan {
  std::string name, session;
};

// Only those whose owner is proven to have ended: it was a process of this machine and of our pid
// namespace, or ran before the machine booted. Waits for the engine, some 0.1 s.
base::Result<std::vector<Orphan>> find_orphans(const Engine& engine);

// Reads what the engine lists: a line for each, fields between tabs. Pure but for the look at the
// owners.
std::string listing_format();
std::vector<Orphan> orphans_in(std::string_view listing, unsigned user);

base::Status remove_container(const Engine& engine, const std::string& name);

}  // namespace orch::sandbox
