#pragma once

#include <memory>
#include <string>

#include "loop/loop.h"
#include "sandbox/container.h"
#include "sandbox/container_request.h"
#include "sandbox/engine.h"

namespace orch::sandbox {

// Starts a container for a task. Several runs work in it, one after the other. Each run joins it by
// its name (orch run --container NAME), and at its end it ends the processes that it started there.
// The container lives as long as the returned object, and no longer than this process. Use it like
// this:
//   container->observe(this);           on_up(): its runs may join; on_lost(why): it is gone
//   container->end_inside(kKill);       between two runs, to be sure
//   container->close([] { ... });       at the end: it is removed then
std::unique_ptr<Container> begin_for_task(loop::Loop& loop, const Engine& engine,
                                          ContainerRequest wanted, const std::string& task);

}  // namespace orch::sandbox
