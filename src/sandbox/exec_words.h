#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/engine.h"
#include "session/enclosure.h"

// How a process is run in a container that stands. Pure.
namespace orch::sandbox {

// The words of the client, and what its environment must have beside its own: the values of the
// process's variables under names that mean nothing to the client, so that none is in a word and
// none (LD_PRELOAD, DOCKER_HOST) makes the client another. A shell in the container gives them
// their own names, waits on a terminal until that has its size, and becomes the program.
struct ExecPlan {
  std::vector<std::string> argv;
  std::vector<std::string> env;  // K=V
};
struct ExecOrder {
  std::string container;
  std::string folder;  // in the container
  session::Enclosure::Talk talk = session::Enclosure::Talk::kPipes;
  std::map<std::string, std::string> env;
  std::string mark;
};
ExecPlan exec_plan(const Engine& engine, const ExecOrder& order,
                   const std::vector<std::string>& argv);

// Whether a shell can give a variable this name; an error names it.
base::Status check_variable(std::string_view name);

// The words that kill whatever has this mark in its environment, PID 1 apart.
std::vector<std::string> kill_marked_words(const Engine& engine, const std::string& container,
                                           const std::string& mark);
// The words that list what these processes have used, as pty::life_signs_in() reads it.
std::vector<std::string> life_words(const Engine& engine, const std::string& container,
                                    const std::string& mark);

}  // namespace orch::sandbox
