#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// The marks of a run's processes: variables of their environment, which children inherit unless it
// is cleared. Pure.
namespace orch::pty {

constexpr std::string_view kRunMark = "ORCH_RUN";  // its value is the run's id
// Its value has the ids of a run and of all runs around it, outermost first ("outer:inner"): an
// agent may run orch itself, and that orch's processes belong to both runs.
constexpr std::string_view kRunChain = "ORCH_RUNS";

// The value of kRunChain for a run that is started where the two variables have these values ("":
// not set).
std::string chain_below(std::string_view outer_chain, std::string_view outer_mark,
                        std::string_view run_id);

enum class Mark : uint8_t {
  kNone,
  kOfRun,
  kUnclear,  // unknown for now: the process is in the middle of exec
};
// The innermost run that an environment ("K=V", each ended by a NUL) names; "" if none.
std::string_view run_in(std::string_view environment);

// Whether the environment is that of a process of this run.
Mark mark_in(std::string_view environment, std::string_view run_id);

}  // namespace orch::pty
