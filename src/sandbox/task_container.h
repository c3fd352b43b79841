#pragma once

#include <memory>
#include <string>

#include "loop/loop.h"
#include "sandbox/container.h"
#include "sandbox/container_wish.h"
#include "sandbox/engine.h"

namespace orch::sandbox {

// Begins a container for a task, which several runs work in, one after the other: each joins it by
// its name (orch run --container NAME) and ends what it started there when it ends. It lives as
// long as what is returned, and as this process: whatever becomes of that. To be used so:
//   container->observe(this);           on_up(): its runs may join; on_lost(why): it is gone
//   container->end_inside(kKill);       between two runs, to be sure
//   container->close([] { ... });       at the end: it is removed then
std::unique_ptr<Container> begin_for_task(loop::Loop& loop, const Engine& engine,
                                          ContainerWish wish, const std::string& task);

}  // namespace orch::sandbox
