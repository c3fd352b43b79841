#pragma once

#include <string>

#include "pty/life_signs.h"
#include "run/machine.h"
#include "run/named_moment.h"

// What the pure run machine asks about the world.
namespace orch::session {

run::LocalTime local_time();
run::Clocks clocks();

// What two looks at an agent's processes showed, in one line: "1 child processes (node), 20 ms of
// CPU used in 2 s (900 ms in all), 1 connections of 3 sockets".
std::string evidence_of(const pty::LifeSigns& before, const pty::LifeSigns& after);

}  // namespace orch::session
