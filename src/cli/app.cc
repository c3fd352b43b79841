#include "cli/app.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/own_program.h"
#include "base/uncaught.h"
#include "cli/command.h"
#include "cli/completion_command.h"
#include "cli/help.h"
#include "cli/help_command.h"
#include "cli/manual_command.h"
#include "cli/usage_error.h"
#include "duties/changes.h"
#include "duties/check_call.h"
#include "duties/demo_agent.h"
#include "duties/guardian.h"
#include "duties/hook.h"
#include "duties/init.h"
#include "duties/launch.h"
#include "duties/mcp_server.h"
#include "duties/notify.h"
#include "duties/pane.h"
#include "duties/snapshot.h"
#include "duties/worktree.h"
#include "session/caller_variables.h"
#include "setup/diagnostics.h"
#include "setup/own_programs.h"
#include "sqlite/row_service.h"
#include "ui/standard_streams.h"

namespace orch::cli {

namespace {

// The arguments of the functions that add commands.
struct Given {
  std::vector<std::string> after_dashes;
  setup::Diagnostics& diagnostics;
  Chosen& chosen;
};

void add_run(CLI::App& app, Given& given) {
  add_run_command(app, std::move(given.after_dashes), given.diagnostics, given.chosen);
}

void add_submit(CLI::App& app, Given& given) {
  add_submit_command(app, std::move(given.after_dashes), given.chosen);
}

void add_agents(CLI::App& app, Given& given) {
  add_agents_command(app, std::move(given.after_dashes), given.chosen);
}

template <void (*add)(CLI::App&, Chosen&)>
void add_plain(CLI::App& app, Given& given) {
  add(app, given.chosen);
}

template <void (*add)(CLI::App&, setup::Diagnostics&, Chosen&)>
void add_with(CLI::App& app, Given& given) {
  add(app, given.diagnostics, given.chosen);
}

struct Command {
  std::string_view group, name;
  void (*add)(CLI::App& app, Given& given);
};

// All commands, grouped by purpose, in the order of the help text.
constexpr auto kCommands = std::to_array<Command>({
    {"Run", "run", &add_run},
    {"Run", "continue", &add_with<add_continue_command>},
    {"Run", "retry", &add_with<add_retry_command>},
    {"Watch", "top", &add_plain<add_top_command>},
    {"Watch", "sessions", &add_plain<add_sessions_command>},
    {"Watch", "status", &add_plain<add_status_command>},
    {"Watch", "logs", &add_plain<add_logs_command>},
    {"Watch", "attach", &add_plain<add_attach_command>},
    {"Watch", "wait", &add_plain<add_wait_command>},
    {"Answer, end", "answer", &add_plain<add_answer_command>},
    {"Answer, end", "send", &add_plain<add_send_command>},
    {"Answer, end", "keys", &add_plain<add_keys_command>},
    {"Answer, end", "reset", &add_plain<add_reset_command>},
    {"Answer, end", "kill", &add_plain<add_kill_command>},
    {"After a run", "runs", &add_plain<add_runs_command>},
    {"After a run", "show", &add_plain<add_show_command>},
    {"After a run", "report", &add_plain<add_report_command>},
    {"After a run", "diff", &add_plain<add_diff_command>},
    {"After a run", "undo", &add_plain<add_undo_command>},
    {"After a run", "land", &add_plain<add_land_command>},
    {"After a run", "feedback", &add_plain<add_feedback_command>},
    {"After a run", "gc", &add_plain<add_gc_command>},
    {"Many agents", "race", &add_plain<add_race_command>},
    {"Many agents", "task", &add_with<add_task_command>},
    {"Many agents", "crew", &add_with<add_crew_command>},
    {"Many agents", "mcp", &add_plain<add_mcp_command>},
    {"Many agents", "acp", &add_plain<add_acp_command>},
    {"Many agents", "skill", &add_plain<add_skill_command>},
    {"Other machines", "submit", &add_submit},
    {"Other machines", "jobs", &add_plain<add_jobs_command>},
    {"Other machines", "collect", &add_plain<add_collect_command>},
    {"Look inside", "replay", &add_plain<add_replay_command>},
    {"Look inside", "shot", &add_plain<add_shot_command>},
    {"Look inside", "explain", &add_plain<add_explain_command>},
    {"Look inside", "plan", &add_plain<add_plan_command>},
    {"Look inside", "policy", &add_plain<add_policy_command>},
    {"Look inside", "tape", &add_plain<add_tape_command>},
    {"Set up", "doctor", &add_plain<add_doctor_command>},
    {"Set up", "agents", &add_agents},
    {"Set up", "config", &add_plain<add_config_command>},
    {"Set up", "trust", &add_plain<add_trust_command>},
    {"Set up", "completion", &add_plain<add_completion_command>},
    {"Set up", "help", &add_plain<add_help_command>},
    {"Set up", "version", &add_plain<add_version_command>},
});

// Names of the version before, which work once more.
struct OldName {
  std::string_view name, now;
  void (*add)(CLI::App& app, Given& given);
};
constexpr auto kOldNames = std::to_array<OldName>({
    {"stop", "kill", &add_plain<add_stop_command>},
    {"capabilities", "agents show", &add_plain<add_capabilities_command>},
});

}  // namespace

void add_commands(CLI::App& app, std::string_view only, std::vector<std::string> after_dashes,
                  setup::Diagnostics& diagnostics, Chosen& chosen) {
  Given given{std::move(after_dashes), diagnostics, chosen};
  const auto named = std::find_if(kCommands.begin(), kCommands.end(),
                                  [only](const Command& each) { return each.name == only; });
  if (named != kCommands.end() && only != "help") return named->add(app, given);
  for (const OldName& old : kOldNames) {
    if (old.name != only) continue;
    std::fprintf(stderr, "orch: orch %s is orch %s now; the old name goes with the next version\n",
                 std::string(old.name).c_str(), std::string(old.now).c_str());
    return old.add(app, given);
  }
  for (const Command& command : kCommands) {
    command.add(app, given);
    app.get_subcommand(std::string(command.name))->group(std::string(command.group));
  }
}

namespace {

constexpr const char* kVersion = "orch " ORCH_VERSION;
constexpr const char* kAbout = "orch makes an interactive coding agent behave like a Unix process.";

constexpr const char* kFooter = R"(Examples:
  orch run "fix the flaky test"   run an agent until it says that it is done
  orch run demo                   watch the agent that is built in
  orch run 42 43 -d               two issues (.orch/issues/42.md) in the background
  orch                            every session at a glance

Exit codes: orch run --help-all. All of it, to read: man orch.)";

// Hides the prompt from other users: overwrites it in argv, so that ps shows "…" in its place.
// Of `orch run` it may be an argument with blanks. Words after -- are left alone.
void hide_prompt(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  const auto dashes = std::find(words.begin(), words.end(), "--");
  bool hidden = false;
  // Its prompt is a plain argument, not the value of an option.
  const bool is_bare = words.size() > 1 && words[1] == "continue";
  for (auto word = words.begin() + std::min<long>(argc, 2); is_bare && word != words.end();
       ++word) {
    if (word->starts_with('-')) continue;
    *word = "…";
    hidden = true;
  }
  const bool may_be_quoted = words.size() > 1 && (words[1] == "run" || words[1] == "submit");
  for (auto word = words.begin() + std::min<long>(argc, 1); word != dashes; ++word) {
    if (may_be_quoted && !word->starts_with('-') && word->find(' ') != std::string::npos) {
      *word = "…";
      hidden = true;
    }
    const bool has_value =
        word->starts_with("--prompt=") || (word->starts_with("-p") && word->size() > 2);
    const bool before_value = *word == "-p" || *word == "--prompt";
    if (has_value) word->resize(word->starts_with("--") ? word->find('=') + 1 : 2);
    if (before_value && word + 1 != dashes) (++word)->clear();
    if (!has_value && !before_value) continue;
    *word += "…";
    hidden = true;
  }
  // The words of argv follow each other in memory (execve(2)); the new ones are cut to that room.
  char* const end = argv[argc - 1] + std::strlen(argv[argc - 1]);
  if (!hidden || end < argv[0]) return;
  std::string all;
  for (const std::string& word : words) all += word + '\0';
  all.resize(static_cast<size_t>(end - argv[0]), '\0');
  std::memcpy(argv[0], all.data(), all.size());
}

// Answers a command line that asks for help or has a mistake.
int stop_at(const CLI::ParseError& error, CLI::App& app, const std::string& first_word) {
  const CLI::App& command = reached_command(app);
  if (dynamic_cast<const CLI::CallForHelp*>(&error) != nullptr) {
    const bool is_app = &command == &app;
    std::fputs(
        (is_app ? overview(app, help_columns()) : help_page(command, help_columns())).c_str(),
        stdout);
    return 0;
  }
  if (dynamic_cast<const CLI::CallForAllHelp*>(&error) != nullptr) {
    std::fputs(full_help(command, help_columns()).c_str(), stdout);
    return 0;
  }
  if (error.get_exit_code() == 0) {  // --version
    std::puts(error.what());
    return 0;
  }
  if (first_word.empty()) {
    if (const std::optional<int> code = run_top_alone()) return *code;
    std::fputs(overview(app, help_columns()).c_str(), stdout);
    return 0;
  }
  return report(base::usage_error(usage_error_text(app, first_word, error)));
}

// Returns the exit code if $ORCH_LOG names a file that must not be written. Whatever else is wrong
// with it is reported, but the command still runs.
std::optional<int> begin_diagnostics(setup::Diagnostics& diagnostics, int verbose) {
  const char* variable = std::getenv("ORCH_LOG");
  setup::ReadLogRequest read =
      setup::read_log_request(verbose, variable == nullptr ? "" : variable);
  if (read.error) report(*read.error);
  const base::Status begun = diagnostics.begin(std::move(read.wanted));
  if (begun) return std::nullopt;
  const int code = report(begun.error());
  return begun.error().code == base::ErrorCode::kUsage ? std::optional(code) : std::nullopt;
}

// Of an option that takes one value the last one counts, as in git and docker: so an alias or a
// script can set one, and its user another.
void let_last_value_count(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const bool has_one_value = !option->get_positional() && option->get_items_expected_max() == 1 &&
                               option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw;
    if (has_one_value) option->take_last();
  }
  for (CLI::App* command : app.get_subcommands(nullptr)) let_last_value_count(*command);
}

// Adds the commands that the first word may mean, and global options.
void add_everything(CLI::App& app, std::string_view first_word,
                    std::vector<std::string> after_dashes, int& verbose,
                    setup::Diagnostics& diagnostics, Chosen& chosen) {
  app.set_version_flag("-V,--version", kVersion, "show orch's version");
  app.set_help_flag("-h,--help", "show this page");
  app.set_help_all_flag("--help-all", "show all options");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.add_flag("-v,--verbose", verbose,
               "log orch's own steps on standard error; -vv: more ($ORCH_LOG: debug, info, "
               "warn, error, file:PATH)");
  app.fallthrough();
  add_commands(app, first_word, std::move(after_dashes), diagnostics, chosen);
  let_last_value_count(app);
}

// The commands about all commands: `orch internal complete`, run by the shells' completion scripts,
// prints the completions of `words`; `orch internal manual`, run by the build, writes the manual.
int tell_commands(const std::string& command, std::span<const std::string> words) {
  CLI::App app(kAbout, "orch");
  int verbose = 0;
  setup::Diagnostics diagnostics;
  Chosen chosen;
  // The last word is the one to complete.
  const std::string named = command == "complete" && words.size() > 1 ? words.front() : "";
  add_everything(app, named, {}, verbose, diagnostics, chosen);
  if (command == "manual") return write_manual(app, words);
  print_completion(app, {words.begin(), words.end()});
  return 0;
}

// Where the command line of a program to run begins, which CLI11 must not see: at "--". Of another
// command the words after it are its own, even if they begin with a dash; CLI11 knows that.
std::vector<std::string>::iterator dashes_before_program(std::vector<std::string>& words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const auto named = std::find_if(words.begin(), dashes,
                                  [](const std::string& word) { return !word.starts_with('-'); });
  const bool takes_program =
      named == dashes || *named == "run" || *named == "submit" || *named == "agents";
  return takes_program ? dashes : words.end();
}

// Runs the command that the words name and returns its exit code.
int run_command(std::vector<std::string> words) {
  const auto dashes = dashes_before_program(words);
  std::vector<std::string> command(dashes == words.end() ? dashes : dashes + 1, words.end());
  if (dashes != words.end() && command.empty()) {
    return report(base::usage_error("no command after --; put a program there, or leave -- out"));
  }
  words.erase(dashes, words.end());
  const std::string first_word = words.empty() ? "" : words.front();

  CLI::App app(kAbout, "orch");
  int verbose = 0;
  setup::Diagnostics diagnostics;
  Chosen chosen;
  add_everything(app, first_word, std::move(command), verbose, diagnostics, chosen);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 wants them reversed
  } catch (const CLI::ParseError& error) {
    return stop_at(error, app, first_word);
  }
  if (const std::optional<int> refused = begin_diagnostics(diagnostics, verbose)) return *refused;
  return chosen();
}

// Runs a command that only orch itself, or an agent's hook, starts and that needs nothing of a
// user's command: no streams of its own, no configuration, no standard library that may throw.
std::optional<int> run_light_duty(std::span<const std::string> words) {
  if (words.empty()) return std::nullopt;
  const std::string& name = words.front();
  const std::span<const std::string> rest = words.subspan(1);
  if (name == "check-call") return duties::run_check_call(rest);
  if (name == "guardian") return duties::run_guardian();
  if (name == "notify") return duties::run_notify(rest);
  if (name == "init") return duties::run_init(rest);
  if (name == "pane") return duties::run_pane(rest);
  if (name == "read-rows") return sqlite::serve_rows();
  if (name == "launch") return duties::run_launch(rest);
  if (name == "mcp-server") return duties::run_mcp_server(rest);
  return std::nullopt;
}

// The same for the commands that print, or that work on a repository.
std::optional<int> run_duty(std::span<const std::string> words) {
  if (words.empty()) return std::nullopt;
  const std::string& name = words.front();
  const std::span<const std::string> rest = words.subspan(1);
  if (name == "snapshot") return duties::run_snapshot(rest);
  if (name == "changes") return duties::run_changes(rest);
  if (name == "open-worktree") return duties::run_open_worktree(rest);
  if (name == "leave-worktree") return duties::run_leave_worktree(rest);
  if (name == "complete" || name == "manual") return tell_commands(name, rest);
  return std::nullopt;
}

}  // namespace

int run_app(int argc, char** argv) {
  ui::open_closed_streams();
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);  // argv may be empty
  const std::string first_word = words.empty() ? "" : words.front();
  // These read their words without CLI11.
  if (first_word == "demo-agent") return duties::run_demo_agent(std::span(words).subspan(1));
  if (first_word == "hook") return duties::run_hook(std::span(words).subspan(1));
  const std::span<const std::string> internal =
      first_word == base::kInternal ? std::span(words).subspan(1) : std::span<std::string>();
  if (const std::optional<int> code = run_light_duty(internal)) return *code;
  ui::guard_standard_streams();
  if ((first_word == "--version" || first_word == "-V") && words.size() == 1) {
    std::puts(kVersion);  // does not need the rest
    return ui::finish_standard_output(0);
  }
  base::log_uncaught_exceptions();
  session::leave_caller();
  setup::guard_own_programs();
  int code = 0;
  try {
    if (const std::optional<int> done = run_duty(internal)) {
      code = *done;
    } else {
      if (first_word == "run" || first_word == "submit" || first_word == "continue" ||
          first_word == "plan")
        hide_prompt(argc, argv);
      code = run_command(std::move(words));
    }
  } catch (const std::exception& error) {  // from the standard library: above all std::bad_alloc
    code = report({base::ErrorCode::kSystem, std::string("cannot go on: ") + error.what()});
  }
  return ui::finish_standard_output(code);
}

}  // namespace orch::cli
