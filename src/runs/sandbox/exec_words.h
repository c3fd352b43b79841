#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/engine.h"
#include "session/enclosure.h"

// How to run a process in a container that is up. Pure.
namespace orch::sandbox {

// The client's command line, and the additions to its environment. The values of the process's
// variables are in the client's environment under names that mean nothing to the client: so none is
// visible on a command line, and none (LD_PRELOAD, DOCKER_HOST) affects the client. A shell in the
// container gives the variables their own names, waits on a terminal until that has its size, and
// executes the program.
struct ExecPlan {
  std::vector<std::string> argv;
  std::vector<std::string> env;  // K=V
};
struct ExecOrder {
  std::string container;
  std::string folder;  // the working directory, in the container
  session::Enclosure::Talk talk = session::Enclosure::Talk::kPipes;
  std::map<std::string, std::string> env;
  std::string mark;
};
ExecPlan exec_plan(const Engine& engine, const ExecOrder& order,
                   const std::vector<std::string>& argv);

// Whether a shell can give a variable this name; if not, the error quotes it.
base::Status check_variable(std::string_view name);

// The command that kills every process with this mark in its environment, except for PID 1.
std::vector<std::string> kill_marked_words(const Engine& engine, const std::string& container,
                                           const std::string& mark);
// The command that lists the resources used by these processes, in the form that
// pty::life_signs_in() reads.
std::vector<std::string> life_words(const Engine& engine, const std::string& container,
                                    const std::string& mark);

}  // namespace orch::sandbox
