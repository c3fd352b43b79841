#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// How the processes of a run are known by their environment, which descends from parent to child
// unless it is cleared. Pure.
namespace orch::pty {

constexpr std::string_view kRunMark = "ORCH_RUN";  // the run's id
// The ids of a run and of all runs around it, outermost first ("outer:inner"): an agent may run
// orch itself, and what that starts belongs to both.
constexpr std::string_view kRunChain = "ORCH_RUNS";

// The chain of a run that is started where the variables above have these values ("": not set).
std::string chain_below(std::string_view outer_chain, std::string_view outer_mark,
                        std::string_view run_id);

enum class Mark : uint8_t {
  kNone,
  kOfRun,
  kUnclear,  // cannot be told at this moment: the process is in the middle of exec
};
// The run that an environment ("K=V", each ended by a NUL) names, which is the innermost; "" for
// none.
std::string_view run_in(std::string_view environment);

// Whether it is of this run.
Mark mark_in(std::string_view environment, std::string_view run_id);

}  // namespace orch::pty
