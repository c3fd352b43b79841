#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ui/color.h"
#include "ui/error_line.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}

namespace orch::setup {
class Diagnostics;
}

namespace orch::cli {

using ui::report;  // reports the error of a command on stderr and returns the exit code

// The exit code of commands about a session that does not exist, or no longer does.
inline constexpr int kNoSuchSession = 4;
// The exit code if a message was typed, but nothing shows that the agent took it.
inline constexpr int kUnconfirmed = 3;
// The exit code if the agent took the message, but its turn was not over in time.
inline constexpr int kUnfinished = 5;
// The exit code if nothing was typed because too many messages wait already; it may work later.
inline constexpr int kNothingTyped = 6;
// Reports why no session, or no run, was found; returns kNoSuchSession for kNotFound.
int report_no_session(const base::Error& error);

// `orch` without a command: runs orch top if this is a terminal; otherwise returns nullopt.
std::optional<int> run_top_alone();

// Each command adds itself to the command line, which keeps its options alive. When the line has
// been parsed, the command stores in `chosen` the function that does the work and returns the exit
// code.
using Chosen = std::function<int()>;
void add_run_command(CLI::App& app, std::vector<std::string> after_dashes,
                     setup::Diagnostics& diagnostics, Chosen& chosen);
void add_replay_command(CLI::App& app, Chosen& chosen);
void add_explain_command(CLI::App& app, Chosen& chosen);
void add_shot_command(CLI::App& app, Chosen& chosen);
void add_report_command(CLI::App& app, Chosen& chosen);
void add_sessions_command(CLI::App& app, Chosen& chosen);
void add_top_command(CLI::App& app, Chosen& chosen);
void add_attach_command(CLI::App& app, Chosen& chosen);
void add_status_command(CLI::App& app, Chosen& chosen);
void add_logs_command(CLI::App& app, Chosen& chosen);
void add_wait_command(CLI::App& app, Chosen& chosen);
void add_send_command(CLI::App& app, Chosen& chosen);
void add_answer_command(CLI::App& app, Chosen& chosen);
void add_keys_command(CLI::App& app, Chosen& chosen);
void add_reset_command(CLI::App& app, Chosen& chosen);
void add_kill_command(CLI::App& app, Chosen& chosen);
void add_runs_command(CLI::App& app, Chosen& chosen);
void add_show_command(CLI::App& app, Chosen& chosen);
void add_stop_command(CLI::App& app, Chosen& chosen);
void add_feedback_command(CLI::App& app, Chosen& chosen);
void add_land_command(CLI::App& app, Chosen& chosen);
void add_race_command(CLI::App& app, Chosen& chosen);
void add_retry_command(CLI::App& app, setup::Diagnostics& diagnostics, Chosen& chosen);
void add_continue_command(CLI::App& app, setup::Diagnostics& diagnostics, Chosen& chosen);
void add_task_command(CLI::App& app, setup::Diagnostics& diagnostics, Chosen& chosen);
void add_crew_command(CLI::App& app, setup::Diagnostics& diagnostics, Chosen& chosen);
void add_skill_command(CLI::App& app, Chosen& chosen);
void add_acp_command(CLI::App& app, Chosen& chosen);
void add_mcp_command(CLI::App& app, Chosen& chosen);
void add_submit_command(CLI::App& app, std::vector<std::string> after_dashes, Chosen& chosen);
void add_jobs_command(CLI::App& app, Chosen& chosen);
void add_collect_command(CLI::App& app, Chosen& chosen);
void add_undo_command(CLI::App& app, Chosen& chosen);
void add_diff_command(CLI::App& app, Chosen& chosen);
void add_gc_command(CLI::App& app, Chosen& chosen);
void add_agents_command(CLI::App& app, std::vector<std::string> after_dashes, Chosen& chosen);
void add_capabilities_command(CLI::App& app, Chosen& chosen);
void add_show_agent(CLI::App& agents, Chosen& chosen);  // "orch agents show"
void add_new_agent(CLI::App& agents, std::vector<std::string> after_dashes,
                   Chosen& chosen);  // "orch agents new"
void add_doctor_command(CLI::App& app, Chosen& chosen);
void add_plan_command(CLI::App& app, Chosen& chosen);
void add_policy_command(CLI::App& app, Chosen& chosen);
void add_tape_command(CLI::App& app, Chosen& chosen);
void add_config_command(CLI::App& app, Chosen& chosen);
void add_trust_command(CLI::App& app, Chosen& chosen);
void add_completion_command(CLI::App& app, Chosen& chosen);
void add_help_command(CLI::App& app, Chosen& chosen);
void add_version_command(CLI::App& app, Chosen& chosen);
// Adds the command `only`, or all of these if no command has that name; adding one takes a tenth of
// a millisecond. `after_dashes` are the words after -- on the command line.
void add_commands(CLI::App& app, std::string_view only, std::vector<std::string> after_dashes,
                  setup::Diagnostics& diagnostics, Chosen& chosen);

}  // namespace orch::cli
