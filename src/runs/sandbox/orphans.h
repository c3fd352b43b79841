#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/engine.h"

namespace orch::sandbox {

// A container of this user whose orch process has ended, and which still exists although its leash
// is gone: it was paused, or its daemon was away.
struct Orphan {
  std::string name, session;
};

// Finds only containers whose owner is proven to have ended: it was a process of this machine and
// of our pid namespace, or it ran before the machine booted. Waits for the engine, some 0.1 s.
base::Result<std::vector<Orphan>> find_orphans(const Engine& engine);

// listing_format() makes the engine list a line for each container, with tabs between the fields.
// orphans_in() reads that. Pure, except for checking whether the owners have ended.
std::string listing_format();
std::vector<Orphan> orphans_in(std::string_view listing, unsigned user);

base::Status remove_container(const Engine& engine, const std::string& name);

}  // namespace orch::sandbox
