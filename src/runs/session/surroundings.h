#pragma once

#include <string>

#include "pty/life_signs.h"
#include "run/machine.h"
#include "run/named_moment.h"

// Gives the pure run machine its facts about the world: time and clocks, and signs of life.
namespace orch::session {

run::LocalTime local_time();
run::Clocks clocks();

// The difference between two looks at an agent's processes, in one line: "1 child processes (node),
// 20 ms of CPU used in 2 s (900 ms in all), 1 connections of 3 sockets".
std::string evidence_of(const pty::LifeSigns& before, const pty::LifeSigns& after);

}  // namespace orch::session
